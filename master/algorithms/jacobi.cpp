#include "master/algorithms/jacobi.hpp"

#include "master/algorithms/thread_team.hpp"
#include "master/system.hpp"

#include <algorithm>

namespace master::algorithms {
namespace {

class Jacobi final : public Algorithm {
public:
    explicit Jacobi(const AlgorithmOptions& options) : team_(options.threads, options.always_parallel) {}

    // All pushes are done before any unit is stepped and read: that makes the order of steps irrelevant, so that units
    // may be stepped in parallel with the same bits.
    Time advance(System& system, Time t) override {
        const auto nodes = system.nodes();
        Time next = never;
        for (Node& node : nodes) {
            if (System::due(node, t)) {
                system.begin(node, t);
                system.push(node);
            }
            next = std::min(next, node.end);
        }
        team_.for_each(nodes, [&](Node& node) {
            if (node.begin == t) system.step(node);
            if (node.end == next) system.pull(node);
        });
        system.settle(next);
        return next;
    }

private:
    ThreadTeam team_;
};

}  // namespace

std::unique_ptr<Algorithm> jacobi(const AlgorithmOptions& options) { return std::make_unique<Jacobi>(options); }

}  // namespace master::algorithms
