#include "master/core/events.hpp"

#include "master/base/error.hpp"
#include "master/core/system.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace master::core {

/// A time-based input clock of a unit. Periodic ones count their ticks so that nothing accumulates.
struct Events::Clock {
    std::uint32_t variable = 0;
    base::Time next = never;
    bool periodic = false;  // its interval is in the description: ticks are counted from `origin`
    base::Time origin;
    base::Fraction interval{0, 1};
    std::int64_t count = 0;
};

struct Events::ClockWire {
    std::uint32_t clock = 0;     // output clock variable of the member
    std::uint32_t receiver = 0;  // member
    std::uint32_t receiver_clock = 0;
};

enum class Events::Turn : std::uint8_t { to_come, was_read, done };

struct Events::Member {
    std::uint32_t node = 0;
    std::uint32_t cluster = 0;
    std::vector<Clock> clocks;
    std::vector<ClockWire> wires;
    std::vector<std::pair<std::uint32_t, std::uint8_t*>> shown;            // clock variables, and where they lie
    std::vector<Layout::Slot> watched;                                     // inputs whose change is an event
    std::vector<std::uint32_t> activated;                                  // clock variables of this iteration
    std::vector<std::uint32_t> fresh;                                      // of these, not handed over yet
    std::vector<std::uint32_t> groups;                                     // clock groups of this iteration
    std::vector<std::pair<std::uint32_t, std::uint32_t>> groups_of_clock;  // clock variable and group
    KeptLanes seen;                                                        // watched inputs as the unit knows them
    bool in_event = false;
    // While values are exchanged:
    Turn turn = Turn::done;
    int waits_for = 0;  // senders that must be read before
    bool written = false;
};

namespace {

constexpr int most_iterations = 100;
constexpr std::uint32_t not_a_member = 0xffffffffU;

bool periodic(ClockKind kind) {
    return kind == ClockKind::constant || kind == ClockKind::fixed || kind == ClockKind::calculated ||
           kind == ClockKind::tunable;
}

void add_once(std::vector<std::uint32_t>& list, std::uint32_t item) {
    if (std::ranges::count(list, item) == 0) list.push_back(item);
}

// origin + count * interval, rounded once to the nearest tick.
base::Time tick_time(base::Timebase timebase, base::Time origin, const base::Fraction& interval, std::int64_t count) {
    __extension__ using Wide = __int128;
    const Wide product = Wide{interval.numerator} * count * timebase.ticks_per_second;
    const Wide rounded = (2 * product + interval.denominator) / (2 * Wide{interval.denominator});
    return origin + base::Duration{static_cast<std::int64_t>(rounded)};
}

/// Keeps a value; true when it is another one than before.
bool keep(const Bytes& value, ByteString& kept) {
    if (std::equal(kept.begin(), kept.end(), value.data, value.data + value.size)) return false;
    kept.assign(value.data, value.data + value.size);
    return true;
}
template <typename T>
bool keep(const T& value, T& kept) {
    const bool changed = !(kept == value);
    kept = value;
    return changed;
}

template <typename T, typename Kept>
bool keep(const std::vector<T>& lane, std::uint32_t first, std::uint32_t count, std::vector<Kept>& kept,
          std::size_t& position) {
    bool changed = false;
    for (std::uint32_t i = 0; i < count; ++i, ++position) changed |= keep(lane[first + i], kept[position]);
    return changed;
}

}  // namespace

std::unique_ptr<Events> Events::make(System& system) {
    const auto nodes = system.nodes();
    if (std::ranges::none_of(nodes, [](const Node& node) { return node.events != nullptr; })) return nullptr;
    return std::make_unique<Events>(system);
}

bool Events::has_clocks(const Unit& unit) {
    return std::ranges::any_of(unit.info().variables, [](const Variable& v) { return v.type == Type::clock; });
}

Events::Events(System& system) : system_(system) {
    make_members();
    make_clock_wires();
}

Events::~Events() = default;

