#include "master/view/channel.hpp"

#include "master/base/error.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <sys/eventfd.h>
#include <unistd.h>

namespace master::view {
namespace {

constexpr std::size_t aligned(std::size_t bytes) { return (bytes + 7) / 8 * 8; }

/// Texts one after the other, each with its length before it.
void append(std::string& to, std::string_view text) {
    const std::uint64_t size = text.size();
    to.append(reinterpret_cast<const char*>(&size), sizeof size);
    to.append(text);
}

std::optional<std::string> take_text(std::span<const std::byte>& from) {
    std::uint64_t size = 0;
    if (from.size() < sizeof size) return std::nullopt;
    std::memcpy(&size, from.data(), sizeof size);
    from = from.subspan(sizeof size);
    if (from.size() < size) return std::nullopt;
    std::string text(reinterpret_cast<const char*>(from.data()), size);
    from = from.subspan(size);
    return text;
}

}  // namespace

void Latest::use(std::byte* memory) {
    memory_ = memory;
    state_ = new (memory) State{{1}, 0, 2};
}

void Latest::begin() { used_ = sizeof(SnapshotHead); }

std::byte* Latest::add(const SectionHead& section) {
    const std::size_t bytes = sizeof section + aligned(section.bytes);
    if (section.bytes > capacity || used_ + bytes > capacity) return nullptr;
    std::byte* const at = buffer(state_->writing) + used_;
    std::memcpy(at, &section, sizeof section);
    used_ += bytes;
    return at + sizeof section;
}

void Latest::publish(SnapshotHead head) {
    head.bytes = used_ - sizeof head;
    std::memcpy(buffer(state_->writing), &head, sizeof head);
    state_->writing = state_->between.exchange(state_->writing | fresh, std::memory_order_acq_rel) & 3U;
}

std::optional<Latest::Snapshot> Latest::take() {
    if ((state_->between.load(std::memory_order_relaxed) & fresh) == 0) return std::nullopt;
    state_->reading = state_->between.exchange(state_->reading, std::memory_order_acq_rel) & 3U;
    if (state_->reading > 2) state_->reading = 2;
    const std::byte* const begin = buffer(state_->reading);
    Snapshot snapshot;
    std::memcpy(&snapshot.head, begin, sizeof snapshot.head);
    // The writer may have been a process that went wild.
    if (snapshot.head.bytes > capacity - sizeof snapshot.head) return std::nullopt;
    std::span<const std::byte> rest(begin + sizeof snapshot.head, snapshot.head.bytes);
    while (rest.size() >= sizeof(SectionHead)) {
        SectionHead head;
        std::memcpy(&head, rest.data(), sizeof head);
        rest = rest.subspan(sizeof head);
        if (head.bytes > rest.size() || aligned(head.bytes) > rest.size()) return std::nullopt;
        snapshot.sections.push_back({head, rest.first(head.bytes)});
        rest = rest.subspan(aligned(head.bytes));
    }
    return snapshot;
}

void Ring::use(std::byte* memory) {
    state_ = new (memory) State{};
    memory_ = memory + sizeof(State);
}

void Ring::clear() {
    state_->put.store(0, std::memory_order_relaxed);
    state_->taken.store(0, std::memory_order_release);
}

void Ring::put(std::span<const std::byte> record) {
    const std::uint64_t at = state_->put.load(std::memory_order_relaxed);
    const std::uint64_t waiting = at - state_->taken.load(std::memory_order_acquire);
    const auto size = static_cast<std::uint32_t>(record.size());
    if (waiting > capacity || record.size() > capacity - waiting || sizeof size > capacity - waiting - record.size())
        return;
    copy_in(at, &size, sizeof size);
    copy_in(at + sizeof size, record.data(), record.size());
    state_->put.store(at + sizeof size + size, std::memory_order_release);
}

bool Ring::take(std::vector<std::byte>& record) {
    const std::uint64_t at = state_->taken.load(std::memory_order_relaxed);
    const std::uint64_t end = state_->put.load(std::memory_order_acquire);
    std::uint32_t size = 0;
    if (end == at) return false;
    const bool sound = end - at <= capacity && end - at >= sizeof size;
    if (sound) copy_out(at, &size, sizeof size);
    if (!sound || size > end - at - sizeof size) {
        state_->taken.store(end, std::memory_order_release);
        return false;
    }
    record.resize(size);
    copy_out(at + sizeof size, record.data(), size);
    state_->taken.store(at + sizeof size + size, std::memory_order_release);
    return true;
}

void Ring::copy_in(std::uint64_t at, const void* data, std::size_t size) {
    const std::size_t place = at % capacity;
    const std::size_t first = std::min(size, capacity - place);
    std::memcpy(memory_ + place, data, first);
    std::memcpy(memory_, static_cast<const std::byte*>(data) + first, size - first);
}

void Ring::copy_out(std::uint64_t at, void* data, std::size_t size) const {
    const std::size_t place = at % capacity;
    const std::size_t first = std::min(size, capacity - place);
    std::memcpy(data, memory_ + place, first);
    std::memcpy(static_cast<std::byte*>(data) + first, memory_, size - first);
}

Channel::Channel()
    : memory_(aligned(sizeof(State)) + 2 * aligned(Latest::bytes()) + 2 * aligned(Ring::bytes()) + catalogue_capacity),
      descriptor_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    if (descriptor_ < 0)
        throw base::Error("view", "--view", std::string("no event can be made: ") + std::strerror(errno),
                          base::Exit::failed);
    std::byte* at = memory_.data();
    const auto next = [&](std::size_t bytes) { return std::exchange(at, at + aligned(bytes)); };
    state_ = new (next(sizeof(State))) State{};
    fast_snapshots.use(next(Latest::bytes()));
    slow_snapshots.use(next(Latest::bytes()));
    sayings_.use(next(Ring::bytes()));
    commands_.use(next(Ring::bytes()));
    catalogue_ = at;
}

