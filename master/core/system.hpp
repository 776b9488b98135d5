#pragma once

#include "master/base/diagnostics.hpp"
#include "master/base/time.hpp"
#include "master/core/holds.hpp"
#include "master/core/plan.hpp"
#include "master/core/quick.hpp"
#include "master/core/signals.hpp"
#include "master/core/tap.hpp"
#include "master/core/unit.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace master::core {

class Events;
class Profile;

inline constexpr base::Time never{std::numeric_limits<std::int64_t>::max()};

/// A range of one of the system's wire tables.
struct Range {
    std::uint32_t first = 0, last = 0;
    [[nodiscard]] bool empty() const { return first == last; }
};

/// A wire of reals that is held constant.
struct DirectWire {
    std::uint32_t from = 0, to = 0, count = 1;
    std::uint32_t sender = 0;
    double gain = 1, offset = 0;
};

/// A part of a table, by its ends: a loop over it begins without arithmetic.
template <typename T>
struct Slice {
    T* first = nullptr;
    T* last = nullptr;
    [[nodiscard]] T* begin() const { return first; }
    [[nodiscard]] T* end() const { return last; }
};

inline constexpr std::size_t cache_line = 64;

/// One participant of a run: its unit, its slices, and where its step stands.
struct alignas(cache_line) Node {
    // What every step touches comes first, in two cache lines.
    base::Time visible;     // the time that the unit's outputs, as the system shows them, belong to
    base::Time begin, end;  // of the step under way, or of the last one
    Quick quick;
    StepResult result;           // of the last step that was no plain one
    Slice<EvenWire> even;        // the usual kind of its incoming wires
    bool other_wires = false;    // it has some of other kinds: `direct`, `held`, `foreseen`, `others`
    bool clock_limited = false;  // shares clocks with others: its steps end at clock ticks
    bool stirred = false;        // the last step brought an event or the end: see `result`
    std::unique_ptr<Unit> unit;
    Block output_block;
    ConstBlock input_block;
    base::Duration period;
    Range direct, held, foreseen, others;
    std::array<std::uint32_t, type_count> input_base{}, output_base{};
    EventUnit* events = nullptr;
    std::string name;
    Layout inputs, outputs;
    const PlannedUnit* planned = nullptr;
};

// x - x is zero for every number; infinities are let pass by the closer look. Four sums, so that they do not wait for
// each other.
[[nodiscard]] inline bool all_numbers(std::span<const double> x) {
    double a = 0, b = 0, c = 0, d = 0;
    std::size_t i = 0;
    for (; i + 4 <= x.size(); i += 4) {
        a += x[i] - x[i];
        b += x[i + 1] - x[i + 1];
        c += x[i + 2] - x[i + 2];
        d += x[i + 3] - x[i + 3];
    }
    for (; i < x.size(); ++i) a += x[i] - x[i];
    return a + b + c + d == 0;
}

/// A wire of a continuous real from a unit that knows its future.
struct ForeseenWire {
    const Foresight* sender = nullptr;
    std::uint32_t variable = 0;
    std::uint32_t to = 0;
    Hold hold = Hold::compensated;
    double gain = 1, offset = 0;
};

/// A wire of another type, or between types. Rare enough to look at its kind in the step.
struct OtherWire {
    Type from_type = Type::integer, to_type = Type::integer;
    std::uint32_t from = 0, to = 0, count = 1;
    std::uint32_t sender = 0;
    double gain = 1, offset = 0;
    std::vector<std::pair<std::int64_t, std::int64_t>> table;
};

struct SystemOptions {
    base::Timebase timebase;
    std::vector<base::Duration> periods;  // one per unit
    base::Time start;
    std::optional<base::Time> stop;  // passed to units only if every unit's last step ends there
    std::optional<double> tolerance;
    std::optional<Hold> hold;                             // overrides every wire's own
    std::vector<std::vector<std::uint32_t>> recorded;     // variables to read per unit, beyond connected outputs
    std::vector<std::vector<std::uint32_t>> free_inputs;  // variables to write per unit, beyond connected inputs
    std::vector<std::uint32_t> order;                     // for sequential algorithms; empty = automatic
    bool sequential = false;                              // units are stepped one after the other in `order`
};

