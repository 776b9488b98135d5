#include "master/core/run.hpp"

#include <algorithm>

namespace master::core {

base::Time run(System& system, Algorithm& algorithm, std::span<Tap* const> taps, Pacer& pacer,
               const Interval& interval) {
    base::Time t = interval.from;
    for (Tap* tap : taps) tap->after_step(t, system.signals());
    while (t < interval.to && !system.terminated_by() && pacer.go()) {
        for (Tap* tap : taps) tap->before_step(t, system.free_inputs());
        t = algorithm.advance(system, t);
        // Others have been stepped to the end of the step; a unit alone ends the run where it ended.
        if (const Node* node = system.terminated_by(); node != nullptr && system.nodes().size() == 1)
            t = std::min(t, node->result.reached);
        for (Tap* tap : taps) tap->after_step(t, system.signals());
        pacer.wait_until(t);
    }
    for (Tap* tap : taps) tap->after_last_step(t, system.signals());
    return t;
}

}  // namespace master::core