void Events::make_members() {
    const auto nodes = system_.nodes();
    member_of_.assign(nodes.size(), not_a_member);
    for (std::uint32_t n = 0; n < nodes.size(); ++n) {
        Node& node = nodes[n];
        if (node.events == nullptr) continue;
        member_of_[n] = static_cast<std::uint32_t>(members_.size());
        Member& member = members_.emplace_back();
        member.node = n;
        const UnitInfo& info = node.unit->info();
        for (std::uint32_t v = 0; v < info.variables.size(); ++v) {
            const Variable& variable = info.variables[v];
            node.clock_limited |= variable.type == Type::clock;
            if (!is_time_based(variable)) continue;
            member.clocks.push_back({.variable = v});
        }
        for (const Layout* layout : {&node.inputs, &node.outputs}) {
            for (const Layout::Slot& slot : layout->slots) {
                for (const std::uint32_t clock : info.variables[slot.variable].clocks) {
                    const std::pair entry{clock, slot.group.index};
                    if (std::ranges::count(member.groups_of_clock, entry) == 0) member.groups_of_clock.push_back(entry);
                }
            }
        }
        show_clocks(member, node.inputs, system_.free_inputs().clocks.data() + node.input_base[index_of(Type::clock)]);
        show_clocks(member, node.outputs, node.output_block.clocks);
        for (const Layout::Slot& slot : node.inputs.slots) {
            const bool continuous = info.variables[slot.variable].variability == Variability::continuous;
            if (slot.group.index == 0 && slot.type != Type::clock && !continuous) member.watched.push_back(slot);
        }
        for (const Layout::Slot& slot : member.watched) {
            with_lane(slot.type, member.seen, [&](auto& lane) { lane.resize(lane.size() + slot.count); });
        }
        member.activated.reserve(16);
        member.fresh.reserve(16);
        member.groups.reserve(16);
    }
}

void Events::show_clocks(Member& member, const Layout& layout, std::uint8_t* lane) {
    for (const Layout::Slot& slot : layout.slots)
        if (slot.type == Type::clock) member.shown.emplace_back(slot.variable, lane + slot.offset);
}

/// Clock connections become a table per sender, and units that they join become one cluster.
void Events::make_clock_wires() {
    std::vector<std::uint32_t> cluster(members_.size());
    std::iota(cluster.begin(), cluster.end(), 0U);
    for (const PlannedWire& wire : system_.plan().wires) {
        const UnitInfo& to = system_.nodes()[wire.to.unit].unit->info();
        if (to.variables[wire.to.variable].type != Type::clock) continue;
        const std::uint32_t sender = member_of_[wire.from.unit];
        const std::uint32_t receiver = member_of_[wire.to.unit];
        if (sender == not_a_member || receiver == not_a_member) continue;
        members_[sender].wires.push_back(
            {.clock = wire.from.variable, .receiver = receiver, .receiver_clock = wire.to.variable});
        const std::uint32_t joined = std::min(cluster[sender], cluster[receiver]);
        const std::uint32_t other = std::max(cluster[sender], cluster[receiver]);
        std::ranges::replace(cluster, other, joined);
    }
    for (std::size_t i = 0; i < members_.size(); ++i) members_[i].cluster = cluster[i];
    next_tick_.assign(members_.size(), never);
}

base::Time Events::end_of_step(const Node& node, base::Time t) const {
    const std::int64_t since_start = (t - system_.start()).ticks;
    const std::int64_t steps = since_start / node.period.ticks + 1;
    const base::Time grid = system_.start() + node.period * steps;
    const std::uint32_t member = member_of_[static_cast<std::size_t>(&node - system_.nodes().data())];
    const base::Time tick = next_tick_[members_[member].cluster];
    return tick > t ? std::min(grid, tick) : grid;
}

void Events::initialize(base::Time t) {
    for (Member& member : members_) {
        member.in_event = true;
        system_.gather(system_.nodes()[member.node]);
        remember_inputs(member);
    }
    start_clocks(t);
    iterate(t);
}

/// Clocks with a stated interval begin at their shift; all others say when.
void Events::start_clocks(base::Time t) {
    const base::Timebase timebase = system_.timebase();
    for (Member& member : members_) {
        const Node& node = system_.nodes()[member.node];
        intervals_.clear();
        node.events->intervals(intervals_);
        for (Clock& clock : member.clocks) {
            const Variable& variable = node.unit->info().variables[clock.variable];
            clock.periodic = periodic(variable.clock_kind) && variable.clock_interval.has_value();
            if (clock.periodic) {
                clock.interval = *variable.clock_interval;
                clock.origin = variable.clock_shift ? tick_time(timebase, t, *variable.clock_shift, 1) : t;
                clock.next = clock.origin;
                continue;
            }
            const auto said = std::ranges::find(intervals_, clock.variable, &ClockInterval::clock);
            if (said != intervals_.end()) clock.next = tick_time(timebase, t, said->seconds, 1);
        }
    }
}

void Events::handle_due(base::Time t) {
    bool any = false;
    for (Member& member : members_) {
        Node& node = system_.nodes()[member.node];
        if (node.end != t) continue;
        const auto next = node.events->next_event_time();
        const bool timed = next && system_.timebase().nearest(*next) <= t;
        const bool clock = std::ranges::any_of(member.clocks, [&](const Clock& c) { return c.next <= t; });
        if (node.result.wants_event_mode || timed || clock || inputs_changed(member)) {
            if (!any) announce(t);
            enter(member);
            any = true;
        }
    }
    if (any) iterate(t);
}

