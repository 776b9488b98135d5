#include "models/machine/collision/overlap.hpp"

#include <fcl/geometry/shape/box.h>
#include <fcl/geometry/shape/capsule.h>
#include <fcl/narrowphase/collision.h>
#include <fcl/narrowphase/collision_result.h>
#include <fcl/narrowphase/distance.h>
#include <fcl/narrowphase/distance_result.h>

/// Boxes against boxes go to FCL's exact test by separating axes. Everything with a capsule is the distance of its axis
/// less its radius, which FCL finds by GJK; where the axis itself is inside the other shape, it is taken as a box
/// without width. FCL's own depth of capsules (EPA) is left alone: it ends the program at some poses.
namespace models::collision {

namespace {

using Eigen::Isometry3d;
using Eigen::Vector3d;
using kinematics::Box;
using kinematics::Capsule;

fcl::Boxd fcl_box(const Box& box) { return fcl::Boxd(box.size.x(), box.size.y(), box.size.z()); }

/// The axis of a capsule as a box without width.
Box axis_box(const Capsule& capsule) {
    constexpr double width = 1e-9;
    return {.size = {width, width, capsule.length}};
}

std::optional<Overlap> of_boxes(const Box& first, const Isometry3d& first_pose, const Box& second,
                                const Isometry3d& second_pose) {
    constexpr std::size_t most_contacts = 16;
    const fcl::Boxd a = fcl_box(first), b = fcl_box(second);
    const fcl::CollisionRequestd request(most_contacts, true);
    fcl::CollisionResultd result;
    fcl::collide(&a, first_pose, &b, second_pose, request, result);
    std::optional<Overlap> deepest;
    for (std::size_t i = 0; i < result.numContacts(); ++i) {
        const fcl::Contactd& contact = result.getContact(i);
        if (deepest && deepest->depth >= contact.penetration_depth) continue;
        // The normal points from the first shape to the second, the position is between both surfaces.
        const Vector3d half = contact.penetration_depth / 2 * contact.normal;
        deepest = {.depth = contact.penetration_depth, .on_first = contact.pos + half, .on_second = contact.pos - half};
    }
    return deepest;
}

/// Shapes reduced to a core, with a skin of the given thickness around it.
template <class A, class B>
std::optional<Overlap> of_cores(const A& first, const Isometry3d& first_pose, const B& second,
                                const Isometry3d& second_pose, double first_skin, double second_skin) {
    fcl::DistanceRequestd request(true);
    request.distance_tolerance = 1e-9;
    fcl::DistanceResultd result;
    const double distance = fcl::distance(&first, first_pose, &second, second_pose, request, result);
    constexpr double touching = 1e-7;  // below, the direction from one to the other is lost
    if (!(distance > touching)) return Overlap{.depth = -1};
    const double depth = first_skin + second_skin - distance;
    if (depth <= 0) return std::nullopt;
    const Vector3d a = result.nearest_points[0], b = result.nearest_points[1];
    const Vector3d direction = (b - a) / distance;
    return Overlap{.depth = depth, .on_first = a + first_skin * direction, .on_second = b - second_skin * direction};
}

/// Cores that overlap themselves: boxes with skins.
std::optional<Overlap> with_skins(const Box& first, const Isometry3d& first_pose, double first_skin, const Box& second,
                                  const Isometry3d& second_pose, double second_skin) {
    std::optional<Overlap> result = of_boxes(first, first_pose, second, second_pose);
    if (!result) return std::nullopt;
    Vector3d direction = result->on_first - result->on_second;
    // Axes that just cross: any direction across both is as good.
    if (direction.norm() < 1e-12) direction = first_pose.linear().col(2).cross(second_pose.linear().col(2));
    if (direction.norm() < 1e-12) direction = first_pose.linear().col(0);
    direction.normalize();
    result->depth += first_skin + second_skin;
    result->on_first += first_skin * direction;
    result->on_second -= second_skin * direction;
    return result;
}

std::optional<Overlap> of(const Box& a, const Isometry3d& at_a, const Box& b, const Isometry3d& at_b) {
    return of_boxes(a, at_a, b, at_b);
}
std::optional<Overlap> of(const Capsule& a, const Isometry3d& at_a, const Box& b, const Isometry3d& at_b) {
    auto result = of_cores(fcl::Capsuled(0, a.length), at_a, fcl_box(b), at_b, a.radius, 0);
    if (result && result->depth < 0) return with_skins(axis_box(a), at_a, a.radius, b, at_b, 0);
    return result;
}
std::optional<Overlap> of(const Box& a, const Isometry3d& at_a, const Capsule& b, const Isometry3d& at_b) {
    auto result = of(b, at_b, a, at_a);
    if (result) std::swap(result->on_first, result->on_second);
    return result;
}
std::optional<Overlap> of(const Capsule& a, const Isometry3d& at_a, const Capsule& b, const Isometry3d& at_b) {
    auto result = of_cores(fcl::Capsuled(0, a.length), at_a, fcl::Capsuled(0, b.length), at_b, a.radius, b.radius);
    if (result && result->depth < 0) return with_skins(axis_box(a), at_a, a.radius, axis_box(b), at_b, b.radius);
    return result;
}

}  // namespace

std::optional<Overlap> overlap(const Shape& first, const Isometry3d& first_pose, const Shape& second,
                               const Isometry3d& second_pose) {
    return std::visit([&](const auto& a, const auto& b) { return of(a, first_pose, b, second_pose); }, first, second);
}

}  // namespace models::collision
