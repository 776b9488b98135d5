#include "interfaces/can_bus/bus.hpp"

#include <algorithm>

namespace interfaces::can_bus {

namespace {

// An error flag of six bits and those of the others behind it, then the delimiter.
constexpr std::int64_t error_flags = 12, error_delimiter = 8;
constexpr std::int64_t lone_error_flag = 6;
// An error-passive controller that just sent lets others go first for so long.
constexpr std::int64_t suspension = 8;
// A controller that is off comes back after so many groups of recessive bits. A frame ends with eight of them.
constexpr std::int64_t recovery_groups = 128, recovery_bits = 11, recessive_end = 8;
// From the acknowledge slot to the end of the frame.
constexpr std::int64_t behind_acknowledge = 8;

/// The bits that decide an arbitration, the first of them highest: the smallest wins.
std::uint32_t priority(const Frame& frame) {
    const std::uint32_t remote = frame.remote ? 1 : 0;
    if (!frame.extended) return frame.id << 21 | remote << 20;
    return (frame.id >> 18) << 21 | 3U << 19 | (frame.id & 0x3FFFFU) << 1 | remote;
}

/// The n-th of a sequence of random numbers (splitmix64), so that asking twice for one changes nothing.
std::uint64_t random(std::uint64_t seed, std::uint64_t n) {
    std::uint64_t value = seed * 0xD1342543DE82EF95U + n * 0x9E3779B97F4A7C15U;
    value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9U;
    value = (value ^ value >> 27) * 0x94D049BB133111EBU;
    return value ^ value >> 31;
}

double share(std::uint64_t number) { return static_cast<double>(number >> 11) * 0x1p-53; }

}  // namespace

void Bus::join(std::size_t terminal, Nanoseconds now) {
    if (controllers_[terminal].joined) return;
    controllers_[terminal].joined = true;
    choose_rates(now);
}

void Bus::set_rate(std::size_t terminal, std::uint32_t nominal, Nanoseconds now) {
    controllers_[terminal].rates.nominal = nominal;
    choose_rates(now);
}

void Bus::set_fast_rate(std::size_t terminal, std::uint32_t fast, Nanoseconds now) {
    controllers_[terminal].rates.data = fast;
    choose_rates(now);
}

void Bus::discard_losers(std::size_t terminal, bool discard) { controllers_[terminal].discards = discard; }

void Bus::set_state(std::size_t terminal, ErrorState state, Nanoseconds now) {
    controllers_[terminal].reported = state;
    reconsider(now);
}

bool Bus::send(std::size_t terminal, const Frame& frame, Nanoseconds now) {
    Controller& controller = controllers_[terminal];
    if (!takes_part(controller) || controller.count == queue_depth || frame.error) {
        ++statistics_.lost;
        return false;
    }
    controller.queue[(controller.first + controller.count++) % queue_depth] = {frame, can::bit_counts(frame), now};
    reconsider(now);
    return true;
}

std::optional<Nanoseconds> Bus::next() const {
    if (!attempt_) return std::nullopt;
    return attempt_->end;
}

void Bus::advance(Nanoseconds now, Observer& observer) {
    while (attempt_ && attempt_->end <= now) finish(observer);
    if (!attempt_ || attempt_->start >= now) recover(now);
}

ErrorState Bus::state(std::size_t terminal) const {
    const Controller& controller = controllers_[terminal];
    return controller.reported.value_or(controller.counters.state());
}

Nanoseconds Bus::busy(Nanoseconds now) const {
    const Nanoseconds to_come = std::max<Nanoseconds>(0, quiet_since_ + bits(can::interframe_bits) - now);
    const Nanoseconds running = attempt_ ? std::max<Nanoseconds>(0, now - attempt_->start) : 0;
    return busy_ - to_come + running;
}

Nanoseconds Bus::bits(std::int64_t count) const {
    return can::duration({.nominal = static_cast<std::uint32_t>(count)}, rates_);
}

bool Bus::takes_part(const Controller& controller) const {
    return controller.joined && (controller.rates.nominal == 0 || controller.rates.nominal == rates_.nominal);
}

bool Bus::hears(std::size_t terminal) const {
    return takes_part(controllers_[terminal]) && state(terminal) != ErrorState::off;
}

std::size_t Bus::hearers(std::size_t except) const {
    std::size_t count = 0;
    for (std::size_t i = 0; i < most_terminals; ++i) count += i != except && hears(i) ? 1 : 0;
    return count;
}

void Bus::choose_rates(Nanoseconds now) {
    rates_ = parameters.rates;
    for (const auto fast : {false, true})
        for (const Controller& controller : controllers_) {
            const std::uint32_t rate = fast ? controller.rates.data : controller.rates.nominal;
            if (!controller.joined || rate == 0) continue;
            (fast ? rates_.data : rates_.nominal) = rate;
            break;
        }
    reconsider(now);
}

/// Something came before the next frame starts, or there is none: who is to send is open again.
void Bus::reconsider(Nanoseconds now) {
    if (!attempt_ || now <= attempt_->start) contend(now);
}

/// When the first frame of a controller may start.
Nanoseconds Bus::ready(std::size_t terminal) const {
    const Controller& controller = controllers_[terminal];
    if (controller.count == 0 || !takes_part(controller)) return never;
    const Nanoseconds arrival = controller.queue[controller.first].arrival;
    const ErrorState state = this->state(terminal);
    if (state == ErrorState::off) {
        if (controller.reported) return never;  // it says when it is back
        return std::max(arrival, quiet_since_ + bits(controller.recovery * recovery_bits - recessive_end));
    }
    const bool suspended = state == ErrorState::passive && terminal == last_sender_;
    return std::max(arrival, quiet_since_ + bits(can::interframe_bits + (suspended ? suspension : 0)));
}

void Bus::contend(Nanoseconds now) {
    Attempt attempt{.start = never};
    std::array<Nanoseconds, most_terminals> starts;
    for (std::size_t i = 0; i < most_terminals; ++i) {
        starts[i] = std::max(ready(i), now);
        attempt.start = std::min(attempt.start, starts[i]);
    }
    attempt_.reset();
    if (attempt.start == never) return;
    std::uint64_t best = ~std::uint64_t{0};
    for (std::size_t i = 0; i < most_terminals; ++i) {
        if (starts[i] > attempt.start) continue;
        const Controller& controller = controllers_[i];
        const std::uint64_t passive = state(i) == ErrorState::passive ? 1 : 0;
        const std::uint64_t rank = passive << 32 | priority(controller.queue[controller.first].frame);
        if (rank >= best) continue;
        best = rank;
        attempt.sender = i;
    }
    const Controller& sender = controllers_[attempt.sender];
    plan(attempt, sender.queue[sender.first].bits);
    attempt_ = attempt;
}

/// When it ends, and how.
void Bus::plan(Attempt& attempt, const can::BitCount& bit_count) const {
    const Nanoseconds length = can::duration(bit_count, rates_);
    attempt.end = attempt.start + length;
    find_error(attempt, length, bit_count);
    if (attempt.error || hearers(attempt.sender) > 0) return;
    attempt.error = ErrorKind::acknowledge;
    attempt.finder = attempt.sender;
    attempt.end = attempt.start + length - bits(behind_acknowledge) + bits(lone_error_flag + error_delimiter);
}

/// A bit that one of the controllers reads wrong. It says so at once, and all others with it.
void Bus::find_error(Attempt& attempt, Nanoseconds length, const can::BitCount& bit_count) const {
    if (share(random(parameters.seed, 3 * attempts_)) >= parameters.error_share) return;
    const std::uint32_t count = bit_count.nominal + bit_count.data;
    const std::uint64_t hit = 1 + random(parameters.seed, 3 * attempts_ + 1) % count;
    std::uint64_t finder = random(parameters.seed, 3 * attempts_ + 2) % (1 + hearers(attempt.sender));
    attempt.finder = attempt.sender;
    attempt.error = ErrorKind::bit;
    for (std::size_t i = 0; i < most_terminals && finder > 0; ++i) {
        if (i == attempt.sender || !hears(i)) continue;
        attempt.finder = i;
        attempt.error = hit + behind_acknowledge < count ? ErrorKind::stuffing : ErrorKind::form;
        --finder;
    }
    attempt.end = attempt.start + length * static_cast<Nanoseconds>(hit) / count + bits(error_flags + error_delimiter);
}

void Bus::finish(Observer& observer) {
    const Attempt attempt = *attempt_;
    recover(attempt.start);
    count_recessive(attempt.start);
    if (attempt.error)
        fail(attempt, observer);
    else
        succeed(attempt, observer);
    drop_losers(attempt, observer);
    busy_ += attempt.end - attempt.start + bits(can::interframe_bits);
    quiet_since_ = attempt.end;
    last_sender_ = attempt.sender;
    ++attempts_;
    contend(attempt.end);
}

void Bus::succeed(const Attempt& attempt, Observer& observer) {
    Controller& sender = controllers_[attempt.sender];
    const Entry& entry = sender.queue[sender.first];
    for (std::size_t i = 0; i < most_terminals; ++i) {
        if (i == attempt.sender || !hears(i)) continue;
        controllers_[i].counters.received();
        observer.received(i, entry.frame);
    }
    sender.counters.sent();
    sender.worst_latency = std::max(sender.worst_latency, attempt.end - entry.arrival);
    count(entry.frame, attempt.end - entry.arrival);
    observer.confirmed(attempt.sender, entry.frame);
    ++statistics_.frames;
    pop(sender);
}

void Bus::count(const Frame& frame, Nanoseconds latency) {
    for (Watch& watch : watches) {
        if (watch.id != frame.id || watch.extended != frame.extended) continue;
        ++watch.frames;
        watch.worst_latency = std::max(watch.worst_latency, latency);
    }
}

void Bus::fail(const Attempt& attempt, Observer& observer) {
    Controller& sender = controllers_[attempt.sender];
    const std::uint32_t id = sender.queue[sender.first].frame.id;
    for (std::size_t i = 0; i < most_terminals; ++i) {
        if (!hears(i)) continue;
        ErrorCounters& counters = controllers_[i].counters;
        const bool first = i == attempt.finder;
        if (i != attempt.sender)
            counters.receive_error(first);
        else if (*attempt.error == ErrorKind::acknowledge)
            counters.acknowledge_error();
        else
            counters.transmit_error();
        observer.disturbed(i, {id, *attempt.error, first, i == attempt.sender});
    }
    if (sender.counters.state() == ErrorState::off) sender.recovery = recovery_groups;
    ++statistics_.errors;
}

/// Those that started with the sender and gave way.
void Bus::drop_losers(const Attempt& attempt, Observer& observer) {
    for (std::size_t i = 0; i < most_terminals; ++i) {
        Controller& controller = controllers_[i];
        if (i == attempt.sender || !controller.discards || !hears(i) || controller.count == 0) continue;
        if (controller.queue[controller.first].arrival > attempt.start) continue;
        observer.arbitration_lost(i, controller.queue[controller.first].frame);
        pop(controller);
    }
}

/// Controllers that have seen enough recessive bits begin anew.
void Bus::recover(Nanoseconds now) {
    for (Controller& controller : controllers_) {
        if (controller.recovery == 0) continue;
        if (now - quiet_since_ < bits(controller.recovery * recovery_bits - recessive_end)) continue;
        controller.recovery = 0;
        controller.counters = {};
    }
}

void Bus::count_recessive(Nanoseconds start) {
    for (Controller& controller : controllers_) {
        if (controller.recovery == 0) continue;
        const std::int64_t groups = ((start - quiet_since_) / bits(1) + recessive_end) / recovery_bits;
        controller.recovery = std::max<std::int64_t>(1, controller.recovery - groups);
    }
}

void Bus::pop(Controller& controller) {
    controller.first = (controller.first + 1) % queue_depth;
    --controller.count;
}

}  // namespace interfaces::can_bus