/// Nodes, wires and every value: names are gone, a step is push, step, pull over flat arrays. Algorithms decide the
/// order of those calls; `settle` then brings a communication point to rest.
class System {
public:
    System(Plan plan, std::vector<std::unique_ptr<Unit>> units, SystemOptions options, base::Diagnostics& diagnostics);
    ~System();
    System(const System&) = delete;
    System& operator=(const System&) = delete;

    /// Brings all units to their start: dependency order, algebraic loops, events at the start time.
    void initialize(base::Diagnostics& diagnostics);

    /// The node's next step begins at `t`; says where it ends.
    void begin(Node& node, base::Time t);
    /// Holds of all wires into `node` over the step that `begin` began, then hands the inputs to the unit.
    void push(Node& node);
    /// Steps the unit to the end of that step.
    void step(Node& node);
    /// Makes the unit's outputs visible.
    void pull(Node& node);
    /// The same where all nodes share one step: first what every one receives, then each by itself.
    void hold(const Stretch& stretch);
    void push_step_pull(Node& node, const Stretch& stretch);
    [[nodiscard]] Stretch stretch(base::Time begin, base::Time end) const {
        const double now = timebase().seconds(begin);
        const double length = timebase().seconds(end - begin);
        return {begin, end, now, length, now + length};
    }
    /// All units have the same period and no clocks: every one begins at every point, and ends at the next.
    [[nodiscard]] bool uniform() const { return uniform_; }
    /// True when the node's next step begins at `t`.
    [[nodiscard]] static bool due(const Node& node, base::Time t) { return node.end == t; }
    /// At a communication point: outputs that can be refreshed are, then events are iterated until nothing is left.
    void settle(base::Time t);

    /// Wire values without hold, as they are now; used at rest (initialisation, events, refresh).
    void gather(Node& node);
    void gather(Node& node, const Layout::Slot& slot);
    /// The node's outputs jumped: its wires do not extrapolate across that.
    void forget(std::uint32_t node);
    void check_numbers(const Node& node) const;
    void terminate();

    [[nodiscard]] std::span<Node> nodes() { return nodes_; }
    [[nodiscard]] std::span<const std::uint32_t> order() const { return options_.order; }
    [[nodiscard]] Signals& signals() { return signals_; }
    [[nodiscard]] Lanes& free_inputs() { return signals_.inputs; }
    [[nodiscard]] const Plan& plan() const { return plan_; }
    [[nodiscard]] const SystemOptions& options() const { return options_; }
    [[nodiscard]] base::Timebase timebase() const { return options_.timebase; }
    [[nodiscard]] base::Time start() const { return options_.start; }
    /// The unit that ended the run by itself, or null.
    [[nodiscard]] const Node* terminated_by() const { return terminated_by_.load(std::memory_order_relaxed); }
    void terminated(const Node& node) { terminated_by_.store(&node, std::memory_order_relaxed); }
    void watch(std::span<Tap* const> taps) { taps_ = taps; }
    [[nodiscard]] std::span<Tap* const> taps() const { return taps_; }
    void profile(Profile* profile) { profile_ = profile; }

private:
    friend class SystemBuilder;

    void hold(Slice<EvenWire> wires);
    void hold_others(const Node& node);
    void hold_foreseen(const Node& node);
    static void write(Node& node);
    [[nodiscard]] base::Time end_of_step(const Node& node, base::Time t) const;
    /// True when the unit has nothing to tell; else see the node's `result`.
    void judge(Node& node);
    [[nodiscard]] static bool step_unit(Node& node, const Stretch& stretch);
    [[nodiscard]] bool step_measured(Node& node, const Stretch& stretch);
    void look_closer(Node& node);
    template <typename Jumped>
    void forget_if(Jumped jumped);
    void check_outputs() const;
    void check_outputs(base::Time t) const;  // of those that became visible at `t`
    void find_nan() const;
    [[noreturn]] void refuse(const Node& node) const;
    void settle_special(base::Time t);
    void refresh(base::Time t);