void Events::enter(Member& member) {
    if (member.in_event) return;
    Node& node = system_.nodes()[member.node];
    node.events->enter_event();
    node.result.wants_event_mode = false;
    member.in_event = true;
}

/// Gathers the node's inputs and compares the discrete ones with what the unit was told last.
bool Events::inputs_changed(Member& member) {
    if (member.watched.empty()) return false;
    Node& node = system_.nodes()[member.node];
    bool changed = false;
    std::array<std::size_t, type_count> position{};
    const Lanes& in = system_.signals().inputs;
    for (const Layout::Slot& slot : member.watched) {
        system_.gather(node, slot);
        const std::uint32_t first = node.input_base[index_of(slot.type)] + slot.offset;
        std::size_t& at = position[index_of(slot.type)];
        visit_lane(slot.type, [&](auto lane) { changed |= keep(lane(in), first, slot.count, lane(member.seen), at); });
    }
    return changed;
}

void Events::remember_inputs(Member& member) { static_cast<void>(inputs_changed(member)); }

/// Clocks that are due at `t` are activated in this iteration; periodic ones move on to their next tick.
void Events::mark_due(base::Time t) {
    for (Member& member : members_) {
        for (Clock& clock : member.clocks) {
            if (clock.next > t) continue;
            enter(member);
            tick(member, clock.variable);
            clock.next =
                clock.periodic ? tick_time(system_.timebase(), clock.origin, clock.interval, ++clock.count) : never;
        }
    }
}

/// The clock is active in this iteration, and so are the groups of its variables.
void Events::tick(Member& member, std::uint32_t clock) {
    member.activated.push_back(clock);
    member.fresh.push_back(clock);
    activate_groups(member, clock);
    show(member, clock);
}

/// For those who look on: the clock ticks in this iteration.
void Events::show(const Member& member, std::uint32_t clock) {
    for (const auto& [known, place] : member.shown)
        if (known == clock) *place = 1;
}

void Events::activate_groups(Member& member, std::uint32_t clock) {
    for (const auto& [known, group] : member.groups_of_clock) {
        if (known == clock) add_once(member.groups, group);
    }
}

/// Hands clocks and present values to all units in Event Mode and reads them again. True when that made another clock
/// tick or changed another unit's discrete input, so that it has to be done once more. All clocks of the instant come
/// first, and with output clocks what they announce.
bool Events::propagate(base::Time t) {
    while (spread_clocks()) {
    }
    exchange();
    bool again = false;
    for (Member& member : members_) again |= member.in_event && trigger(member);
    for (Member& member : members_) {
        if (system_.nodes()[member.node].end != t || !inputs_changed(member)) continue;
        enter(member);
        again = true;
    }
    return again;
}

/// One round of clocks that make others tick; true when there is another.
bool Events::spread_clocks() {
    bool again = false;
    for (Member& member : members_) {
        if (!member.in_event) continue;
        if (!member.fresh.empty()) system_.nodes()[member.node].events->activate(member.fresh);
        member.fresh.clear();
        again |= trigger(member);
    }
    return again;
}

/// Clocks of this unit that tick now activate the input clocks they are wired to: output clocks, and those that tick by
/// themselves.
bool Events::trigger(Member& member) {
    Node& node = system_.nodes()[member.node];
    ticking_.clear();
    node.events->active(ticking_);
    for (const std::uint32_t clock : ticking_) {
        show(member, clock);
        for (const auto& [known, group] : member.groups_of_clock) {
            if (known != clock) continue;
            node.unit->read(Group{group}, node.output_block);
            add_once(member.groups, group);
        }
    }
    ticking_.insert(ticking_.end(), member.activated.begin(), member.activated.end());
    bool again = false;
    for (const std::uint32_t clock : ticking_) {
        for (const ClockWire& wire : member.wires) {
            if (wire.clock != clock) continue;
            Member& receiver = members_[wire.receiver];
            if (std::ranges::count(receiver.activated, wire.receiver_clock) > 0) continue;
            enter(receiver);
            tick(receiver, wire.receiver_clock);
            again = true;
        }
    }
    return again;
}

