#include "fmus/can/gateway/gateway.hpp"

#include "interfaces/text/suggestion.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace fmus::can {

namespace {

namespace e2e = interfaces::e2e;

constexpr Nanoseconds shortest_look = 1'000;  // no controller is faster, and a clock has to stand still between ticks
constexpr Nanoseconds never = std::numeric_limits<Nanoseconds>::max();

double value_of(const Gateway::Cell& cell, GatewaySignal::Kind kind) {
    switch (kind) {
        case GatewaySignal::Kind::real:
            return cell.real;
        case GatewaySignal::Kind::whole:
            return static_cast<double>(cell.whole);
        case GatewaySignal::Kind::flag:
            return cell.flag ? 1 : 0;
    }
    return 0;
}

Gateway::Cell cell_of(double value) { return {.real = value, .whole = std::llround(value), .flag = value != 0}; }

bool shares(const std::vector<std::string>& a, const std::vector<std::string>& b) {
    return std::find_first_of(a.begin(), a.end(), b.begin(), b.end()) != a.end();
}

}  // namespace

Gateway::Gateway(const GatewayLayout& layout) : layout_(&layout) {
    const std::size_t signals = layout.signals.size(), messages = layout.messages.size();
    std::vector<Cell> start;
    start.reserve(signals);
    for (const GatewaySignal& signal : layout.signals) start.push_back(cell_of(signal.initial));
    std::vector<Override> replacements;
    replacements.reserve(signals);
    for (const Cell& cell : start) replacements.push_back({.value = cell});
    sent = received = Fixed(start);
    overrides = Fixed(replacements);
    // Nothing came yet.
    const auto none = static_cast<std::uint8_t>(interfaces::dbc::Indicator::not_available);
    indicators = Fixed(std::vector<std::uint8_t>(layout.width, none));
    receptions = Fixed(std::vector<Reception>(messages));
    messages_ = Fixed(std::vector<State>(messages));
    std::vector<e2e::Monitor> monitors;
    monitors.reserve(layout.messages.size());
    for (const GatewayMessage& message : layout.messages) monitors.emplace_back(message.protection, message.limits);
    monitors_ = Fixed(monitors);
    std::vector<e2e::FrameSet> sets;
    sets.reserve(layout.sets.size());
    for (const auto& members : layout.sets) sets.emplace_back(members.size());
    sets_ = Fixed(sets);
    applied_ = Fixed(std::vector<std::optional<std::uint8_t>>(layout.sets.size()));
    forced_ = Fixed(std::vector<std::optional<double>>(signals));
    values_ = last_sent_ = Fixed(std::vector<double>(layout.width));
}

void Gateway::initialize(Nanoseconds now) {
    // What the user gave stays; all else begins anew.
    Gateway fresh(*layout_);
    fresh.parameters = parameters;
    fresh.sent = sent;
    fresh.overrides = overrides;
    fresh.silent = silent;
    *this = static_cast<const Gateway&>(fresh);
    start_ = now;
    choose_nodes();
    for (std::size_t i = 0; i < messages_.size(); ++i) {
        messages_[i].next = messages_[i].last = now;
        monitors_[i].start(seconds(now));
        static_cast<void>(collect(i));
        const GatewayMessage& message = layout_->messages[i];
        std::copy_n(values_.data() + message.place, message.width, last_sent_.data() + message.place);
    }
    next_send_ = now;
    if (parameters.receive_period > 0) {
        next_look_ = now + look_period();
        waiting_.reserve(parameters.receive_depth);
    }
}

Nanoseconds Gateway::look_period() const { return std::max(shortest_look, nanoseconds(parameters.receive_period)); }

void Gateway::choose_nodes() {
    std::istringstream words(parameters.nodes);
    std::vector<std::string> nodes;
    for (std::string name; words >> name;) {
        if (std::find(layout_->nodes.begin(), layout_->nodes.end(), name) == layout_->nodes.end())
            throw std::runtime_error("parameter 'nodes' names '" + name + "', which the DBC file does not have" +
                                     interfaces::text::suggestion(name, layout_->nodes));
        nodes.push_back(name);
    }
    for (std::size_t i = 0; i < messages_.size(); ++i) {
        const GatewayMessage& message = layout_->messages[i];
        messages_[i].played = message.is_one_frame && shares(message.senders, nodes);
        messages_[i].watched = message.is_one_frame && !messages_[i].played && shares(message.receivers, nodes);
    }
}

