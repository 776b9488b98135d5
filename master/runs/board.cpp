#include "master/runs/board.hpp"

#include "master/fmi/library/function.hpp"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <new>
#include <span>
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
        }
        std::signal(signal, SIG_DFL);
        ::raise(signal);
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

Board::UnderWay Board::describe(const base::CallSlot::Call& call) const {
    UnderWay found{.unit = {}, .function = fmi::function_name(call.function), .last_message = {}};
    const std::span units(units_, std::min<std::size_t>(unit_count_.load(std::memory_order_acquire), most_units));
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
    std::vector<UnderWay> found;
    const bool known_thread = crash_.signal != 0 && crash_.slot >= -1 && crash_.slot < std::int32_t{most_threads};
    for (std::size_t i = 0; i < slots_.size(); ++i) {
        const base::CallSlot::Call call = slots_[i].call;
        if (call.function == 0 || (known_thread && static_cast<std::int32_t>(i) != crash_.slot)) continue;
        found.push_back(describe(call));
    }
    return found;
}

void Board::forget_calls() {
    for (base::CallSlot& slot : slots_) slot.call = {};
}

std::optional<Board::UnderWay> Board::only_unit() const {
    if (unit_count_.load(std::memory_order_acquire) != 1) return std::nullopt;
    return UnderWay{.unit = text_of(units_->name), .function = {}, .last_message = text_of(units_->last_message)};
}

std::uint64_t Board::progress() const {
    // Any change in any of them changes the sum but for a coincidence, which the next look does not repeat.
    std::uint64_t sum = static_cast<std::uint64_t>(reached_.ticks) * 3 + points_ + static_cast<std::uint64_t>(phase());
    for (const base::CallSlot& slot : slots_)
        sum += slot.calls * 7 + slot.call.function + reinterpret_cast<std::uintptr_t>(slot.call.object) * 31;
    return sum;
}

}  // namespace master::runs
