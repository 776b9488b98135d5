#pragma once

#include "master/signals.hpp"
#include "master/time.hpp"
#include "master/unit.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace master {

class System;
struct Node;

/// Event iteration over all units that have Event Mode: time events, discrete inputs that changed, time-based clocks
/// that are due, and output clocks that trigger other units' input clocks, until nothing is left. Units that share
/// clock wires meet at every tick of any of their clocks.
class Events {
public:
    /// Null when no unit has Event Mode.
    static std::unique_ptr<Events> make(System& system);
    explicit Events(System& system);
    ~Events();

    /// True when the unit has clocks, so that its steps may end between two points of its grid.
    [[nodiscard]] static bool has_clocks(const Unit& unit);

    /// After ExitInitializationMode: all participants are in Event Mode.
    void initialize(Time t);
    /// At a communication point: enters Event Mode where that is due.
    void settle(Time t);
    /// The next point of the node's grid, or the next clock tick of its cluster if that is earlier.
    [[nodiscard]] Time end_of_step(const Node& node, Time t) const;

private:
    struct Clock;
    struct ClockWire;
    struct Member;

    void make_members();
    void make_clock_wires();
    void start_clocks(Time t);
    void enter(Member& member);
    void mark_due(Time t);
    bool propagate(Time t);
    bool trigger(Member& member);
    static void tick(Member& member, std::uint32_t clock);
    static void activate_groups(Member& member, std::uint32_t clock);
    bool inputs_changed(Member& member);
    void remember_inputs(Member& member);
    void schedule(Member& member, Time t);
    bool update(Time t);
    void iterate(Time t);
    void tell_taps(Time t);

    System& system_;
    std::vector<Member> members_;
    std::vector<std::uint32_t> member_of_;  // per node
    std::vector<Time> next_tick_;           // per cluster
    std::vector<std::uint32_t> ticking_;
    std::vector<ClockInterval> intervals_;
};

}  // namespace master