void Gateway::receive(const Frame& frame, Nanoseconds now) {
    if (parameters.receive_period <= 0) return take(frame, now);
    if (waiting_.size() >= parameters.receive_depth)
        ++overruns;
    else
        waiting_.push_back(frame);
}

void Gateway::check(Nanoseconds now) {
    if (parameters.receive_period > 0 && now >= next_look_) {
        for (const Frame& frame : waiting_) take(frame, now);
        waiting_.clear();
        const Nanoseconds period = look_period();
        next_look_ += ((now - next_look_) / period + 1) * period;
    }
    for (std::size_t i = 0; i < messages_.size(); ++i) {
        State& state = messages_[i];
        if (state.played) continue;
        receptions[i].age = seconds(now - state.last);
        if (!state.bad && monitors_[i].at(seconds(now)) == e2e::Verdict::late) blame(i, e2e::Verdict::late, now);
    }
}

/// Bytes from outside: what is not the message it should be changes nothing but what is known of it.
void Gateway::take(const Frame& frame, Nanoseconds now) {
    if (frame.remote || frame.error) return;
    const std::size_t index = layout_->plans.find(frame);
    if (index == interfaces::dbc::Plans::none) return;
    const GatewayMessage& message = layout_->messages[index];
    State& state = messages_[index];
    if (state.played || !message.is_one_frame) return;
    const auto bytes = frame.bytes();
    const auto values = std::span(values_.data() + message.place, message.width);
    const bool whole = bytes.size() >= message.frame.size;
    const e2e::Verdict verdict =
        whole ? monitors_[index].take(seconds(now), bytes.first(message.frame.size)) : e2e::Verdict::wrong_checksum;
    if (verdict != e2e::Verdict::good) return blame(index, verdict, now);
    if (!layout_->plans[index].decode(bytes, values)) return;
    if (message.j1939)
        static_cast<void>(
            layout_->plans[index].indicate(bytes, std::span(indicators.data() + message.place, message.width)));
    state.last = now;
    state.bad = false;
    receptions[index] = {.valid = true, .age = 0, .count = receptions[index].count + 1};
    if (!message.set) return publish(index);
    const std::uint8_t counter = e2e::counter_of(message.protection, bytes);
    if (!sets_[*message.set].take(message.member, counter)) return;
    for (const std::size_t member : layout_->sets[*message.set]) publish(member);
    applied_[*message.set] = counter;
}

void Gateway::publish(std::size_t index) {
    const GatewayMessage& message = layout_->messages[index];
    for (std::size_t i = message.first; i < message.first + message.count; ++i) {
        const GatewaySignal& signal = layout_->signals[i];
        const double physical = values_[message.place + signal.signal];
        if (std::isfinite(physical)) received[i] = cell_of(physical * signal.gain + signal.offset);
    }
}

/// Counts once for each time that a message turns bad; of several at the same time the first is told.
void Gateway::blame(std::size_t message, e2e::Verdict verdict, Nanoseconds now) {
    State& state = messages_[message];
    receptions[message].valid = false;
    if (std::exchange(state.bad, true) || !state.watched) return;
    const double t = seconds(now - start_);
    if (fault.count == 0 || fault.time != t) fault = {fault.count, verdict, message, t};
    ++fault.count;
}

void Gateway::send_due(Nanoseconds now, Node& node) {
    Nanoseconds soonest = never;
    for (std::size_t i = 0; i < messages_.size(); ++i) {
        State& state = messages_[i];
        if (!state.played) continue;
        const Nanoseconds cycle = layout_->messages[i].cycle;
        if (cycle == 0) {
            if (collect(i)) send(i, now, node);
            continue;
        }
        if (state.next <= now) {
            static_cast<void>(collect(i));
            send(i, now, node);
            while (state.next <= now) state.next += cycle;
        }
        soonest = std::min(soonest, state.next);
    }
    next_send_ = soonest;
}

