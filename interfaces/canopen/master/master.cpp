#include "interfaces/canopen/master/master.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace interfaces::canopen {
namespace {

using EventKind = MasterEvent::Kind;

constexpr std::uint32_t sync_id = 0x80, emergency_id = 0x80, sdo_answer_id = 0x580, sdo_request_id = 0x600,
                        heartbeat_id = 0x700;
/// A second boot-up message so soon cannot be a restart of the same node.
constexpr Time twin_window = std::chrono::milliseconds(20);

/// A heartbeat from before the start command may still be on its way.
constexpr Time settling = std::chrono::milliseconds(50);

void command_nodes(NmtCommand command, std::uint8_t id, Frames& out) {
    out.push_back(make_frame(0, std::array{static_cast<std::uint8_t>(command), id}));
}

}  // namespace

Master::Master(const MasterPlan& plan) : plan_(&plan) {
    for (const PlannedNode& node : plan.nodes) {
        NodeState& added = state.nodes.emplace_back();
        added.pdo_at.resize(node.pdos.size());
    }
    state.values.assign(plan.signals.size(), std::numeric_limits<double>::quiet_NaN());
    state.received_at.resize(plan.signals.size());
}

bool Master::all_running() const {
    return std::ranges::all_of(state.nodes, [](const NodeState& node) { return node.running.phase == Phase::running; });
}

void Master::start(Time now, Frames& out) {
    state.running.started = true;
    state.running.sync_at = now + plan_->settings.sync_period;
    for (std::size_t i = 0; i < state.nodes.size(); ++i) enter(i, Phase::waiting, now);
    command_nodes(NmtCommand::reset_communication, 0, out);
}

void Master::enter(std::size_t node, Phase phase, Time now) {
    state.nodes[node].running.phase = phase;
    state.nodes[node].running.since = now;
    state.nodes[node].running.step = 0;
}

void Master::lose(const MasterEvent& event, Events& events) {
    events.push_back(event);
    state.nodes[event.node].sdo = {};
    const bool for_good = event.kind == EventKind::wrong_identity || event.kind == EventKind::taken_id ||
                          event.kind == EventKind::sdo_abort;
    enter(event.node, for_good ? Phase::refused : Phase::lost, event.time);
}

void Master::advance(Time now, Frames& out, Events& events) {
    if (!state.running.started) start(now, out);
    const MasterSettings& settings = plan_->settings;
    if (settings.sync_period > Time{} && now >= state.running.sync_at) {
        const bool counts = settings.sync_overflow >= 2;
        const std::array counter{state.running.sync_counter};
        out.push_back(make_frame(sync_id, std::span(counter).first(counts ? 1 : 0)));
        state.running.sync_counter = counts && counter[0] < settings.sync_overflow ? counter[0] + 1 : 1;
        state.running.sync_at += settings.sync_period;
        if (state.running.sync_at <= now) state.running.sync_at = now + settings.sync_period;
    }
    for (std::size_t i = 0; i < state.nodes.size(); ++i) watch(i, now, events);
}

std::optional<Time> Master::due() const {
    if (!state.running.started) return std::nullopt;
    std::optional<Time> earliest;
    if (plan_->settings.sync_period > Time{}) earliest = state.running.sync_at;
    for (std::size_t i = 0; i < state.nodes.size(); ++i)
        if (const auto end = patience(i); end && (!earliest || *end < *earliest)) earliest = end;
    return earliest;
}

/// When the node is lost, unless it is heard before.
std::optional<Time> Master::patience(std::size_t node) const {
    const PlannedNode& planned = plan_->nodes[node];
    const NodeState& known = state.nodes[node];
    if (known.running.phase == Phase::waiting) return known.running.since + plan_->settings.boot_patience;
    if (known.sdo.is_busy()) return known.sdo.progress.deadline;
    if (known.running.phase != Phase::running) return std::nullopt;
    std::optional<Time> earliest;
    if (planned.heartbeat_time_out > Time{}) earliest = known.running.heard_at + planned.heartbeat_time_out;
    for (std::size_t i = 0; i < planned.pdos.size(); ++i) {
        if (planned.pdos[i].time_out == Time{}) continue;
        const Time end = known.pdo_at[i] + planned.pdos[i].time_out;
        if (!earliest || end < *earliest) earliest = end;
    }
    return earliest;
}

