#include "master/runs/board.hpp"

#include "master/fmi/library/function.hpp"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <new>
#include <span>
#include <sys/uio.h>
#include <unistd.h>

namespace master::runs {
namespace {

constexpr std::array crash_signals{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS, SIGTRAP};
constexpr std::uintptr_t stack_guard = 1 << 16;  // bytes around the stack pointer in which a fault means its end

std::uintptr_t stack_pointer(const ucontext_t& context) {
#if defined(__x86_64__)
    return static_cast<std::uintptr_t>(context.uc_mcontext.gregs[REG_RSP]);
#else
    return context.uc_mcontext.sp;
#endif
}

std::uintptr_t instruction_pointer(const ucontext_t& context) {
#if defined(__x86_64__)
    return static_cast<std::uintptr_t>(context.uc_mcontext.gregs[REG_RIP]);
#else
    return context.uc_mcontext.pc;
#endif
}

/// Private memory of this process; only calls that a signal handler may make.
std::uint64_t data_bytes() {
    const int file = ::open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    if (file < 0) return 0;
    std::array<char, 256> text{};
    const ssize_t length = ::read(file, text.data(), text.size() - 1);
    ::close(file);
    const char* at = text.data();
    for (int field = 0; length > 0 && field < 5; ++field) {  // size resident shared text lib data
        while (*at != ' ' && *at != '\0') ++at;
        while (*at == ' ') ++at;
    }
    return std::strtoull(at, nullptr, 10) * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

template <std::size_t size>
std::string text_of(const std::array<char, size>& text) {
    return {text.data(), ::strnlen(text.data(), size)};
}

}  // namespace

/// A signal handler can reach nothing but a global.
struct CrashNote {
    static inline Board* board = nullptr;

    static void write(int signal, siginfo_t* info, void* context) {
        // A process that was forked from the run has its own story.
        if (::getpid() == board->process_ && board->crash_.signal == 0) {
            Board::Crash& crash = board->crash_;
            const base::CallSlot* const first = board->slots_.data();
            const base::CallSlot* const slot = base::call_slot;
            const bool known = slot >= first && slot < first + Board::most_threads;
            crash.slot = known ? static_cast<std::int32_t>(slot - first) : -1;
            const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
            const std::uintptr_t stack = stack_pointer(*static_cast<const ucontext_t*>(context));
            crash.stack_overflow = signal == SIGSEGV && address + stack_guard > stack && address < stack + stack_guard;
            crash.data_bytes = data_bytes();
            crash.signal = signal;
            if (!known) crash.code = unit_code_on_stack(*static_cast<const ucontext_t*>(context));
        }
        std::signal(signal, SIG_DFL);
        ::raise(signal);
    }

    /// The instruction, or else the first thing on the stack that looks like an address to return to in a unit.
    static std::uintptr_t unit_code_on_stack(const ucontext_t& context) {
        static std::array<std::uintptr_t, 4096> words;
        words.front() = instruction_pointer(context);
        // Asked of the system, which stops at the end of the stack instead of crashing there.
        const iovec here{words.data() + 1, sizeof words - sizeof words.front()};
        const iovec stack{std::bit_cast<void*>(stack_pointer(context)), here.iov_len};
        const ssize_t length = ::process_vm_readv(::getpid(), &here, 1, &stack, 1, 0);
        const std::size_t count = 1 + static_cast<std::size_t>(std::max<ssize_t>(length, 0)) / sizeof words.front();
        for (const std::uintptr_t word : std::span(words).first(count))
            for (const base::WatchedUnit& unit : board->units())
                if (unit.code.holds(word)) return word;
        return 0;
    }

