#pragma once

#include "master/contracts/verdict.hpp"
#include "master/contracts/watch_list.hpp"
#include "master/core/tap.hpp"

#include <array>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

namespace master::contracts {

/// Watches a run: ranges, not-a-number, rates, resolutions, standing values, periods and their jitter, and ages over
/// chains of units.
/// Signals of a unit are looked at when its steps end. What nobody is interested in costs nothing but the comparison
/// of two signals at a time.
class Monitor final : public core::Tap {
public:
    /// How time runs: `units` are the periods of all units.
    struct Clock {
        base::Timebase timebase;
        base::Time start;
        std::vector<base::Duration> units;
    };
    Monitor(const std::vector<Watched>& signals, Clock clock);

    void after_step(base::Time t, const core::Signals& signals) override;

    [[nodiscard]] std::vector<Verdict> verdicts() const;
    /// True as soon as one promise was.
    [[nodiscard]] bool any_broken() const { return any_broken_; }

private:
    static constexpr double infinite = std::numeric_limits<double>::infinity();
    using Two [[gnu::vector_size(16)]] = double;
    using TwoMasks [[gnu::vector_size(16)]] = std::int64_t;

    /// Two signals at a time, in the run's own units.
    struct PairOfSignals {
        Two low, high, rate;                   // promised
        Two least, most, fastest;              // seen
        Two previous, speed;                   // of the last point
        std::array<std::uint32_t, 2> index{};  // in the lane
        std::array<std::uint32_t, 2> signal{};
    };
    /// Pairs whose values lie in one lane.
    struct Segment {
        enum class Lane : std::uint8_t { outputs, inputs, others } lane = Lane::outputs;
        std::vector<PairOfSignals> pairs;
    };
    struct Quantised {
        std::uint32_t signal;
        core::SignalRef ref;
        double per_quantum, phase;
    };
    struct Standing {
        std::uint32_t signal;
        core::SignalRef ref;
        double longest;
        double value = std::numeric_limits<double>::quiet_NaN();
        base::Time since = {};
        double seen = 0;
    };
    struct Timed {
        std::uint32_t signal;
        double longest;
    };
    /// A signal that may not change again before its period is over, less its jitter.
    struct Paced {
        std::uint32_t signal;
        core::SignalRef ref;
        double shortest;
        double value = std::numeric_limits<double>::quiet_NaN();
        std::optional<base::Time> changed = {};
        double seen = infinite;  // from one change to the next
    };
    /// Signals of units that step together.
    struct Group {
        base::Duration period;
        base::Time next, last;
        bool started = false;
        double longest_interval = 0;
        std::array<Segment, 3> segments;
        std::vector<core::SignalRef> others;  // that are no real numbers
        std::vector<double> values;           // of these
        std::vector<Quantised> quantised;
        std::vector<Standing> standing;
        std::vector<Timed> timed;
        std::vector<Paced> paced;
    };
    /// The age of what arrives at the end of a chain of units.
    struct Chain {
        std::uint32_t signal;
        AgeChain way;
        double longest;
        std::vector<base::Time> given, made;  // when what each unit works on, and what it gives, was measured
        double seen = 0;
    };
    enum Kind : std::uint8_t { range, not_a_number, rate, resolution, standing, period, early, age, kinds };
    struct Trouble {
        double first = 0;
        std::uint64_t count = 0;
        double worst = 0;
    };
    struct Signal {
        Watched watched;
        std::array<Trouble, kinds> troubles;
    };

    void add(const Watched& watched, const core::SignalRef& ref, Group& group);
    [[nodiscard]] Group& group_of(base::Duration step);
    void look(Group& group, base::Time t, const core::Signals& signals);
    void look_closely(const Segment& segment, double t);
    void look_at_few(Group& group, base::Time t, const core::Signals& signals);
    void follow(Chain& chain, base::Time t);
    void broken(std::uint32_t signal, Kind kind, double t, double value);
    [[nodiscard]] Verdict verdict(const Signal& signal, std::uint32_t index) const;

    Clock clock_;
    std::vector<Signal> signals_;
    std::vector<Group> groups_;
    std::vector<Chain> chains_;
    bool any_broken_ = false;
};

}  // namespace master::contracts
