#include "models/lidar/rays.hpp"

namespace models::lidar {

void Rays::mount(const Mount& mount) {
    axes_ = mount.pose.linear().cast<float>();
    farthest_ = static_cast<float>(mount.farthest);
    origin_ = mount.pose.translation().cast<float>();
    // Embree leaves these as they are, so they are written once for all packets of a step.
    for (std::size_t i = 0; i < width; ++i) {
        packet_.ray.org_x[i] = origin_.x();
        packet_.ray.org_y[i] = origin_.y();
        packet_.ray.org_z[i] = origin_.z();
        packet_.ray.tnear[i] = static_cast<float>(mount.nearest);
        packet_.ray.time[i] = 0;
        packet_.ray.mask[i] = ~0U;
        packet_.ray.flags[i] = 0;
        packet_.hit.instID[0][i] = RTC_INVALID_GEOMETRY_ID;
    }
}

void Rays::trace(const Pattern& pattern, const Scene& scene, Bodies& bodies, const Pattern::Positions& positions,
                 std::size_t count) {
    pattern.directions(positions, to_);
    bodies.aim({to_.x.data(), to_.y.data(), to_.z.data()}, Pattern::block);
    for (std::size_t first = 0; first < count; first += width) {
        const Bodies::Directions to{&to_.x[first], &to_.y[first], &to_.z[first]};
        Bodies::Hits& hits = hits_[first / width];
        trace_wall(scene, to, hits);
        bodies.trace(to, hits);
    }
}

void Rays::trace_wall(const Scene& scene, const Bodies::Directions& to, Bodies::Hits& hits) {
    alignas(32) static constexpr std::array<int, width> all{-1, -1, -1, -1, -1, -1, -1, -1};
    const auto lane = [](auto* values) { return Eigen::Map<Lane, Eigen::Aligned16>(values); };
    const auto given = [](const float* values) { return Eigen::Map<const Lane, Eigen::Aligned16>(values); };
    const Lane x = given(to.x), y = given(to.y), z = given(to.z);
    const Lane dx = axes_(0, 0) * x + axes_(0, 1) * y + axes_(0, 2) * z;
    const Lane dy = axes_(1, 0) * x + axes_(1, 1) * y + axes_(1, 2) * z;
    const Lane dz = axes_(2, 0) * x + axes_(2, 1) * y + axes_(2, 2) * z;
    if (pass(scene.bounds(), dx, dy, dz)) {
        hits.object.fill(nothing);
        hits.range.fill(farthest_);
        return;
    }
    lane(packet_.ray.dir_x) = dx;
    lane(packet_.ray.dir_y) = dy;
    lane(packet_.ray.dir_z) = dz;
    lane(packet_.ray.tfar).setConstant(farthest_);
    for (unsigned& geometry : packet_.hit.geomID) geometry = RTC_INVALID_GEOMETRY_ID;
    RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    rtcIntersect8(all.data(), scene.handle(), &context, &packet_);

    // Where nothing was hit this is of no meaning; the smallest normal number keeps it finite for a face of no area.
    const Lane nx = lane(packet_.hit.Ng_x), ny = lane(packet_.hit.Ng_y), nz = lane(packet_.hit.Ng_z);
    const Lane length = (nx * nx + ny * ny + nz * nz).max(1e-37F).sqrt();
    lane(hits.cosine.data()) = ((nx * dx + ny * dy + nz * dz).abs() / length).min(1.0F);
    lane(hits.range.data()) = lane(packet_.ray.tfar);
    for (std::size_t i = 0; i < width; ++i)
        hits.object[i] = packet_.hit.geomID[i] == RTC_INVALID_GEOMETRY_ID ? nothing : wall_object;
}

bool Rays::pass(const Scene::Bounds& bounds, const Lane& dx, const Lane& dy, const Lane& dz) const {
    const float square = origin_.head<2>().squaredNorm();
    const auto inner = static_cast<float>(bounds.inner), outer = static_cast<float>(bounds.outer);
    // From inside the ring a ray goes out through both cylinders, once.
    if (!(inner > 0) || square >= inner * inner) return false;
    const Lane a = (dx * dx + dy * dy).max(1e-12F), b = origin_.x() * dx + origin_.y() * dy;
    const auto height_at = [&](float radius) -> Lane {
        return origin_.z() + dz * (((b * b - a * (square - radius * radius)).sqrt() - b) / a);
    };
    const Lane first = height_at(inner), last = height_at(outer);
    const Lane above = first.min(last) - static_cast<float>(bounds.top);
    const Lane below = static_cast<float>(bounds.bottom) - first.max(last);
    return above.max(below).minCoeff() > 0;
}

}  // namespace models::lidar
