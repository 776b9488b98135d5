#pragma once

#include "master/base/diagnostics.hpp"
#include "master/base/time.hpp"
#include "master/core/node.hpp"
#include "master/core/plan.hpp"
#include "master/core/signals.hpp"
#include "master/core/tap.hpp"
#include "master/core/unit.hpp"
#include "master/core/wiring.hpp"

#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <vector>

namespace master::core {

class Profile;

inline constexpr base::Time never{std::numeric_limits<std::int64_t>::max()};

// x - x is zero for every number; infinities that nobody is given are let pass by the closer look. Four sums, so that
// they do not wait for each other.
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

struct SystemOptions {
    base::Timebase timebase;
    std::vector<base::Duration> periods;   // one per unit
    std::vector<base::Time> extra_points;  // beside the grids: every unit's step ends there; sorted
    base::Time start;
    std::optional<base::Time> stop;  // passed to units only if every unit's last step ends there
    std::optional<double> tolerance;
    double solver_factor = 1;                             // see RunWindow
    std::optional<Hold> hold;                             // overrides every wire's own
    std::vector<std::vector<std::uint32_t>> recorded;     // variables to read per unit, beyond connected outputs
    std::vector<std::vector<std::uint32_t>> free_inputs;  // variables to write per unit, beyond connected inputs
    std::vector<DrivenInput> driven;                      // of the free inputs; those that are no reals are left alone
    std::vector<std::uint32_t> order;                     // for sequential algorithms; empty = automatic
    bool sequential = false;                              // units are stepped one after the other in `order`
};

/// What became of a planned wire. Discrete signals are sampled: the coupling has no order there.
struct Coupling {
    bool continuous = false;    // between continuous reals
    bool sender_first = false;  // the sender has been stepped to the end of the receiver's step already
    Hold hold = Hold::constant;
    int order = 2;  // of the coupling on this wire
};

/// Event iteration over all units that have Event Mode; see `Events`.
class EventIteration {
public:
    virtual ~EventIteration() = default;
    /// After ExitInitializationMode: all participants are in Event Mode.
    virtual void initialize(base::Time t) = 0;
    /// At a communication point: enters Event Mode where that is due.
    virtual void handle_due(base::Time t) = 0;
    /// The next point of the node's grid, or the next clock tick that it takes part in if that is earlier.
    [[nodiscard]] virtual base::Time end_of_step(const Node& node, base::Time t) const = 0;
};

/// Nodes, wires and every value: names are gone, a step is push, step, pull over flat arrays. Algorithms decide the
/// order of those calls; `complete_point` then brings a communication point to rest. `initialize` (initialization.hpp)
/// comes before the first step.
class System {
public:
    System(Plan plan, std::vector<std::unique_ptr<Unit>> units, SystemOptions options, base::Diagnostics& diagnostics);
    ~System();
    System(const System&) = delete;
    System& operator=(const System&) = delete;

    /// All units left Initialization Mode: handles the events of the start time and makes all outputs visible.
    void complete_start();

    /// The node's next step begins at `t`; says where it ends.
    void begin(Node& node, base::Time t);
    /// Holds of all wires into `node` over the step that `begin` began, then hands the inputs to the unit.
    void push(Node& node);
    /// Steps the unit to the end of that step.
    void step(Node& node);
    /// Makes the unit's outputs visible.
    void pull(Node& node);
    /// The same where all nodes share one step: first what every one receives, then each by itself.
    void hold(const StepInterval& step) { wiring_.hold_all(step); }
    void push_step_pull(Node& node, const StepInterval& step);
    [[nodiscard]] StepInterval interval(base::Time begin, base::Time end) const {
        const double now = timebase().seconds(begin);
        const double length = timebase().seconds(end - begin);
        return {begin, end, now, length, now + length};
    }
    /// All units have the same period and never leave its grid: every one begins at every point, and ends at the next.
    [[nodiscard]] bool uniform() const { return uniform_; }
    /// True when the node's next step begins at `t`.
    [[nodiscard]] static bool due(const Node& node, base::Time t) { return node.end == t; }
    /// At a communication point: outputs that can be refreshed are, then events are iterated until nothing is left.
    void complete_point(base::Time t);

    /// Wire values without hold, as they are now; used at rest (initialisation, events, refresh).
    void gather(Node& node);
    void gather(Node& node, const Layout::Slot& slot);
    /// The node handled events: its outputs are read again, and its wires do not extrapolate across the jump.
    void complete_event(Node& node);
    void check_numbers(const Node& node) const;
    void terminate();

