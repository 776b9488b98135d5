#include "models/work/steering/steering.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace models::steering {

Steering::Steering(const kinematics::Machine& machine)
    : sensors_(machine),
      tree_(machine),
      joints_(machine.joints.size(), 0),
      positions_(machine.axes.size(), 0),
      poses_(machine.links.size(), Eigen::Isometry3d::Identity()) {}

void Steering::initialize() {
    outputs = {};
    state_ = {};
}

Steering::Levers Steering::steer(const std::optional<View>& view, double t) {
    if (!view || !see(*view)) return {};
    const double jaw = view->jaw;
    const bool jaw_moves = std::abs(jaw - state_.last_jaw) > 1e-3;
    if (jaw_moves) state_.last_jaw = jaw;
    Levers levers;
    switch (outputs.stage) {
        case Stage::watch: {
            const double edge = edge_height(*view);
            if (std::isnan(edge)) return {};
            outputs.target = edge - parameters.depth;
            state_.begin_height = outputs.height;
            state_.begin_jaw = jaw;
            if (stays(true, t)) go_to(Stage::lower, t);
            break;
        }
        case Stage::lower:
            levers.boom = boom_lever(t);
            if (stays(at_target(), t)) go_to(Stage::close, t);
            break;
        case Stage::close:
            levers.jaw = 1;
            if (stays(!jaw_moves, t)) go_to(Stage::open, t);
            break;
        case Stage::open:
            levers.jaw = jaw > state_.begin_jaw ? -1 : 0;
            if (stays(levers.jaw == 0, t)) {
                outputs.target = state_.begin_height;
                go_to(Stage::raise, t);
            }
            break;
        case Stage::raise:
            levers.boom = boom_lever(t);
            if (stays(at_target(), t)) {
                outputs.finished = t;
                go_to(Stage::done, t);
            }
            break;
        case Stage::done:
            break;
    }
    return levers;
}

bool Steering::see(const View& view) {
    try {
        sensors_.convert(view.readings, joints_, positions_);
    } catch (const kinematics::RangeError&) {
        return false;
    }
    // He does not know where along the ring the machine stands: azimuths count from there.
    for (const kinematics::Linkage& axis : sensors_.axes())
        if (axis.name() == "travel") joints_[axis.joint_index()] = 0;
    tree_.place({.pitch = view.readings.pitch, .roll = view.readings.roll}, joints_, poses_);
    const Eigen::Vector3d tool = tree_.tool(poses_).translation();
    outputs.height = tool.z();
    azimuth_ = std::atan2(tool.y(), tool.x());
    return true;
}

/// Mean over what the chamber spans, about a fiftieth of a radian to both sides.
double Steering::edge_height(const View& view) const {
    const double spacing = parameters.edge_span / static_cast<double>(view.edge.size() - 1);
    double sum = 0;
    std::size_t count = 0;
    for (std::size_t i = 0; i < view.edge.size(); ++i) {
        const double azimuth = parameters.edge_start + spacing * static_cast<double>(i);
        if (std::abs(azimuth - azimuth_) > 0.02 || std::isnan(view.edge[i])) continue;
        sum += view.edge[i];
        ++count;
    }
    return count == 0 ? std::numeric_limits<double>::quiet_NaN() : sum / static_cast<double>(count);
}

bool Steering::at_target() const { return std::abs(outputs.target - outputs.height) <= parameters.close_enough; }

/// Extending the boom cylinder raises the tool.
double Steering::boom_lever(double t) {
    if (at_target()) return 0;
    const double distance = outputs.target - outputs.height;
    const int direction = distance > 0 ? 1 : -1;
    if (direction == -state_.direction) state_.careful = true;
    state_.direction = direction;
    if (state_.careful) {
        if (t - state_.pull_begin >= parameters.pull + parameters.patience) state_.pull_begin = t;
        if (t - state_.pull_begin >= parameters.pull) return 0;
    }
    return direction * std::clamp(parameters.gain * std::abs(distance), parameters.slowest, 1.0);
}

bool Steering::stays(bool now_true, double t) {
    if (!now_true) state_.there = false;
    if (now_true && !state_.there) {
        state_.there = true;
        state_.since = t;
    }
    return state_.there && t - state_.since >= parameters.settled;
}

void Steering::go_to(Stage stage, double t) {
    outputs.stage = stage;
    state_.there = false;
    state_.since = t;
    state_.direction = 0;
}

}  // namespace models::steering
