#include "master/algorithms/jacobi.hpp"

#include "master/algorithms/thread_team.hpp"
#include "master/system.hpp"

#include <algorithm>

namespace master::algorithms {
namespace {

class Jacobi final : public Algorithm {
public:
    explicit Jacobi(const AlgorithmOptions& options) : team_(options.threads, options.always_parallel) {}

    // What all units receive is known before any of them is stepped and read: that makes the order of steps irrelevant,
    // so that units may be stepped in parallel with the same bits.
    Time advance(System& system, Time t) override {
        const Time next = system.uniform() ? advance_together(system, t) : advance_due(system, t);
        system.settle(next);
        return next;
    }

    [[nodiscard]] std::uint64_t threaded_rounds() const override { return team_.threaded_rounds(); }

private:
    Time advance_together(System& system, Time t) {
        const auto nodes = system.nodes();
        const Time next = t + nodes.front().period;
        const Stretch stretch = system.stretch(t, next);
        system.hold(stretch);
        team_.for_each(nodes, [&system, &stretch](Node& node) { system.push_step_pull(node, stretch); });
        return next;
    }

    /// Steps those whose period begins at `t`, and reads those whose period ends first.
    Time advance_due(System& system, Time t) {
        const auto nodes = system.nodes();
        Time earliest = never;
        for (Node& node : nodes) {
            if (System::due(node, t)) {
                system.begin(node, t);
                system.push(node);
            }
            earliest = std::min(earliest, node.end);
        }
        const Time next = earliest;
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

}  // namespace master::algorithms