/// The values of a message as they are now; true where they are not those that were sent last.
bool Gateway::collect(std::size_t index) {
    const GatewayMessage& message = layout_->messages[index];
    bool changed = false;
    for (std::size_t i = message.first; i < message.first + message.count; ++i) {
        const GatewaySignal& signal = layout_->signals[i];
        const std::size_t place = message.place + signal.signal;
        values_[place] = (value(i) - signal.offset) / signal.gain;
        changed |= values_[place] != last_sent_[place];
    }
    return changed;
}

double Gateway::value(std::size_t signal) const {
    const GatewaySignal::Kind kind = layout_->signals[signal].kind;
    if (overrides[signal].active) return value_of(overrides[signal].value, kind);
    return forced_[signal] ? *forced_[signal] : value_of(sent[signal], kind);
}

/// NaN has a meaning of its own: the initial value, or not available.
void Gateway::look_for_misfit(std::size_t index, Nanoseconds now) {
    const GatewayMessage& message = layout_->messages[index];
    for (std::size_t i = message.first; i < message.first + message.count; ++i) {
        const std::size_t signal = layout_->signals[i].signal;
        const double value = values_[message.place + signal];
        if (std::isnan(value) || layout_->plans[index].fits(signal, value)) continue;
        misfit = {.signal = i, .given = this->value(i), .time = seconds(now - start_)};
        return;
    }
}

void Gateway::send(std::size_t index, Nanoseconds now, Node& node) {
    const GatewayMessage& message = layout_->messages[index];
    const auto values = std::span(values_.data() + message.place, message.width);
    std::copy(values.begin(), values.end(), last_sent_.data() + message.place);
    if (silent) return;
    if (!misfit) look_for_misfit(index, now);
    Frame frame = message.frame;
    const std::span<std::uint8_t> bytes = std::span(frame.data).first(frame.size);
    if (!layout_->plans[index].encode(values, bytes)) return;
    State& state = messages_[index];
    interfaces::e2e::protect(message.protection, state.counter, bytes);
    state.counter =
        state.counter == message.protection.largest_counter() ? 0 : static_cast<std::uint8_t>(state.counter + 1);
    node.send(frame);
}

std::optional<Nanoseconds> Gateway::next() const {
    const Nanoseconds look = parameters.receive_period > 0 ? next_look_ : never;
    const Nanoseconds next = std::min(next_send_, look);
    if (next == never) return std::nullopt;
    return next;
}

bool Gateway::all_valid() const {
    for (std::size_t i = 0; i < messages_.size(); ++i)
        if (messages_[i].watched && !receptions[i].valid) return false;
    return true;
}

std::string Gateway::explanation() const {
    if (fault.count == 0) return "";
    const GatewayMessage& message = layout_->messages[fault.message];
    std::ostringstream text;
    text << "message " << message.name << " (0x" << std::hex << std::uppercase << message.frame.id << std::dec
         << "): " << interfaces::e2e::name_of(fault.verdict) << " at " << fault.time << " s";
    if (fault.verdict == interfaces::e2e::Verdict::late)
        text << ", nothing good for more than " << message.limits.timeout << " s";
    return text.str();
}

std::string Gateway::explanation_of_misfit() const {
    if (!misfit) return "";
    const GatewaySignal& signal = layout_->signals[misfit->signal];
    const std::size_t message = layout_->message_of(misfit->signal);
    const interfaces::dbc::MessagePlan& plan = layout_->plans[message];
    const double physical = (misfit->given - signal.offset) / signal.gain;
    const double nearest =
        plan.physical(signal.signal, plan.raw(signal.signal, physical)) * signal.gain + signal.offset;
    std::ostringstream text;
    text << "send." << signal.name << " is " << misfit->given << " at " << misfit->time
         << " s, which the bits of the signal do not hold; sent is " << nearest;
    if (layout_->messages[message].j1939) text << " (not available would be NaN)";
    return text.str();
}

}  // namespace fmus::can
