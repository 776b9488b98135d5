#include "models/work/control/tuning.hpp"

#include "models/machine/hydraulics/machines.hpp"

namespace models::control {

Tuning tuning_of(std::string_view axis) {
    const hydraulics::Machine machine = hydraulics::demolition_excavator();
    Tuning tuning{.speeds = machine.speeds[0]};
    for (std::size_t i = 0; i < machine.parameters.count; ++i)
        if (machine.names[i] == axis) tuning.speeds = machine.speeds[i];
    // A motor turns or travels further than a cylinder strokes.
    if (axis == "rotate") return {tuning.speeds, 3, 2e-3, 0.3};
    if (axis == "travel") return {tuning.speeds, 0.3, 2e-3, 0.3};
    return tuning;
}

}  // namespace models::control
