#include "models/work/planning/tool_mover.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace models::planning {

using kinematics::Sensors;

namespace {

constexpr double knot_distance = 0.06;  // m along the tool's way: an arm of 3 m bends less than 0.2 mm off it
constexpr double corner_radius = 0.25;

std::size_t axis_named(const kinematics::Machine& machine, const std::string& name) {
    for (std::size_t i = 0; i < machine.axes.size(); ++i)
        if (machine.axes[i].name == name) return i;
    throw std::invalid_argument("machine '" + machine.name + "' has no axis '" + name + "', which the task needs");
}

ToolPlace between(const ToolPlace& a, const ToolPlace& b, double part) {
    return {.along = a.along + part * (b.along - a.along),
            .bottom = a.bottom + part * (b.bottom - a.bottom),
            .travel = a.travel + part * (b.travel - a.travel)};
}

double distance(const ToolPlace& a, const ToolPlace& b) {
    return std::max(std::hypot(a.along - b.along, a.bottom - b.bottom), std::abs(a.travel - b.travel));
}

}  // namespace

ToolMover::ToolMover(const kinematics::Machine& machine)
    : sensors_(machine),
      attachment_(machine),
      tree_(machine),
      travel_(axis_named(machine, "travel")),
      jaw_(axis_named(machine, "jaw")),
      box_(machine.tool_box),
      joints_(tree_->joint_count(), 0.0),
      poses_(tree_->link_count()) {
    if (!machine.tool || box_.minCoeff() <= 0)
        throw std::invalid_argument("machine '" + machine.name + "' has no tool with a box, which the task needs");
}

ToolMover::Measured ToolMover::measure(const Sensors::Readings& readings, const Site& site) {
    Measured measured;
    sensors_.convert(readings, joints_, measured.positions);
    tree_->place({.pitch = readings.pitch, .roll = readings.roll}, joints_, poses_);
    const Eigen::Isometry3d tool = tree_->tool(poses_);
    const double azimuth = joints_[sensors_.axes()[travel_].joint_index()];
    const double seen = std::atan2(tool.translation().y(), tool.translation().x());
    measured.place.travel = measured.positions[travel_];
    measured.place.along = site.radius * (azimuth + std::remainder(seen - azimuth, 2 * std::numbers::pi));
    measured.place.bottom = tool.translation().z() - tool.linear().row(2).cwiseAbs().dot(box_ / 2);
    return measured;
}

std::optional<Axes> ToolMover::reach(const ToolPlace& place, const Site& site) {
    const auto& axes = sensors_.axes();
    if (!axes[travel_].stroke().contain(place.travel)) return std::nullopt;
    const double azimuth = place.along / site.radius, radius = site.radius - site.offset;
    Eigen::Isometry3d target = Eigen::Isometry3d::Identity();
    target.translation() =
        Eigen::Vector3d(radius * std::cos(azimuth), radius * std::sin(azimuth), place.bottom + box_.z() / 2);
    target.linear() = Eigen::AngleAxisd(azimuth + std::numbers::pi / 2, Eigen::Vector3d::UnitZ()).toRotationMatrix();
    joints_[axes[travel_].joint_index()] = axes[travel_].joint(place.travel);
    const auto solution = attachment_->solve({.pitch = site.pitch, .roll = site.roll}, target, joints_);
    if (!solution || solution->margin < site.smallest_margin) return std::nullopt;
    Axes positions{};
    for (std::size_t i = 0; i < axes.size(); ++i)
        if (i != jaw_) positions[i] = axes[i].position(joints_[axes[i].joint_index()]);
    return positions;
}

bool ToolMover::add(Path& path, std::span<const ToolPlace> places, const Site& site) {
    ToolPlace from = places[0];
    for (std::size_t i = 1; i < places.size(); ++i) {
        const ToolPlace& to = places[i];
        const double length = distance(from, to);
        if (length == 0) continue;
        if (i + 1 == places.size()) return add_line(path, from, to, site);
        const double next = distance(to, places[i + 1]);
        const double round = std::min({corner_radius, length, next});
        if (round == 0) continue;
        const ToolPlace enter = between(to, from, round / length), leave = between(to, places[i + 1], round / next);
        if (!add_line(path, from, enter, site) || !add_corner(path, {enter, to, leave}, site)) return false;
        from = leave;
    }
    return true;
}

bool ToolMover::add_line(Path& path, const ToolPlace& from, const ToolPlace& to, const Site& site) {
    const auto knots = static_cast<std::size_t>(std::ceil(distance(from, to) / knot_distance));
    for (std::size_t i = 1; i <= knots; ++i) {
        const auto axes = reach(between(from, to, static_cast<double>(i) / static_cast<double>(knots)), site);
        if (!axes || path.full()) return false;
        path.add(*axes);
    }
    return true;
}

/// A parabola from the first place to the last, with the middle one as the corner it rounds.
bool ToolMover::add_corner(Path& path, const std::array<ToolPlace, 3>& places, const Site& site) {
    const double length = distance(places[0], places[1]) + distance(places[1], places[2]);
    const auto knots = static_cast<std::size_t>(std::ceil(length / knot_distance));
    for (std::size_t i = 1; i <= knots; ++i) {
        const double part = static_cast<double>(i) / static_cast<double>(knots);
        const ToolPlace place = between(between(places[0], places[1], part), between(places[1], places[2], part), part);
        const auto axes = reach(place, site);
        if (!axes || path.full()) return false;
        path.add(*axes);
    }
    return true;
}

}  // namespace models::planning