/// Values to and from all units in Event Mode. A unit whose clock was made to tick by another one waits until that one
/// was read.
void Events::exchange() {
    for (Member& member : members_) {
        member.waits_for = 0;
        member.turn = member.in_event ? Turn::to_come : Turn::done;
    }
    for (Member& member : members_) count_receivers(member, 1);
    while (std::ranges::any_of(members_, [](const Member& member) { return member.turn != Turn::done; })) {
        const bool circle = std::ranges::none_of(
            members_, [](const Member& member) { return member.turn != Turn::done && member.waits_for == 0; });
        if (circle) {
            break_circle();
            continue;
        }
        // All of a round are written before any is read, so that their order does not matter.
        for (Member& member : members_) {
            if (member.turn == Turn::done || member.waits_for > 0) continue;
            write(member);
            member.written = true;
        }
        for (Member& member : members_) {
            if (!member.written) continue;
            member.written = false;
            read(member);
            if (member.turn == Turn::to_come) count_receivers(member, -1);
            member.turn = Turn::done;
        }
    }
}

/// Where units wait for each other, what they send does not depend on what they are sent: one of them is read before it
/// is written. Best one with few receivers: bus simulations want to hear their nodes before they are asked.
void Events::break_circle() {
    Member* first = nullptr;
    for (Member& member : members_)
        if (member.turn == Turn::to_come && (first == nullptr || member.wires.size() < first->wires.size()))
            first = &member;
    read(*first);
    count_receivers(*first, -1);
    first->turn = Turn::was_read;
}

/// Units whose clocks a clock of this one, which ticks by itself, made tick in this iteration.
void Events::count_receivers(const Member& member, int change) {
    for (const ClockWire& wire : member.wires) {
        const bool ticks = std::ranges::count(member.activated, wire.clock) > 0 &&
                           std::ranges::count(member.clocks, wire.clock, &Clock::variable) > 0;
        if (ticks) members_[wire.receiver].waits_for += change;
    }
}

void Events::write(Member& member) {
    Node& node = system_.nodes()[member.node];
    system_.gather(node);
    remember_inputs(member);
    node.unit->write(Group{}, node.input_block);
    for (const std::uint32_t group : member.groups) node.unit->write(Group{group}, node.input_block);
}

void Events::read(const Member& member) {
    Node& node = system_.nodes()[member.node];
    node.unit->read(Group{}, node.output_block);
    for (const std::uint32_t group : member.groups) node.unit->read(Group{group}, node.output_block);
}

/// Updates discrete states everywhere; true when a unit wants another round at the same time.
bool Events::update(base::Time t) {
    bool again = false;
    for (Member& member : members_) {
        if (!member.in_event) continue;
        Node& node = system_.nodes()[member.node];
        const EventUpdate update = node.events->update_discrete();
        if (update.terminate) system_.terminated(node);
        again |= update.again;
        schedule(member, t);
        node.unit->read(Group{}, node.output_block);
        member.activated.clear();
        member.groups.clear();
        for (const auto& [clock, place] : member.shown) *place = 0;
    }
    for (Member& member : members_) {
        again |= std::ranges::any_of(member.clocks, [&](const Clock& clock) { return clock.next <= t; });
        if (system_.nodes()[member.node].end != t || !inputs_changed(member)) continue;
        enter(member);
        again = true;
    }
    return again;
}

void Events::schedule(Member& member, base::Time t) {
    if (member.clocks.empty()) return;
    intervals_.clear();
    system_.nodes()[member.node].events->intervals(intervals_);
    for (const ClockInterval& interval : intervals_) {
        const auto clock = std::ranges::find(member.clocks, interval.clock, &Clock::variable);
        if (clock == member.clocks.end() || clock->periodic) continue;
        clock->next = tick_time(system_.timebase(), t, interval.seconds, 1);
    }
}

void Events::iterate(base::Time t) {
    int rounds = 0;
    do {
        mark_due(t);
        while (propagate(t)) {
            if (++rounds > most_iterations) break;
        }
        tell_taps(t);
        if (++rounds <= most_iterations) continue;
        const auto culprit = std::ranges::find_if(members_, &Member::in_event);
        throw base::Error(
            "event-storm",
            fmt::format("unit '{}' at t = {}", system_.nodes()[culprit->node].name, system_.timebase().seconds(t)),
            fmt::format("more than {} event iterations at one time{}", most_iterations,
                        system_.nodes()[culprit->node].unit->last_message()),
            base::Exit::failed);
    } while (update(t));
    std::ranges::fill(next_tick_, never);
    for (Member& member : members_) {
        for (const Clock& clock : member.clocks) {
            next_tick_[member.cluster] = std::min(next_tick_[member.cluster], clock.next);
        }
        if (!member.in_event) continue;
        Node& node = system_.nodes()[member.node];
        node.events->enter_step();
        member.in_event = false;
        system_.complete_event(node);
    }
}

void Events::announce(base::Time t) {
    for (Tap* tap : system_.taps()) tap->before_event(t, system_.signals());
}

void Events::tell_taps(base::Time t) {
    for (Tap* tap : system_.taps()) tap->on_event(t, system_.signals());
}

}  // namespace master::core
