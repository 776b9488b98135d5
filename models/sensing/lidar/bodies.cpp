#include "models/sensing/lidar/bodies.hpp"

#include "models/machine/kinematics/machine.hpp"
#include "models/sensing/lidar/four.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace models::lidar {

namespace {

constexpr double farthest_coordinate = 1e6;
/// A body that is one point cannot be seen.
bool has_extent(const Shape& shape) {
    for (const double value : shape.size)
        if (!(value >= 0) || value > farthest_coordinate)
            throw std::runtime_error("lidar: a body of link " + std::to_string(shape.link) + " has the size " +
                                     std::to_string(value) + " m, expected 0 or above");
    return *std::max_element(shape.size.begin(), shape.size.end()) > 0;
}

}  // namespace

Eigen::Isometry3d pose_of(std::span<const double, 7> pose) {
    const Eigen::Quaterniond turn(pose[6], pose[3], pose[4], pose[5]);
    return Eigen::Translation3d(pose[0], pose[1], pose[2]) * turn.normalized();
}

Eigen::Isometry3d checked_pose(std::span<const double, 7> pose, std::size_t link) {
    const bool finite =
        std::all_of(pose.begin(), pose.end(), [](double value) { return std::abs(value) <= farthest_coordinate; });
    const double norm = pose[3] * pose[3] + pose[4] * pose[4] + pose[5] * pose[5] + pose[6] * pose[6];
    if (finite && norm > 1e-12) return pose_of(pose);
    throw std::runtime_error("lidar: input 'links.poses' of link " + std::to_string(link) +
                             (finite ? " has the quaternion zero" : " is not finite or beyond 1000 km"));
}

std::vector<Shape> shapes_of(const kinematics::Machine& machine) {
    std::vector<Shape> shapes;
    for (std::size_t link = 0; link < machine.links.size(); ++link)
        for (const kinematics::Body& body : machine.links[link].bodies) {
            Shape shape{.link = static_cast<std::uint32_t>(link)};
            const Eigen::Vector3d at = body.pose.translation();
            const Eigen::Quaterniond turn(body.pose.linear());
            shape.pose = {at.x(), at.y(), at.z(), turn.x(), turn.y(), turn.z(), turn.w()};
            if (const auto* box = std::get_if<kinematics::Box>(&body.shape))
                shape.size = {box->size.x(), box->size.y(), box->size.z()};
            if (const auto* capsule = std::get_if<kinematics::Capsule>(&body.shape)) {
                shape.round = true;
                shape.size = {capsule->radius, capsule->length, 0};
            }
            shapes.push_back(shape);
        }
    return shapes;
}

Bodies::Bodies(std::span<const Shape> shapes, std::size_t links) : links_(links) {
    for (const Shape& shape : shapes) {
        if (shape.link >= links || !has_extent(shape)) continue;
        Body body{.link = shape.link, .round = shape.round, .pose = pose_of(shape.pose)};
        if (shape.round) {
            body.half = {shape.size[0], shape.size[1] / 2, 0};
            body.radius = shape.size[0] + shape.size[1] / 2;
        } else {
            body.half = Eigen::Vector3d(shape.size[0], shape.size[1], shape.size[2]) / 2;
            body.radius = body.half.norm();
        }
        bodies_.push_back(body);
    }
    seen_.reserve(bodies_.size());
    aimed_.reserve(bodies_.size());
}

void Bodies::place(std::span<const double> poses, const Sight& sight) {
    if (poses.size() != 7 * links_)
        throw std::runtime_error("lidar: " + std::to_string(poses.size()) + " numbers as poses of " +
                                 std::to_string(links_) + " links, expected 7 each");
    const auto link_pose = [&](std::uint32_t link) {
        return checked_pose(poses.subspan(std::size_t{7} * link).first<7>(), link);
    };
    const Eigen::Isometry3d to_sensor = link_pose(sight.sensor).inverse(Eigen::Isometry);
    nearest_ = static_cast<float>(sight.nearest);
    seen_.clear();
    for (const Body& body : bodies_) {
        if (body.link == sight.sensor) continue;
        const Eigen::Isometry3d pose = to_sensor * link_pose(body.link) * body.pose;
        const Eigen::Vector3d middle = pose.translation();
        // A little larger than the body, for what single precision loses.
        const double distance = middle.norm(), radius = body.radius * (1 + 1e-3) + 1e-3;
        if (distance - radius > sight.farthest) continue;
        if (distance > radius &&
            std::acos(std::clamp(middle.x() / distance, -1.0, 1.0)) - std::asin(radius / distance) > sight.half_angle)
            continue;
        const double sine = distance > radius ? radius / distance : 0;
        const Eigen::Matrix3d to_body = pose.linear().transpose();
        seen_.push_back({.round = body.round,
                         .object = static_cast<std::uint16_t>(first_link + body.link),
                         .middle = middle.cast<float>(),
                         .distance = static_cast<float>(distance),
                         .cosine = static_cast<float>(distance > radius ? std::sqrt(1 - sine * sine) : -1),
                         .sine = static_cast<float>(sine),
                         .outside = static_cast<float>(distance * distance - radius * radius),
                         .to_body = to_body.cast<float>(),
                         .origin = (-(to_body * middle)).cast<float>(),
                         .half = body.half.cast<float>()});
    }
}

