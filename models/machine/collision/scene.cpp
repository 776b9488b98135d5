#include "models/machine/collision/scene.hpp"

#include "models/machine/collision/overlap.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numbers>
#include <stdexcept>

namespace models::collision {

namespace {

using Eigen::Isometry3d;
using Eigen::Vector3d;
using kinematics::Box;
using kinematics::Capsule;

double bounding_radius(const Box& box) { return box.size.norm() / 2; }
double bounding_radius(const Capsule& capsule) { return capsule.radius + capsule.length / 2; }

/// Half the extent of a shape along a direction.
double reach(const Box& box, const Isometry3d& pose, const Vector3d& direction) {
    return (box.size / 2).dot((pose.linear().transpose() * direction).cwiseAbs());
}
double reach(const Capsule& capsule, const Isometry3d& pose, const Vector3d& direction) {
    return capsule.radius + capsule.length / 2 * std::abs(pose.linear().col(2).dot(direction));
}

/// Cells of the wall's grid, from the first to before the last.
struct Patch {
    std::size_t first_column = 0, last_column = 0, first_row = 0, last_row = 0;
};

/// Cells are solid up to their highest corner: too much rather than too little.
double cell_height(const RingWall& ring, std::size_t column, std::size_t row) {
    const double* corner = ring.heights.data() + column * ring.rows + row;
    return std::max({corner[0], corner[1], corner[ring.rows], corner[ring.rows + 1]});
}

struct PlacedBox {
    Box box;
    Isometry3d pose = Isometry3d::Identity();
};

/// A straight box around cells of equal height; its inner face is that of the chord.
PlacedBox box_around(const RingWall& ring, const Patch& patch, double height) {
    const double width = (ring.outer_radius - ring.inner_radius) / static_cast<double>(ring.rows - 1);
    const double half_angle = static_cast<double>(patch.last_column - patch.first_column) * ring.azimuth_step / 2;
    const double azimuth =
        ring.first_azimuth + static_cast<double>(patch.first_column) * ring.azimuth_step + half_angle;
    const double inner = (ring.inner_radius + static_cast<double>(patch.first_row) * width) * std::cos(half_angle);
    const double outer = ring.inner_radius + static_cast<double>(patch.last_row) * width;
    PlacedBox result;
    result.box.size = {outer - inner, 2 * outer * std::sin(half_angle), height};
    result.pose.linear() = Eigen::AngleAxisd(azimuth, Vector3d::UnitZ()).toRotationMatrix();
    result.pose.translation() = result.pose.linear() * Vector3d((inner + outer) / 2, 0, ring.base + height / 2);
    return result;
}

/// Whether a face of either box lies between them, with the box around a capsule; cheap, and never true for shapes that
/// overlap. Edges against edges are left to the exact test.
bool apart(const Shape& first, const Isometry3d& first_pose, const Shape& second, const Isometry3d& second_pose) {
    constexpr double rounding = 1e-9;  // m
    const Vector3d between = second_pose.translation() - first_pose.translation();
    const auto separates = [&](const Vector3d& axis) {
        const auto extent = [&](const Shape& shape, const Isometry3d& pose) {
            return std::visit([&](const auto& s) { return reach(s, pose, axis); }, shape);
        };
        return std::abs(between.dot(axis)) > extent(first, first_pose) + extent(second, second_pose) + rounding;
    };
    for (int i = 0; i < 3; ++i)
        if (separates(second_pose.linear().col(i)) || separates(first_pose.linear().col(i))) return true;
    return false;
}

/// The cells that a shape may touch, if they are high enough.
Patch near(const RingWall& ring, const Shape& shape, const Isometry3d& pose) {
    const Vector3d centre = pose.translation();
    const double azimuth = std::atan2(centre.y(), centre.x());
    const Vector3d along{-std::sin(azimuth), std::cos(azimuth), 0};
    const Vector3d outwards{std::cos(azimuth), std::sin(azimuth), 0};
    const auto extent = [&](const Vector3d& direction) {
        return std::visit([&](const auto& s) { return reach(s, pose, direction); }, shape);
    };
    const double sideways = extent(along), radial = extent(outwards), distance = centre.head<2>().norm();
    if (distance - radial > ring.outer_radius || std::hypot(distance + radial, sideways) < ring.inner_radius) return {};
    // Seen from the axis of the ring the shape is widest where it is nearest.
    const double nearest = std::max(distance - radial, 1e-9);
    const double half_angle = std::atan2(sideways, nearest);
    const auto column = [&](double angle) {
        // Azimuths from half a turn before the middle of the wall to half a turn behind it.
        const double middle = ring.first_azimuth + static_cast<double>(ring.columns - 1) * ring.azimuth_step / 2;
        return (middle + std::remainder(azimuth - middle, 2 * std::numbers::pi) + angle - ring.first_azimuth) /
               ring.azimuth_step;
    };
    const double last = static_cast<double>(ring.columns - 1);
    const double from = std::clamp(std::floor(column(-half_angle)), 0.0, last);
    const double to = std::clamp(std::ceil(column(half_angle)), 0.0, last);
    return {.first_column = static_cast<std::size_t>(from),
            .last_column = static_cast<std::size_t>(to),
            .first_row = 0,
            .last_row = ring.rows - 1};
}

/// The largest patch around a cell whose cells are all at least as high, not further than a chord stays close to its
/// arc.
Patch block_around(const RingWall& ring, std::size_t column, std::size_t row) {
    constexpr double longest = 0.5;  // m to either side: the chord is then 4 mm inside a ring of 30 m
    const double height = cell_height(ring, column, row);
    Patch patch{.first_column = column, .last_column = column + 1, .first_row = row, .last_row = row + 1};
    while (patch.first_row > 0 && cell_height(ring, column, patch.first_row - 1) >= height) --patch.first_row;
    while (patch.last_row + 1 < ring.rows && cell_height(ring, column, patch.last_row) >= height) ++patch.last_row;
    const auto as_high = [&](std::size_t at) {
        for (std::size_t k = patch.first_row; k < patch.last_row; ++k)
            if (cell_height(ring, at, k) < height) return false;
        return true;
    };
    const auto cells = static_cast<std::size_t>(longest / (ring.outer_radius * ring.azimuth_step));
    while (patch.first_column > 0 && column - patch.first_column < cells && as_high(patch.first_column - 1))
        --patch.first_column;
    while (patch.last_column + 1 < ring.columns && patch.last_column - column < cells && as_high(patch.last_column))
        ++patch.last_column;
    return patch;
}

double highest_in(const RingWall& ring, const Patch& patch) {
    double highest = 0;
    for (std::size_t column = patch.first_column; column <= patch.last_column; ++column)
        for (std::size_t row = patch.first_row; row <= patch.last_row; ++row)
            highest = std::max(highest, ring.heights[column * ring.rows + row]);
    return highest;
}

/// A shape and the cells of a patch. Halves of it that are apart from the shape are not looked at more closely.
std::optional<Overlap> with_patch(const RingWall& ring, const Patch& patch, const Shape& shape,
                                  const Isometry3d& pose) {
    const double height = highest_in(ring, patch);
    if (height <= 0) return std::nullopt;
    const std::size_t columns = patch.last_column - patch.first_column, rows = patch.last_row - patch.first_row;
    const PlacedBox solid = box_around(ring, patch, height);
    // No straight box is around more than half of a ring.
    const bool straight = static_cast<double>(columns) * ring.azimuth_step < std::numbers::pi / 2;
    if (straight && apart(shape, pose, solid.box, solid.pose)) return std::nullopt;
    if (columns == 1 && rows == 1) {
        if (!overlap(shape, pose, solid.box, solid.pose)) return std::nullopt;
        // A cell is thin and could be left sideways, its neighbours cannot: the depth is that in the block.
        const PlacedBox block = box_around(ring, block_around(ring, patch.first_column, patch.first_row), height);
        return overlap(shape, pose, block.box, block.pose);
    }
    Patch first = patch, second = patch;
    if (columns > 1)
        first.last_column = second.first_column = patch.first_column + columns / 2;
    else
        first.last_row = second.first_row = patch.first_row + rows / 2;
    auto a = with_patch(ring, first, shape, pose), b = with_patch(ring, second, shape, pose);
    if (!a || (b && b->depth > a->depth)) return b;
    return a;
}

std::optional<Overlap> with_wall(const RingWall& ring, const Shape& shape, const Isometry3d& pose) {
    const Patch cells = near(ring, shape, pose);
    if (cells.first_column >= cells.last_column) return std::nullopt;
    return with_patch(ring, cells, shape, pose);
}

void keep_deeper(std::optional<Contact>& deepest, const std::optional<Overlap>& found, std::size_t first,
                 std::int32_t second) {
    if (!found || (deepest && deepest->depth >= found->depth)) return;
    deepest = {.first = static_cast<std::int32_t>(first),
               .second = second,
               .depth = found->depth,
               .point_on_first = found->on_first,
               .point_on_second = found->on_second};
}

}  // namespace

Scene::Scene(const kinematics::Machine& machine) {
    const std::size_t links = machine.links.size();
    ignored_.assign(links * links, false);
    ignores_wall_.assign(links, false);
    // Links that are fixed to each other move as one: they share the first of them.
    std::vector<std::size_t> moves_with(links, 0);
    for (std::size_t i = 0; i < machine.joints.size(); ++i) {
        const kinematics::Joint& joint = machine.joints[i];
        const bool fixed = joint.kind == kinematics::JointKind::fixed;
        moves_with[i + 1] = fixed ? moves_with[joint.parent] : i + 1;
    }
    for (std::size_t i = 0; i < links; ++i) {
        const kinematics::Link& link = machine.links[i];
        names_.push_back(link.name);
        for (const kinematics::Body& body : link.bodies)
            parts_.push_back(
                {.link = i,
                 .body = body,
                 .radius = std::visit([](const auto& shape) { return bounding_radius(shape); }, body.shape)});
        for (std::size_t k = 0; k < links; ++k)
            if (moves_with[i] == moves_with[k]) set_ignored(i, k);
    }
    for (std::size_t i = 0; i < machine.joints.size(); ++i) {
        const kinematics::Joint& joint = machine.joints[i];
        set_ignored(i + 1, joint.parent);
    }
}

void Scene::set_ignored(std::size_t first, std::size_t second) {
    ignored_[first * names_.size() + second] = ignored_[second * names_.size() + first] = true;
}

void Scene::ignore(const std::string& first, const std::string& second) {
    set_ignored(index_of(first), index_of(second));
}

void Scene::ignore_wall(const std::string& link) { ignores_wall_[index_of(link)] = true; }

std::size_t Scene::index_of(const std::string& link) const {
    const auto found = std::find(names_.begin(), names_.end(), link);
    if (found != names_.end()) return static_cast<std::size_t>(found - names_.begin());
    std::string known;
    for (const std::string& name : names_) known += (known.empty() ? "" : ", ") + name;
    throw std::invalid_argument("no link is called '" + link + "', known: " + known);
}

std::optional<Contact> Scene::deepest(std::span<const Isometry3d> links) const {
    std::optional<Contact> deepest;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
        const Part& first = parts_[i];
        const Isometry3d first_pose = links[first.link] * first.body.pose;
        for (std::size_t k = i + 1; k < parts_.size(); ++k) {
            const Part& second = parts_[k];
            if (!may_touch(first.link, second.link)) continue;
            const Isometry3d second_pose = links[second.link] * second.body.pose;
            const double distance = (first_pose.translation() - second_pose.translation()).norm();
            if (distance >= first.radius + second.radius) continue;
            if (apart(first.body.shape, first_pose, second.body.shape, second_pose)) continue;
            keep_deeper(deepest, overlap(first.body.shape, first_pose, second.body.shape, second_pose), first.link,
                        static_cast<std::int32_t>(second.link));
        }
    }
    return deepest;
}

std::optional<Contact> Scene::deepest(std::span<const Isometry3d> links, const RingWall& ring) const {
    std::optional<Contact> result = deepest(links);
    if (ring.columns < 2 || ring.rows < 2) return result;
    assert(ring.heights.size() == ring.columns * ring.rows);
    for (const Part& part : parts_)
        if (!ignores_wall_[part.link])
            keep_deeper(result, with_wall(ring, part.body.shape, links[part.link] * part.body.pose), part.link, wall);
    return result;
}

}  // namespace models::collision
