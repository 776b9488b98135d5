#pragma once

#include "master/base/time.hpp"
#include "master/core/signals.hpp"
#include "master/core/system.hpp"
#include "master/core/unit.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace master::core {

/// Event iteration over all units that have Event Mode: time events, discrete inputs that changed, time-based clocks
/// that are due, and output clocks that trigger other units' input clocks, until nothing is left. Units that share
/// clock wires meet at every tick of any of their clocks.
class Events final : public EventIteration {
public:
    /// Null when no unit has Event Mode.
    static std::unique_ptr<Events> make(System& system);
    explicit Events(System& system);
    ~Events() override;

    /// True when the unit has clocks, so that its steps may end between two points of its grid.
    [[nodiscard]] static bool has_clocks(const Unit& unit);

    void initialize(base::Time t) override;
    void handle_due(base::Time t) override;
    [[nodiscard]] base::Time end_of_step(const Node& node, base::Time t) const override;

private:
    struct Clock;
    struct ClockWire;
    struct Member;
    enum class Turn : std::uint8_t;

    void make_members();
    static void show_clocks(Member& member, const Layout& layout, std::uint8_t* lane);
    void make_clock_wires();
    void start_clocks(base::Time t);
    void enter(Member& member);
    void mark_due(base::Time t);
    bool propagate(base::Time t);
    bool spread_clocks();
    bool trigger(Member& member);
    void exchange();
    void break_circle();
    void count_receivers(const Member& member, int change);
    void write(Member& member);
    void read(const Member& member);
    static void tick(Member& member, std::uint32_t clock);
    static void show(const Member& member, std::uint32_t clock);
    static void activate_groups(Member& member, std::uint32_t clock);
    bool inputs_changed(Member& member);
    void remember_inputs(Member& member);
    void schedule(Member& member, base::Time t);
    bool update(base::Time t);
    void iterate(base::Time t);
    void tell_taps(base::Time t);
    void announce(base::Time t);

    System& system_;
    std::vector<Member> members_;
    std::vector<std::uint32_t> member_of_;  // per node
    std::vector<base::Time> next_tick_;     // per cluster
    std::vector<std::uint32_t> ticking_;
    std::vector<ClockInterval> intervals_;
};

}  // namespace master::core
