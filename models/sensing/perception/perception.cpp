#include "models/sensing/perception/perception.hpp"

#include "models/sensing/edge/view.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <stdexcept>

namespace models::perception {
namespace {

Eigen::Vector3d half_of(const kinematics::Body& body) {
    if (const auto* box = std::get_if<kinematics::Box>(&body.shape)) return box->size / 2;
    const auto& capsule = std::get<kinematics::Capsule>(body.shape);
    return {capsule.radius, capsule.radius, capsule.radius + capsule.length / 2};
}

void check(const Perception::Parameters& parameters) {
    const auto require = [](bool fine, const char* name) {
        if (!fine) throw std::invalid_argument(std::string("perception: parameter '") + name + "' is not positive");
    };
    require(parameters.in_front > 0, "in_front");
    require(parameters.behind > 0, "behind");
    require(parameters.margin > 0, "margin");
    require(parameters.field_of_view > 0, "field_of_view");
}

}  // namespace

Perception::Perception(const kinematics::Machine& machine, const std::string& sensor)
    : sensors_(machine),
      tree_(machine),
      joints_(machine.joints.size(), 0),
      positions_(machine.axes.size(), 0),
      poses_(machine.links.size(), Eigen::Isometry3d::Identity()) {
    inputs.readings = sensors_.middle();
    const auto found = std::ranges::find(machine.links, sensor, &kinematics::Link::name);
    if (found == machine.links.end())
        throw std::invalid_argument("the machine '" + machine.name + "' has no link '" + sensor + "' for the sensor");
    sensor_ = static_cast<std::size_t>(found - machine.links.begin());
    // What hangs on the tool's link moves with it.
    std::vector<bool> on_tool(machine.links.size(), false);
    if (machine.tool) on_tool[*machine.tool] = true;
    for (std::size_t j = 0; j < machine.joints.size(); ++j)
        on_tool[j + 1] = on_tool[j + 1] || on_tool[machine.joints[j].parent];
    for (std::size_t link = 0; link < machine.links.size(); ++link) {
        for (const kinematics::Body& body : machine.links[link].bodies)
            guards_.push_back({.link = link, .pose = body.pose, .half = half_of(body), .tool = on_tool[link]});
    }
    spheres_.resize(guards_.size());
    // Where nothing is measured (the jaw), the middle of the stroke stands for the position.
    for (std::size_t axis = 0; axis < sensors_.axis_count(); ++axis) {
        const kinematics::Linkage& linkage = sensors_.axes()[axis];
        if (sensors_.kind(axis) != kinematics::Sensors::Kind::none) continue;
        positions_[axis] = (linkage.stroke().lower + linkage.stroke().upper) / 2;
        joints_[linkage.joint_index()] = linkage.joint(positions_[axis]);
    }
}

void Perception::initialize(double /*t*/) {
    check(parameters);
    edge_ = edge::Edge(parameters.edge);
    outputs = {};
}

void Perception::begin() {
    outputs.wall = outputs.tool = 0;
    fresh_ = false;
    placed_ = true;
    try {
        sensors_.convert(inputs.readings, joints_, positions_);
    } catch (const kinematics::RangeError&) {
        placed_ = false;
        return;
    }
    // The estimate is relative to the machine: it stands at azimuth 0.
    for (std::size_t axis = 0; axis < sensors_.axis_count(); ++axis) {
        if (sensors_.axes()[axis].name() == "travel") joints_[sensors_.axes()[axis].joint_index()] = 0;
    }
    tree_.place({.pitch = inputs.readings.pitch, .roll = inputs.readings.roll}, joints_, poses_);
    sensor_pose_ = poses_[sensor_];
    cosine_ = std::cos(parameters.field_of_view / 2);
    for (Guard& guard : guards_) {
        const Eigen::Isometry3d placed = poses_[guard.link] * guard.pose;
        guard.to_body = placed.inverse();
        guard.middle = placed.translation();
        guard.reach = (guard.half.array() + parameters.margin).matrix().squaredNorm();
        guard.sensor = guard.to_body * sensor_pose_.translation();
        guard.ahead = guard.middle - sensor_pose_.translation();
        guard.distance = guard.ahead.squaredNorm();
        guard.in_sight = in_sight(guard);
    }
    place_spheres();
}

void Perception::place_spheres() {
    sighted_ = 0;
    std::size_t end = guards_.size();
    for (std::size_t i = 0; i < guards_.size(); ++i) {
        const Guard& guard = guards_[i];
        spheres_[guard.in_sight ? sighted_++ : --end] = {.middle = guard.middle, .reach = guard.reach, .guard = i};
    }
}

bool Perception::in_sight(const Guard& guard) const {
    const Eigen::Vector3d& to = guard.ahead;
    const double distance = std::sqrt(guard.distance), radius = std::sqrt(guard.reach);
    if (distance <= radius) return true;
    const double off_axis = std::acos(std::clamp(to.dot(sensor_pose_.linear().col(0)) / distance, -1.0, 1.0));
    constexpr double rounding = 1e-6;  // rad
    return off_axis - std::asin(radius / distance) <= parameters.field_of_view / 2 + rounding;
}

bool Perception::holds(const Guard& guard, const Eigen::Vector3d& point) const {
    const Eigen::Vector3d beyond = (guard.to_body * point).cwiseAbs() - guard.half;
    return beyond.maxCoeff() <= parameters.margin;
}

inline Perception::Owner Perception::owner_of(const Eigen::Vector3d& point, bool seen) const {
    Owner owner = Owner::nobody;
    const std::size_t count = seen ? sighted_ : spheres_.size();
    for (const Sphere& sphere : std::span(spheres_).first(count)) {
        if ((point - sphere.middle).squaredNorm() > sphere.reach) continue;
        const Guard& guard = guards_[sphere.guard];
        if (!holds(guard, point)) continue;
        if (guard.tool) return Owner::tool;
        owner = Owner::machine;
    }
    return owner;
}

void Perception::add(const Point& point) {
    if (!placed_) return;
    fresh_ = true;
    const Eigen::Vector3d from_sensor(point.x, point.y, point.z);
    const Eigen::Vector3d place = sensor_pose_.translation() + sensor_pose_.linear() * from_sensor;
    const Owner owner = owner_of(place, point.x >= cosine_ * from_sensor.norm());
    if (owner == Owner::tool) ++outputs.tool;
    if (owner != Owner::nobody) return;
    const double depth = place.head<2>().norm() - parameters.edge.radius;
    if (depth < -parameters.in_front || depth > parameters.behind) return;
    if (edge_.add_at({.x = place.x(), .y = place.y(), .height = place.z(), .time = point.time})) ++outputs.wall;
}

/// What lies above the sensor's cone cannot be told from what is not there.
void Perception::look_up_to() {
    const Eigen::Vector3d position = sensor_pose_.translation();
    const Eigen::Vector3d axis = sensor_pose_.linear().col(0);
    const edge::View view{.position = {position.x(), position.y(), position.z()},
                          .axis = {axis.x(), axis.y(), axis.z()},
                          .half_angle = parameters.field_of_view / 2};
    for (std::size_t bin = 0; bin < bins; ++bin) {
        const auto height = edge::highest_visible(view, parameters.edge.radius, edge_.azimuth(bin));
        edge_.set_ceiling(bin, height.value_or(parameters.edge.lowest));
    }
}

bool Perception::hides_above(std::size_t bin) const {
    const double azimuth = edge_.azimuth(bin), radius = parameters.edge.radius;
    const auto at = [&](double above) {
        return Eigen::Vector3d(radius * std::cos(azimuth), radius * std::sin(azimuth), edge_.heights()[bin] + above);
    };
    return hidden(at(parameters.edge.agreement)) || hidden(at(2 * parameters.margin));
}

inline bool Perception::far_off(const Guard& guard, const Eigen::Vector3d& along, double per_square) {
    // The squared distance of the middle from the line, which ends at both points.
    const double projection = guard.ahead.dot(along);
    const double part = std::clamp(projection * per_square, 0.0, 1.0);
    const double square = guard.distance - part * (2 * projection - part * along.squaredNorm());
    constexpr double rounding = 1e-6;  // m^2
    return square > guard.reach + rounding;
}

bool Perception::hidden(const Eigen::Vector3d& point) const {
    const Eigen::Vector3d sight = point - sensor_pose_.translation();
    const double per_square = 1 / sight.squaredNorm();
    for (const Guard& guard : guards_) {
        if (far_off(guard, sight, per_square)) continue;
        if (holds(guard, point)) return true;
        // The part of the line of sight inside the box, slab by slab.
        const Eigen::Vector3d& from = guard.sensor;
        const Eigen::Vector3d along = guard.to_body * point - from;
        const Eigen::Vector3d& half = guard.half;
        double enters = 0, leaves = 1;
        for (int i = 0; i < 3 && enters <= leaves; ++i) {
            if (along[i] == 0) {
                if (std::fabs(from[i]) > half[i]) enters = 2;
                continue;
            }
            const double first = (-half[i] - from[i]) / along[i], second = (half[i] - from[i]) / along[i];
            enters = std::max(enters, std::min(first, second));
            leaves = std::min(leaves, std::max(first, second));
        }
        if (enters <= leaves) return true;
    }
    return false;
}

void Perception::finish(double t) {
    look_up_to();
    edge_.update(t);
    for (std::size_t bin = 0; bin < bins; ++bin) {
        outputs.height[bin] = edge_.heights()[bin];
        outputs.valid[bin] = placed_ && edge_.valid()[bin] != 0 && !hides_above(bin);
    }
    if (fresh_) ++outputs.sequence;
}

}  // namespace models::perception