Channel::~Channel() { ::close(descriptor_); }

void Channel::begin_run() {
    state_->run.fetch_add(1, std::memory_order_relaxed);
    state_->wishes = fast | slow;
    state_->process = 0;
    state_->catalogue_bytes = 0;
    sayings_.clear();
    commands_.clear();
}

bool Channel::publish(const Catalogue& catalogue) {
    std::string all;
    append(all, catalogue.json);
    for (const auto& [name, content] : catalogue.files) {
        append(all, name);
        append(all, content);
    }
    if (all.size() > catalogue_capacity) return false;
    std::memcpy(catalogue_, all.data(), all.size());
    state_->catalogue_bytes.store(all.size(), std::memory_order_release);
    wake();
    return true;
}

std::optional<Catalogue> Channel::catalogue() const {
    const std::uint64_t bytes = state_->catalogue_bytes.load(std::memory_order_acquire);
    if (bytes == 0 || bytes > catalogue_capacity) return std::nullopt;
    std::span<const std::byte> rest(catalogue_, bytes);
    std::optional<std::string> json = take_text(rest);
    if (!json) return std::nullopt;
    Catalogue catalogue{.json = std::move(*json), .files = {}};
    while (!rest.empty()) {
        std::optional<std::string> name = take_text(rest), content = take_text(rest);
        if (!name || !content) return std::nullopt;
        catalogue.files.emplace_back(std::move(*name), std::move(*content));
    }
    return catalogue;
}

void Channel::say(double time, std::string_view json) {
    std::vector<std::byte> record(sizeof time + json.size());
    std::memcpy(record.data(), &time, sizeof time);
    std::memcpy(record.data() + sizeof time, json.data(), json.size());
    {
        const std::lock_guard lock(saying_);
        sayings_.put(record);
    }
    wake();
}

std::optional<Channel::Saying> Channel::next_saying() {
    std::vector<std::byte> record;
    Saying saying;
    if (!sayings_.take(record) || record.size() < sizeof saying.time) return std::nullopt;
    std::memcpy(&saying.time, record.data(), sizeof saying.time);
    saying.json.assign(reinterpret_cast<const char*>(record.data()) + sizeof saying.time,
                       record.size() - sizeof saying.time);
    return saying;
}

void Channel::command(const Command& command) { commands_.put(std::as_bytes(std::span(&command, 1))); }

std::optional<Command> Channel::next_command() {
    std::vector<std::byte> record;
    Command command;
    if (!commands_.take(record) || record.size() != sizeof command) return std::nullopt;
    std::memcpy(&command, record.data(), sizeof command);
    return command;
}

void Channel::wake() const {
    const std::uint64_t one = 1;
    static_cast<void>(!::write(descriptor_, &one, sizeof one));
}

void Channel::slept() const {
    std::uint64_t count = 0;
    static_cast<void>(!::read(descriptor_, &count, sizeof count));
}

}  // namespace master::view
