#include "master/core/algorithms/gauss_seidel.hpp"

#include "master/core/system.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace master::core::algorithms {
namespace {

class GaussSeidel final : public Algorithm {
public:
    base::Time advance(System& system, base::Time t) override {
        const auto nodes = system.nodes();
        // The first end of any step decides; a unit that ends later is read when its period ends.
        base::Time next = never, next_on_grid = never;
        waits_.resize(nodes.size());
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            Node& node = nodes[i];
            if (System::due(node, t)) {
                system.begin(node, t);
                waits_[i] = true;
            }
            next = std::min(next, node.end);
            if (!node.clock_limited) next_on_grid = std::min(next_on_grid, node.end);
        }
        // Ticks between two points are for the units with clocks. The others wait for the point: those behind in the
        // order have to see what those before them computed, whoever ticks meanwhile.
        const bool between = next < next_on_grid && next_on_grid != never;
        for (const std::uint32_t index : system.order()) {
            Node& node = nodes[index];
            if (waits_[index] && (node.clock_limited || !between)) {
                system.push(node);
                system.step(node);
                waits_[index] = false;
            }
            if (node.end == next) system.pull(node);
        }
        system.complete_point(next);
        return next;
    }

private:
    std::vector<std::uint8_t> waits_;  // by node: its step has begun and is not computed yet
};

}  // namespace

std::unique_ptr<Algorithm> gauss_seidel(const AlgorithmOptions& /*options*/) { return std::make_unique<GaussSeidel>(); }

}  // namespace master::core::algorithms
