#include "tests/models/work/planning/task.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

namespace tests {

using models::kinematics::Machine;
using models::planning::Automation;

namespace {

double top_at(const models::wall::Wall& wall, double azimuth) {
    const auto& ring = wall.ring;
    const double column = (azimuth - ring.start) / ring.azimuth_step();
    if (column < 0 || column > static_cast<double>(ring.columns - 1)) return -1e9;
    const auto first = wall.state.heights.begin() +
                       static_cast<std::ptrdiff_t>(static_cast<std::size_t>(std::round(column)) * ring.rows);
    return ring.base + *std::max_element(first, first + static_cast<std::ptrdiff_t>(ring.rows));
}

double above_target(const models::wall::Wall& wall) {
    std::vector<double> above = wall.state.heights;
    for (double& height : above) height = std::max(0.0, height + wall.ring.base);
    return models::wall::volume_of(wall.ring, above);
}

}  // namespace

void EdgeSensor::look(const models::wall::Wall& wall, const models::posture::Posture& kinematics, std::size_t lidar,
                      double travel, Automation::Inputs& inputs) {
    const double* pose = &kinematics.outputs.link_poses[7 * lidar];
    const Eigen::Vector3d eye(pose[0], pose[1], pose[2]);
    const Eigen::Vector3d axis = Eigen::Quaterniond(pose[6], pose[3], pose[4], pose[5]) * Eigen::Vector3d::UnitX();
    const auto& tool = kinematics.outputs.tool_pose;
    const double tool_azimuth = std::atan2(tool[1], tool[0]);
    const double tool_bottom = tool[2] - kinematics.outputs.tool_box[2] / 2;
    std::normal_distribution<double> normal;
    auto& now = past_[seen_++ % cycles];
    for (std::size_t i = 0; i < bins; ++i) {
        const double width = span / static_cast<double>(bins);
        const double azimuth = travel / wall.ring.radius + start + (static_cast<double>(i) + 0.5) * width;
        now[i] = -1e9;
        for (int beside = -2; beside <= 2; ++beside) now[i] = std::max(now[i], top_at(wall, azimuth + beside * width));
        double top = now[i];
        for (std::size_t k = 0; k < std::min(seen_, cycles); ++k) top = std::max(top, past_[k][i]);
        constexpr double memory = 0.9;
        noise_[i] = memory * noise_[i] + std::sqrt(1 - memory * memory) * deviation_ * normal(random_);
        const Eigen::Vector3d point(wall.ring.radius * std::cos(azimuth), wall.ring.radius * std::sin(azimuth), top);
        const double angle = std::acos(std::clamp(axis.dot((point - eye).normalized()), -1.0, 1.0));
        const double beside_tool = wall.ring.radius * (azimuth - tool_azimuth);
        const bool hidden = tool_bottom < top + 0.1 && beside_tool > -0.45 && beside_tool < 0.95;
        inputs.edge_valid[i] = top > -1e8 && angle < 35.2 * std::numbers::pi / 180 && !hidden;
        inputs.edge_height[i] = inputs.edge_valid[i] ? top + noise_[i] : 0;
    }
    inputs.edge_sequence = static_cast<std::int64_t>(seen_);
}

AxisValues Task::start(const Machine& machine, const models::planning::ToolPlace& place) {
    models::planning::ToolMover mover(machine);
    const Automation::Parameters usual;
    auto axes = mover.reach(place, {.offset = usual.offset});
    if (!axes) throw std::runtime_error("the start pose is out of reach");
    (*axes)[mover.jaw()] = usual.jaw_open;
    return *axes;
}

Task::Task(const Machine& machine, const Setup& setup)
    : Task(machine, setup, std::make_unique<IdealDrive>(machine, start(machine), setup.gain)) {}

Task::Task(const Machine& machine, const Setup& setup, std::unique_ptr<Drive> moved_by)
    : automation(machine),
      ecu(machine),
      drive(std::move(moved_by)),
      kinematics(machine),
      edge_(setup.noise_seed, setup.noise) {
    models::control::tune(ecu);
    for (std::size_t i = 0; i < machine.links.size(); ++i)
        if (machine.links[i].name == "lidar") lidar_ = i;
    wall.notches = setup.notches;
    wall.notches.seed = setup.notch_seed;
    wall.initialize(0);
    automation.initialize(0);
    automation.inputs.start = true;
    ecu.initialize(0);
    above_at_start_ = above_target(wall);
    sense();
}

void Task::sense() {
    kinematics.inputs.position = drive->position();
    kinematics.inputs.velocity = drive->velocity();
    kinematics.evaluate(time);
    auto& readings = ecu.inputs.readings.values;
    for (std::size_t i = 0; i < ecu.sensors().axis_count(); ++i)
        readings[i] = ecu.sensors().kind(i) == models::kinematics::Sensors::Kind::inclinometer
                          ? kinematics.outputs.inclination[i]
                          : kinematics.outputs.measured[i];
}

void Task::run(double limit, const std::function<void(double)>& observe) {
    constexpr double h = 1e-3;
    const auto steps = static_cast<std::size_t>(std::round(limit / h));
    for (std::size_t k = 0; k < steps && !automation.finished(); ++k) {
        time = static_cast<double>(k) * h;
        if (k % 10 == 0) {
            sense();
            wall.inputs.tool = {kinematics.outputs.tool_pose, kinematics.outputs.tool_box};
            const std::size_t jaw = automation.mover().jaw();
            wall.inputs.jaw_position = kinematics.inputs.position[jaw];
            wall.inputs.jaw_velocity = kinematics.inputs.velocity[jaw];
            wall.step(time, 10 * h);
            if (observe) observe(time);
        }
        if (k % 100 == 0) {
            heard_ = automation.outputs;
            edge_.start = automation.parameters.edge_start;
            edge_.span = automation.parameters.edge_span;
            edge_.look(wall, kinematics, lidar_, drive->position()[automation.mover().travel()], automation.inputs);
            automation.inputs.readings = ecu.inputs.readings;
            automation.inputs.status = ecu.outputs.status;
            if (spoil) spoil(time, automation.inputs);
            automation.step(time, 100 * h);
        }
        ecu.inputs.target = heard_.target;
        ecu.inputs.enable = heard_.enable;
        ecu.inputs.jaw_pressures = drive->jaw();
        drive->step(time, h, ecu.outputs.command, wall.state.tool_external);
        ecu.step(time, h);
    }
}

double Task::lowest() const {
    return wall.ring.base + *std::min_element(wall.state.heights.begin(), wall.state.heights.end());
}

double Task::left_above_target() const { return above_target(wall) / above_at_start_; }

}  // namespace tests
