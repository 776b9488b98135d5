#include "master/core/algorithms/gauss_seidel.hpp"

#include "master/core/system.hpp"

#include <algorithm>

namespace master::core::algorithms {
namespace {

class GaussSeidel final : public Algorithm {
public:
    base::Time advance(System& system, base::Time t) override {
        const auto nodes = system.nodes();
        // The first end of any step decides; a unit that ends later is read when its period ends.
        base::Time next = never;
        for (Node& node : nodes) {
            if (System::due(node, t)) system.begin(node, t);
            next = std::min(next, node.end);
        }
        for (const std::uint32_t index : system.order()) {
            Node& node = nodes[index];
            if (node.begin == t) {
                system.push(node);
                system.step(node);
            }
            if (node.end == next) system.pull(node);
        }
        system.complete_point(next);
        return next;
    }
};

}  // namespace

std::unique_ptr<Algorithm> gauss_seidel(const AlgorithmOptions& /*options*/) { return std::make_unique<GaussSeidel>(); }

}  // namespace master::core::algorithms
