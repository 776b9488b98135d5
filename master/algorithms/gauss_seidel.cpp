#include "master/algorithms/gauss_seidel.hpp"

#include "master/system.hpp"

namespace master::algorithms {
namespace {

class GaussSeidel final : public Algorithm {
public:
    Time advance(System& system, Time t) override {
        const auto nodes = system.nodes();
        // The first end of any step decides; a unit that ends later is read when its period ends.
        for (Node& node : nodes) {
            if (System::due(node, t)) system.begin(node, t);
        }
        const Time next = system.next();
        for (const std::uint32_t index : system.order()) {
            Node& node = nodes[index];
            if (node.begin == t) {
                system.push(node, t);
                system.step(node);
            }
            if (node.end == next) system.pull(node);
        }
        system.settle(next);
        return next;
    }
};

}  // namespace

std::unique_ptr<Algorithm> gauss_seidel(const AlgorithmOptions& /*options*/) { return std::make_unique<GaussSeidel>(); }

}  // namespace master::algorithms