    [[nodiscard]] std::span<Node> nodes() { return nodes_; }
    [[nodiscard]] std::span<const std::uint32_t> order() const { return options_.order; }
    [[nodiscard]] Signals& signals() { return signals_; }
    [[nodiscard]] Lanes& free_inputs() { return signals_.inputs; }
    [[nodiscard]] const Plan& plan() const { return plan_; }
    /// What wires remember from step to step; see `Wiring::memory`.
    [[nodiscard]] std::vector<Wiring::Memory> memory() { return wiring_.memory(); }
    /// One for each wire of the plan.
    [[nodiscard]] std::span<const Coupling> couplings() const { return couplings_; }
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

    static void write(Node& node);
    [[nodiscard]] static bool step_unit(Node& node, const StepInterval& step);
    [[nodiscard]] base::Time end_of_step(const Node& node, base::Time t) const;
    [[nodiscard]] bool step_measured(Node& node, const StepInterval& step);
    /// The step was no plain one: see the node's `result`.
    void take_result(Node& node);
    void handle_event_or_end(Node& node);
    [[nodiscard]] std::uint32_t index_of_node(const Node& node) const {
        return static_cast<std::uint32_t>(&node - nodes_.data());
    }
    void check_outputs() const;
    void check_outputs(base::Time t) const;  // of those that became visible at `t`
    void find_nan() const;
    [[noreturn]] void refuse(const Node& node) const;
    void refresh_and_handle_events(base::Time t);
    void refresh(base::Time t);

    Plan plan_;
    std::vector<Coupling> couplings_;
    SystemOptions options_;
    std::vector<Node> nodes_;
    Signals signals_;
    Wiring wiring_;
    std::set<std::vector<std::uint32_t>> references_;  // of the fast paths; equal ones once
    std::vector<std::uint32_t> refreshed_;             // nodes with outputs to refresh, in order
    bool uniform_ = false;
    bool refreshes_or_events_ = false;  // a communication point is not complete without
    std::unique_ptr<EventIteration> events_;
    std::atomic<const Node*> terminated_by_{nullptr};  // units may be stepped on several threads
    std::span<Tap* const> taps_;
    Profile* profile_ = nullptr;
};

// The three calls of a step are inline: beside the unit's own calls they are what a step costs.

inline void System::begin(Node& node, base::Time t) {
    node.begin = t;
    node.end = node.leaves_grid ? end_of_step(node, t) : t + node.period;
}

inline void System::write(Node& node) {
    if (node.fast.write != nullptr) [[likely]] {
        node.fast.write(node.fast);
        return;
    }
    node.unit->write(Group{}, node.input_block);
    node.unit->update_fast_path(node.fast);
}

inline void System::push(Node& node) {
    wiring_.hold(node.usual);
    if (node.has_other_wires) wiring_.hold(node.wires, interval(node.begin, node.end));
    write(node);
}

inline bool System::step_unit(Node& node, const StepInterval& step) {
    if (step.until < node.fast.plain_until) [[likely]]
        return node.fast.step(node.fast, step, node.result);
    node.result = node.unit->step(step.begin, step.end - step.begin);
    return false;
}

inline void System::step(Node& node) {
    const StepInterval whole = interval(node.begin, node.end);
    const bool plain = profile_ == nullptr ? step_unit(node, whole) : step_measured(node, whole);
    node.has_event_or_end = false;
    if (!plain) take_result(node);
}

inline void System::push_step_pull(Node& node, const StepInterval& step) {
    node.begin = step.begin;
    node.end = step.end;
    const FastPath& fast = node.fast;
    if (step.until < fast.plain_until && fast.exchange_and_step != nullptr && profile_ == nullptr) [[likely]] {
        if (fast.exchange_and_step(fast, step, node.visible, node.result)) [[likely]]
            return;
        take_result(node);
    } else {
        write(node);
        this->step(node);
    }
    pull(node);
}

inline void System::pull(Node& node) {
    show(node.visible, node.end);
    if (node.fast.read != nullptr) [[likely]] {
        node.fast.read(node.fast);
    } else {
        node.unit->read(Group{}, node.output_block);
    }
    if (node.has_event_or_end) [[unlikely]]
        handle_event_or_end(node);
}

inline void System::complete_point(base::Time t) {
    if (uniform_ || refreshes_or_events_) {
        check_outputs();
    } else {
        check_outputs(t);
    }
    if (refreshes_or_events_) [[unlikely]]
        refresh_and_handle_events(t);
}

inline void System::check_outputs() const {
    if (!all_numbers(signals_.outputs.reals)) [[unlikely]]
        find_nan();
}

}  // namespace master::core