void Bodies::aim(const Directions& to, std::size_t count) {
    // A cone around the ray in the middle, wide enough for all.
    const std::size_t middle = count / 2;
    const Eigen::Vector3f axis(to.x[middle], to.y[middle], to.z[middle]);
    Four least_cosine = Four{} + 1;
    for (std::size_t first = 0; first < count; first += lanes)
        least_cosine = least(least_cosine, axis.x() * load(to.x + first) + axis.y() * load(to.y + first) +
                                               axis.z() * load(to.z + first));
    const float cosine = std::min({least_cosine[0], least_cosine[1], least_cosine[2], least_cosine[3]});
    const float sine = std::sqrt(std::max(0.0F, 1 - cosine * cosine));
    aimed_.clear();
    for (std::uint32_t i = 0; i < seen_.size(); ++i) {
        const Placed& body = seen_[i];
        // Both half angles together, as long as they are less than half a turn.
        const bool wide = cosine <= 0 || body.cosine <= 0;
        const float reach = cosine * body.cosine - sine * body.sine;
        constexpr float rounding = 1e-4F;
        if (wide || axis.dot(body.middle) >= (reach - rounding) * body.distance) aimed_.push_back(i);
    }
}

void Bodies::trace(const Directions& to, Hits& hits) const {
    for (const std::uint32_t index : aimed_) {
        const Placed& body = seen_[index];
        for (std::size_t first = 0; first < width; first += lanes) {
            // The part of the way to the middle that a ray goes; it passes the sphere if the rest is too long.
            const Four along = body.middle.x() * load(to.x + first) + body.middle.y() * load(to.y + first) +
                               body.middle.z() * load(to.z + first);
            if (body.outside > 0 && !any((along > 0) & (along * along >= body.outside))) continue;
            if (body.round)
                trace_capsule(body, to, first, hits);
            else
                trace_box(body, to, first, hits);
        }
    }
}

/// The part of a ray inside the box, slab by slab.
void Bodies::trace_box(const Placed& body, const Directions& to, std::size_t first, Hits& hits) const {
    constexpr float parallel = 1e-20F;  // keeps the quotient finite
    const Four x = load(to.x + first), y = load(to.y + first), z = load(to.z + first);
    std::array<Four, 3> direction, enters, leaves;
    for (int i = 0; i < 3; ++i) {
        Four d = body.to_body(i, 0) * x + body.to_body(i, 1) * y + body.to_body(i, 2) * z;
        d = size_of(d) < parallel ? Four{} + parallel : d;
        const Four inverse = 1 / d;
        const Four a = (-body.half[i] - body.origin[i]) * inverse, b = (body.half[i] - body.origin[i]) * inverse;
        const auto k = static_cast<std::size_t>(i);
        direction[k] = d;
        enters[k] = least(a, b);
        leaves[k] = greatest(a, b);
    }
    const Four enter = greatest(greatest(enters[0], enters[1]), enters[2]);
    const Four leave = least(least(leaves[0], leaves[1]), leaves[2]);
    const Four old_range = load(&hits.range[first]);
    const Mask from_outside = enter >= nearest_;
    const Four range = from_outside ? enter : leave;
    const Mask hit = (enter <= leave) & (range >= nearest_) & (range < old_range);
    if (!any(hit)) return;

    // The normal is that of the slab that was crossed last.
    Four cosine = size_of(direction[2]);
    for (const std::size_t i : {1, 0}) {
        const Four slab = from_outside ? enters[i] : leaves[i];
        cosine = slab == range ? size_of(direction[i]) : cosine;
    }
    store(&hits.range[first], hit ? range : old_range);
    store(&hits.cosine[first], hit ? cosine : load(&hits.cosine[first]));
    for (std::size_t i = 0; i < lanes; ++i)
        if (hit[i] != 0) hits.object[first + i] = body.object;
}

/// A ray meets the capsule where it meets its endless cylinder, or beyond the ends of that the sphere there.
void Bodies::trace_capsule(const Placed& body, const Directions& to, std::size_t first, Hits& hits) const {
    const Eigen::Vector3d origin = body.origin.cast<double>();
    const double radius = body.half[0], half = body.half[1];
    for (std::size_t i = first; i < first + lanes; ++i) {
        const Eigen::Vector3d d = body.to_body.cast<double>() * Eigen::Vector3d(to.x[i], to.y[i], to.z[i]);
        const double a = std::max(d.head<2>().squaredNorm(), 1e-30), b = origin.head<2>().dot(d.head<2>());
        const double discriminant = b * b - a * (origin.head<2>().squaredNorm() - radius * radius);
        if (discriminant < 0) continue;
        // Where the ray enters (-1) or leaves (1); below 0 if it passes the ends.
        struct Crossing {
            double range = -1, cosine = 0;
        };
        const auto crossing = [&](double side) -> Crossing {
            double range = (-b + side * std::sqrt(discriminant)) / a;
            const double along = origin.z() + range * d.z(), middle = std::clamp(along, -half, half);
            if (along != middle) {
                const Eigen::Vector3d from(origin.x(), origin.y(), origin.z() - middle);
                const double c = from.dot(d), rest = c * c - from.squaredNorm() + radius * radius;
                if (rest < 0) return {};
                range = -c + side * std::sqrt(rest);
            }
            const Eigen::Vector3d normal = origin + range * d - Eigen::Vector3d(0, 0, middle);
            return {range, std::min(1.0, std::abs(normal.dot(d)) / radius)};
        };
        Crossing found = crossing(-1);
        if (found.range < nearest_) found = crossing(1);
        if (found.range < nearest_ || found.range >= hits.range[i]) continue;
        hits.range[i] = static_cast<float>(found.range);
        hits.cosine[i] = static_cast<float>(found.cosine);
        hits.object[i] = body.object;
    }
}

}  // namespace models::lidar
