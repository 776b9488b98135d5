#pragma once

#include "models/machine/posture/posture.hpp"
#include "models/site/wall/wall.hpp"
#include "models/work/control/ecu.hpp"
#include "models/work/planning/automation.hpp"
#include "tests/models/work/planning/drives.hpp"
#include "tests/support/shipped_machine.hpp"

#include <array>
#include <functional>
#include <memory>
#include <random>
#include <vector>

namespace tests {

/// The machine of the task, read once.
inline const models::kinematics::Machine& excavator() {
    static const auto machine = shipped_machine("demolition_excavator");
    return machine;
}

/// The edge as perception would give it: the highest wall of the last second, blurred over neighbouring azimuths, with
/// slowly changing noise, only where the LiDAR looks and the tool is not in the way.
class EdgeSensor {
public:
    EdgeSensor(std::uint64_t seed, double noise) : random_(seed), deviation_(noise / 0.6745) {}

    void look(const models::wall::Wall& wall, const models::posture::Posture& kinematics, std::size_t lidar,
              double travel, models::planning::Automation::Inputs& inputs);
    double start = 0, span = 0.3;

private:
    static constexpr std::size_t bins = models::planning::Automation::bins;
    static constexpr std::size_t cycles = 10;

    std::mt19937_64 random_;
    double deviation_;  // noise is given as median error
    std::array<double, bins> noise_{};
    std::array<std::array<double, bins>, cycles> past_{};
    std::size_t seen_ = 0;
};

/// Automation, controller, drive, kinematics and wall at the rates of the excavator system: what a slower unit
/// says is heard at the end of its step.
class Task {
public:
    struct Setup {
        std::uint64_t noise_seed = 1, notch_seed = 0;
        models::wall::Wall::Notches notches;  // their seed is that above
        double noise = 0.015;                 // median error of the edge
        double gain = 1;                      // of the ideal axes' speeds against those the controller assumes
    };
    /// On ideal axes.
    Task(const models::kinematics::Machine& machine, const Setup& setup);
    Task(const models::kinematics::Machine& machine, const Setup& setup, std::unique_ptr<Drive> moved_by);

    /// Where the task begins: the open tool above the near end of the segment.
    [[nodiscard]] static AxisValues start(const models::kinematics::Machine& machine,
                                          const models::planning::ToolPlace& place = {.along = 2.9, .bottom = 2.25});

    /// Runs until the automation has finished or `limit`; called every 10 ms with the time.
    void run(double limit, const std::function<void(double)>& observe = {});

    /// Lets the test spoil what perception says.
    std::function<void(double, models::planning::Automation::Inputs&)> spoil;
    models::planning::Automation automation;
    models::control::Ecu ecu;
    std::unique_ptr<Drive> drive;
    models::posture::Posture kinematics;
    models::wall::Wall wall;
    double time = 0;

    /// Lowest vertex against the target line, and what is left above it as a share of what was there.
    [[nodiscard]] double lowest() const;
    [[nodiscard]] double left_above_target() const;

private:
    void sense();

    EdgeSensor edge_;
    models::planning::Automation::Outputs heard_;
    std::size_t lidar_ = 0;
    double above_at_start_ = 0;
};

}  // namespace tests