/// Whatever should have come by now.
void Master::watch(std::size_t node, Time now, Events& events) {
    const PlannedNode& planned = plan_->nodes[node];
    NodeState& known = state.nodes[node];
    const Phase phase = known.running.phase;
    if (phase == Phase::waiting && now >= known.running.since + plan_->settings.boot_patience)
        return lose({.kind = EventKind::no_boot_up, .node = node, .time = now}, events);
    if (known.sdo.is_busy() && now >= known.sdo.progress.deadline)
        return lose({.kind = EventKind::no_answer, .node = node, .time = now, .key = known.sdo.progress.key}, events);
    if (phase != Phase::running) return;
    if (planned.heartbeat_time_out > Time{} && now >= known.running.heard_at + planned.heartbeat_time_out)
        return lose({.kind = EventKind::heartbeat_lost, .node = node, .time = now}, events);
    for (std::size_t i = 0; i < planned.pdos.size(); ++i) {
        const ReceivedPdo& pdo = planned.pdos[i];
        if (pdo.time_out == Time{} || now < known.pdo_at[i] + pdo.time_out) continue;
        return lose({.kind = EventKind::pdo_lost, .node = node, .time = now, .found = pdo.cob_id}, events);
    }
}

void Master::receive(const can::Frame& frame, Time now, Frames& out, Events& events) {
    if (frame.extended || frame.remote || frame.error || frame.fd || frame.size > can::classic_size) return;
    for (std::size_t i = 0; i < plan_->nodes.size(); ++i) {
        const PlannedNode& node = plan_->nodes[i];
        for (std::size_t pdo = 0; pdo < node.pdos.size(); ++pdo)
            if (node.pdos[pdo].cob_id == frame.id) return take_pdo(i, pdo, frame, now, events);
        if (frame.id == heartbeat_id + node.id && frame.size == 1)
            return take_heartbeat(i, frame.data[0] & 0x7F, now, out, events);
        if (frame.id == sdo_answer_id + node.id && frame.size == 8) return take_sdo(i, frame, now, out, events);
        if (frame.id == emergency_id + node.id && frame.size == 8) {
            const auto code = static_cast<std::uint32_t>(load(frame.bytes().first(2)));
            events.push_back(
                {.kind = EventKind::emergency, .node = i, .time = now, .found = code, .expected = frame.data[2]});
            return;
        }
    }
    ++state.running.unknown_frames;
}

void Master::take_heartbeat(std::size_t node, std::uint8_t code, Time now, Frames& out, Events& events) {
    NodeState& known = state.nodes[node];
    known.running.heard_at = now;
    if (code == static_cast<std::uint8_t>(NmtState::initialising)) return take_boot_up(node, now, out, events);
    const bool operates = code == static_cast<std::uint8_t>(NmtState::operational);
    const bool has_settled = now > known.running.since + settling;
    if (known.running.phase == Phase::running && has_settled && !operates)
        lose({.kind = EventKind::left_operational, .node = node, .time = now, .found = code}, events);
    if (known.running.phase != Phase::lost) return;
    enter(node, Phase::waiting, now);  // it is there: bring it up anew
    command_nodes(NmtCommand::reset_communication, plan_->nodes[node].id, out);
}

void Master::take_boot_up(std::size_t node, Time now, Frames& out, Events& events) {
    NodeState& known = state.nodes[node];
    const Phase phase = known.running.phase;
    const bool is_twin = known.running.booted_at != Time{} && now - known.running.booted_at < twin_window;
    if (phase == Phase::refused) return;
    if (is_twin && phase != Phase::waiting && phase != Phase::lost)
        return lose({.kind = EventKind::taken_id, .node = node, .time = now}, events);
    known.running.booted_at = now;
    if (phase == Phase::running) events.push_back({.kind = EventKind::restarted, .node = node, .time = now});
    known.sdo = {};
    enter(node, Phase::checking, now);
    go_on(node, now, out, events);
}