    Plan plan_;
    SystemOptions options_;
    std::vector<Node> nodes_;
    Signals signals_;
    std::vector<double> slopes_;   // beside signals_.inputs.reals; empty when no wire is linear
    std::vector<double> history_;  // of held wires
    std::vector<EvenWire> even_;
    std::vector<DirectWire> direct_;
    std::vector<HeldWire> held_;
    std::vector<ForeseenWire> foreseen_;
    std::vector<OtherWire> others_;
    std::vector<std::uint32_t> other_wires_;           // nodes that have wires of other kinds than the usual one
    std::set<std::vector<std::uint32_t>> references_;  // of the short ways; equal ones once
    std::vector<std::uint32_t> refreshed_;             // nodes with outputs to refresh, in order
    bool uniform_ = false;
    bool special_ = false;  // somebody refreshes or has events: `settle` has work
    std::unique_ptr<Events> events_;
    std::atomic<const Node*> terminated_by_{nullptr};  // units may be stepped on several threads
    std::span<Tap* const> taps_;
    Profile* profile_ = nullptr;
};

// The three calls of a step are inline: beside the unit's own calls they are what a step costs.

inline void System::begin(Node& node, base::Time t) {
    node.begin = t;
    node.end = node.clock_limited ? end_of_step(node, t) : t + node.period;
}

inline void System::hold(Slice<EvenWire> wires) {
    const double* outputs = signals_.outputs.reals.data();
    double* inputs = signals_.inputs.reals.data();
    for (EvenWire& wire : wires) {
        const double y = outputs[wire.from];
        const double difference = y - wire.previous;
        wire.previous = y;
        inputs[wire.to] = wire.gain * (y + wire.weight * difference) + wire.offset;
    }
}

inline void System::hold(const Stretch& stretch) {
    hold(Slice<EvenWire>{even_.data(), even_.data() + even_.size()});
    for (const std::uint32_t index : other_wires_) {
        nodes_[index].begin = stretch.begin;
        nodes_[index].end = stretch.end;
        hold_others(nodes_[index]);
    }
}

inline void System::write(Node& node) {
    if (node.quick.write != nullptr) [[likely]] {
        node.quick.write(node.quick);
        return;
    }
    node.unit->write(Group{}, node.input_block);
}

inline void System::push(Node& node) {
    hold(node.even);
    if (node.other_wires) hold_others(node);
    write(node);
}

inline bool System::step_unit(Node& node, const Stretch& stretch) {
    if (stretch.until < node.quick.attention) [[likely]]
        return node.quick.step(node.quick, stretch, node.result);
    node.result = node.unit->step(stretch.begin, stretch.end - stretch.begin);
    return false;
}

inline void System::step(Node& node) {
    const Stretch whole = stretch(node.begin, node.end);
    const bool plain = profile_ == nullptr ? step_unit(node, whole) : step_measured(node, whole);
    node.stirred = false;
    if (!plain) judge(node);
}

inline void System::push_step_pull(Node& node, const Stretch& stretch) {
    node.begin = stretch.begin;
    node.end = stretch.end;
    const Quick& quick = node.quick;
    if (stretch.until < quick.attention && quick.whole != nullptr && profile_ == nullptr) [[likely]] {
        if (quick.whole(quick, stretch, node.visible, node.result)) [[likely]]
            return;
        judge(node);
    } else {
        write(node);
        step(node);
    }
    pull(node);
}

inline void System::pull(Node& node) {
    show(node.visible, node.end);
    if (node.quick.read != nullptr) [[likely]] {
        node.quick.read(node.quick);
    } else {
        node.unit->read(Group{}, node.output_block);
    }
    if (node.stirred) [[unlikely]]
        look_closer(node);
}

inline void System::settle(base::Time t) {
    if (uniform_ || special_) {
        check_outputs();
    } else {
        check_outputs(t);
    }
    if (special_) [[unlikely]]
        settle_special(t);
}

inline void System::check_outputs() const {
    if (!all_numbers(signals_.outputs.reals)) [[unlikely]]
        find_nan();
}

}  // namespace master::core
