#include "master/core/algorithms/jacobi.hpp"

#include "master/core/algorithms/thread_team.hpp"
#include "master/core/system.hpp"

#include <algorithm>

namespace master::core::algorithms {
namespace {

class Jacobi final : public Algorithm {
public:
    explicit Jacobi(const AlgorithmOptions& options) : team_(options.threads, options.always_parallel) {}

    // What all units receive is known before any of them is stepped and read: that makes the order of steps irrelevant,
    // so that units may be stepped in parallel with the same bits.
    base::Time advance(System& system, base::Time t) override {
        const base::Time next = system.uniform() ? advance_together(system, t) : advance_due(system, t);
        system.complete_point(next);
        return next;
    }

    [[nodiscard]] std::uint64_t threaded_rounds() const override { return team_.threaded_rounds(); }

private:
    base::Time advance_together(System& system, base::Time t) {
        const auto nodes = system.nodes();
        const base::Time next = t + nodes.front().period;
        const StepInterval step = system.interval(t, next);
        system.hold(step);
        team_.for_each(nodes, [&system, &step](Node& node) { system.push_step_pull(node, step); });
        return next;
    }

    /// Steps those whose period begins at `t`, and reads those whose period ends first.
    base::Time advance_due(System& system, base::Time t) {
        const auto nodes = system.nodes();
        base::Time earliest = never;
        for (Node& node : nodes) {
            if (System::due(node, t)) {
                system.begin(node, t);
                system.push(node);
            }
            earliest = std::min(earliest, node.end);
        }
        const base::Time next = earliest;
        team_.for_each(nodes, [&system, t, next](Node& node) {
            if (node.begin == t) system.step(node);
            if (node.end == next) system.pull(node);
        });
        return next;
    }

    ThreadTeam team_;
};

}  // namespace

std::unique_ptr<Algorithm> jacobi(const AlgorithmOptions& options) { return std::make_unique<Jacobi>(options); }

}  // namespace master::core::algorithms