/// The next request, or the next phase when there is none.
void Master::go_on(std::size_t node, Time now, Frames& out, Events& events) {
    const PlannedNode& planned = plan_->nodes[node];
    NodeState& known = state.nodes[node];
    const Time patience = plan_->settings.sdo_patience;
    if (known.running.phase == Phase::checking) {
        if (known.running.step < planned.checks.size())
            return send_sdo(node, begin_upload(known.sdo, planned.checks[known.running.step].key, now, patience), out);
        enter(node, Phase::writing, now);
    }
    if (known.running.step < planned.writes.size()) {
        const Write& write = planned.writes[known.running.step];
        return send_sdo(node, begin_download(known.sdo, write.key, write.bytes, now, patience), out);
    }
    enter(node, Phase::running, now);
    known.running.heard_at = now;
    std::ranges::fill(known.pdo_at, now);
    command_nodes(NmtCommand::start, planned.id, out);
    events.push_back({.kind = EventKind::started, .node = node, .time = now});
}

void Master::take_sdo(std::size_t node, const can::Frame& frame, Time now, Frames& out, Events& events) {
    NodeState& known = state.nodes[node];
    const Phase phase = known.running.phase;
    if (phase != Phase::checking && phase != Phase::writing) return;
    SdoBytes answer{};
    std::copy_n(frame.data.begin(), answer.size(), answer.begin());
    const Key key = known.sdo.progress.key;
    const SdoStep step = take_answer(known.sdo, answer, now, plan_->settings.sdo_patience);
    if (step.request) send_sdo(node, *step.request, out);
    switch (step.result) {
        case SdoStep::Result::goes_on:
            return;
        case SdoStep::Result::aborted:
            return lose({.kind = EventKind::sdo_abort,
                         .node = node,
                         .time = now,
                         .key = key,
                         .found = static_cast<std::uint32_t>(step.abort)},
                        events);
        case SdoStep::Result::unexpected:
            return lose({.kind = EventKind::taken_id, .node = node, .time = now}, events);
        case SdoStep::Result::done:
            if (phase == Phase::checking) take_check(node, now, events);
            if (known.running.phase == Phase::refused) return;
            ++known.running.step;
            return go_on(node, now, out, events);
    }
}

void Master::take_check(std::size_t node, Time now, Events& events) {
    const Write& check = plan_->nodes[node].checks[state.nodes[node].running.step];
    const std::vector<std::uint8_t>& found = state.nodes[node].sdo.bytes;
    if (found == check.bytes) return;
    lose({.kind = EventKind::wrong_identity,
          .node = node,
          .time = now,
          .key = check.key,
          .found = static_cast<std::uint32_t>(load(found)),
          .expected = static_cast<std::uint32_t>(load(check.bytes))},
         events);
}

void Master::take_pdo(std::size_t node, std::size_t pdo, const can::Frame& frame, Time now, Events& events) {
    const ReceivedPdo& planned = plan_->nodes[node].pdos[pdo];
    NodeState& known = state.nodes[node];
    if (known.running.phase != Phase::running) return;
    if (frame.size < planned.size)
        return lose(
            {.kind = EventKind::pdo_length, .node = node, .time = now, .found = frame.size, .expected = planned.size},
            events);
    known.pdo_at[pdo] = now;
    const std::uint64_t all = load(frame.bytes());
    for (const ReceivedSignal& signal : planned.signals) {
        const std::uint64_t mask = signal.bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << signal.bits) - 1;
        const double raw = value_of(signal.type, all >> signal.first_bit & mask);
        state.values[signal.signal] = raw * signal.scale.gain + signal.scale.offset;
        state.received_at[signal.signal] = now;
    }
}

void Master::send_sdo(std::size_t node, const SdoBytes& request, Frames& out) const {
    out.push_back(make_frame(sdo_request_id + plan_->nodes[node].id, request));
}

}  // namespace interfaces::canopen
