#pragma once

#include "models/machine/hydraulics/machines.hpp"
#include "models/machine/hydraulics/plant.hpp"

namespace tests {

/// The demolition excavator's plant with a mass, a load, friction and end stops on every axis, coupled sequentially:
/// the motion first, then the plant. All axes work, several at a time.
class WorkingCycle {
public:
    explicit WorkingCycle(models::hydraulics::Solver solver);
    /// Moves the masses by `h` under the present forces and hands their motion to the plant.
    void move(double t, double h);
    /// Both.
    void step(double t, double h);

    models::hydraulics::Plant plant;
    models::hydraulics::PerAxis<double> position{}, velocity{};

    static constexpr double duration = 12;
};

}  // namespace tests