    static void listen() {
        // The handler runs even where the stack is used up.
        static std::array<std::byte, 1 << 16> memory;
        const stack_t stack{.ss_sp = memory.data(), .ss_flags = 0, .ss_size = memory.size()};
        ::sigaltstack(&stack, nullptr);
        struct sigaction action = {};
        action.sa_sigaction = write;
        action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
        for (const int signal : crash_signals) ::sigaction(signal, &action, nullptr);
    }
};

Board& Board::make(std::byte* memory) {
    return *new (memory) Board(reinterpret_cast<base::WatchedUnit*>(memory + sizeof(Board)));
}

Board::Board(base::WatchedUnit* units) : units_(units) {
    for (std::size_t i = 0; i + 1 < slots_.size(); ++i) slots_[i].next = &slots_[i + 1];
}

void Board::watch_this_process() {
    process_ = ::getpid();
    base::call_slot = slots_.data();
    CrashNote::board = this;
    CrashNote::listen();
}

base::WatchedUnit* Board::add_unit(std::string_view name) {
    const std::uint32_t count = unit_count_.load(std::memory_order_relaxed);
    if (count == most_units) return nullptr;
    auto* const unit = new (units_ + count) base::WatchedUnit;
    base::WatchedUnit::put(unit->name, name);
    unit_count_.store(count + 1, std::memory_order_release);
    return unit;
}

void Board::begin(base::Time start, base::Timebase timebase) {
    timebase_ = timebase;
    reached_ = start;
}

double Board::seconds() const {
    return base::Timebase{std::max<std::int64_t>(timebase_.ticks_per_second, 1)}.seconds(reached_);
}

std::optional<int> Board::finished() const {
    if (!finished_.load(std::memory_order_acquire)) return std::nullopt;
    return code_;
}

std::span<const base::WatchedUnit> Board::units() const {
    return {units_, std::min<std::size_t>(unit_count_.load(std::memory_order_acquire), most_units)};
}

Board::UnderWay Board::describe(const base::CallSlot::Call& call) const {
    UnderWay found{.unit = {}, .function = fmi::function_name(call.function), .last_message = {}};
    const std::span<const base::WatchedUnit> units = this->units();
    const auto is_called = [&](const base::WatchedUnit& unit) {
        return call.object == unit.instance || call.object == unit.library;
    };
    // From the end: later units may stand where earlier ones were.
    const auto unit = std::find_if(units.rbegin(), units.rend(), is_called);
    if (unit == units.rend()) return found;
    found.unit = text_of(unit->name);
    found.last_message = text_of(unit->last_message);
    return found;
}

std::vector<Board::UnderWay> Board::under_way() const {
    const bool known_thread = crash_.signal != 0 && crash_.slot >= -1 && crash_.slot < std::int32_t{most_threads};
    if (!known_thread) return unfinished();
    if (crash_.slot < 0) return {};
    const base::CallSlot::Call call = slots_[static_cast<std::size_t>(crash_.slot)].call;
    return call.function == 0 ? std::vector<UnderWay>{} : std::vector{describe(call)};
}

std::vector<Board::UnderWay> Board::unfinished() const {
    std::vector<UnderWay> found;
    for (const base::CallSlot& slot : slots_)
        if (slot.call.function != 0) found.push_back(describe(slot.call));
    return found;
}

void Board::forget_calls() {
    for (base::CallSlot& slot : slots_) slot.call = {};
}

std::vector<Board::UnderWay> Board::owners_of_crash() const {
    std::vector<UnderWay> found;
    for (const base::WatchedUnit& unit : units())
        if (unit.code.holds(crash_.code) || units().size() == 1)
            found.push_back({.unit = text_of(unit.name), .function = {}, .last_message = text_of(unit.last_message)});
    return found;
}

std::uint64_t Board::progress() const {
    // Any change in any of them changes the sum but for a coincidence, which the next look does not repeat.
    std::uint64_t sum = static_cast<std::uint64_t>(reached_.ticks) * 3 + points_ + static_cast<std::uint64_t>(phase());
    for (const base::CallSlot& slot : slots_)
        sum += slot.calls * 7 + slot.call.function + reinterpret_cast<std::uintptr_t>(slot.call.object) * 31;
    return sum;
}

}  // namespace master::runs
