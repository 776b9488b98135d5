#pragma once

#include "models/machine/hydraulics/plant.hpp"
#include "models/machine/kinematics/sensors.hpp"
#include "models/machine/mechanics/mechanics.hpp"
#include "models/machine/motion/axes.hpp"
#include "models/work/control/jaw.hpp"

#include <array>
#include <memory>
#include <vector>

namespace tests {

using AxisValues = models::kinematics::Sensors::PerAxis;

/// What moves a machine: commands in, motion out. Axes in the machine's order.
class Drive {
public:
    virtual ~Drive() = default;
    virtual void step(double t, double h, const AxisValues& commands, const std::array<double, 6>& tool) = 0;
    [[nodiscard]] const AxisValues& position() const { return position_; }
    [[nodiscard]] const AxisValues& velocity() const { return velocity_; }
    [[nodiscard]] const models::control::JawPressures& jaw() const { return jaw_; }

protected:
    AxisValues position_{}, velocity_{};
    models::control::JawPressures jaw_;
};

/// Ideal axes, `gain` times as fast as the controller assumes.
class IdealDrive final : public Drive {
public:
    IdealDrive(const models::kinematics::Machine& machine, const AxisValues& start, double gain);
    void step(double t, double h, const AxisValues& commands, const std::array<double, 6>& tool) override;
    /// The axis as good as stands still from now on.
    void block(std::size_t axis);

private:
    void report();

    std::vector<std::size_t> plant_axis_;
    models::motion::Axes axes_;
};

/// The full hydraulic plant and the masses, coupled sequentially, from the holding forces of the start.
class HydraulicDrive final : public Drive {
public:
    HydraulicDrive(const models::kinematics::Machine& machine, const AxisValues& start);
    void step(double t, double h, const AxisValues& commands, const std::array<double, 6>& tool) override;

private:
    void report();

    std::vector<std::size_t> plant_axis_;
    models::Mechanics mechanics_;
    models::hydraulics::Plant plant_;
};

}  // namespace tests
