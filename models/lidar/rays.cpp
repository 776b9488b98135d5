#include "models/lidar/rays.hpp"

#include <algorithm>

namespace models::lidar {

void Rays::mount(const Mount& mount) {
    axes_ = mount.pose.linear().cast<float>();
    farthest_ = static_cast<float>(mount.farthest);
    origin_ = mount.pose.translation().cast<float>();
    from_ = {origin_.x(), origin_.y(), origin_.z()};
    constexpr double rounding = 1e-3;  // m
    from_nearest_ = mount.nearest + rounding;
    to_farthest_ = mount.farthest - rounding;
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
    trace_wall(scene, count);
    for (std::size_t first = 0; first < count; first += width)
        bodies.trace({&to_.x[first], &to_.y[first], &to_.z[first]}, hits_[first / width]);
}

void Rays::trace_wall(const Scene& scene, std::size_t count) {
    const auto given = [](const float* values) { return Eigen::Map<const Lane, Eigen::Aligned16>(values); };
    const bool inside = scene.face().surrounds(from_);
    column_ = std::min(column_, scene.face().columns() - 1);
    queue_.count = 0;
    for (std::size_t first = 0; first < count; first += width) {
        const Lane x = given(&to_.x[first]), y = given(&to_.y[first]), z = given(&to_.z[first]);
        const Lane dx = axes_(0, 0) * x + axes_(0, 1) * y + axes_(0, 2) * z;
        const Lane dy = axes_(1, 0) * x + axes_(1, 1) * y + axes_(1, 2) * z;
        const Lane dz = axes_(2, 0) * x + axes_(2, 1) * y + axes_(2, 2) * z;
        Bodies::Hits& hits = hits_[first / width];
        hits.object.fill(nothing);
        hits.range.fill(farthest_);
        for (std::size_t i = 0; i < width; ++i) {
            const auto k = static_cast<Eigen::Index>(i);
            const Eigen::Vector3f to(dx[k], dy[k], dz[k]);
            if (inside && settle(scene, to, hits, i)) continue;
            const std::size_t last = queue_.count++;
            queue_.x[last] = to.x();
            queue_.y[last] = to.y();
            queue_.z[last] = to.z();
            queue_.ray[last] = static_cast<std::uint8_t>(first + i);
        }
    }
    for (std::size_t first = 0; first < queue_.count; first += width) ask(scene, first);
}

inline bool Rays::settle(const Scene& scene, const Eigen::Vector3f& to, Bodies::Hits& hits, std::size_t i) {
    const Face::Crossing crossing = scene.face().cross(from_, {to.x(), to.y(), to.z()}, column_);
    const Scene::Bounds& bounds = scene.bounds();
    switch (crossing.answer) {
        case Face::Answer::met:
            // The limits of the range are Embree's, which compares in single precision.
            if (crossing.range < from_nearest_ || crossing.range > to_farthest_) return false;
            hits.range[i] = static_cast<float>(crossing.range);
            hits.cosine[i] = static_cast<float>(crossing.cosine);
            hits.object[i] = wall_object;
            return true;
        case Face::Answer::above:
            return to.z() >= 0 && crossing.height > bounds.top;
        case Face::Answer::below:
            return to.z() <= 0 && crossing.height < bounds.bottom;
        case Face::Answer::unknown:
            break;
    }
    return false;
}

void Rays::ask(const Scene& scene, std::size_t first) {
    const auto lane = [](auto* values) { return Eigen::Map<Lane, Eigen::Aligned16>(values); };
    const std::size_t count = std::min(width, queue_.count - first);
    // What is left of the last packet is one ray once more, for the question whether all pass.
    for (std::size_t i = first + count; i < first + width; ++i) {
        queue_.x[i] = queue_.x[first];
        queue_.y[i] = queue_.y[first];
        queue_.z[i] = queue_.z[first];
    }
    const Lane dx = lane(&queue_.x[first]), dy = lane(&queue_.y[first]), dz = lane(&queue_.z[first]);
    if (pass(scene.bounds(), dx, dy, dz)) return;
    alignas(32) std::array<int, width> asked{};
    std::fill_n(asked.begin(), count, -1);
    lane(packet_.ray.dir_x) = dx;
    lane(packet_.ray.dir_y) = dy;
    lane(packet_.ray.dir_z) = dz;
    lane(packet_.ray.tfar).setConstant(farthest_);
    for (unsigned& geometry : packet_.hit.geomID) geometry = RTC_INVALID_GEOMETRY_ID;
    RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    rtcIntersect8(asked.data(), scene.handle(), &context, &packet_);

    // Where nothing was hit this is of no meaning; the smallest normal number keeps it finite for a face of no area.
    const Lane nx = lane(packet_.hit.Ng_x), ny = lane(packet_.hit.Ng_y), nz = lane(packet_.hit.Ng_z);
    const Lane length = (nx * nx + ny * ny + nz * nz).max(1e-37F).sqrt();
    const Lane cosine = ((nx * dx + ny * dy + nz * dz).abs() / length).min(1.0F);
    for (std::size_t i = 0; i < count; ++i) {
        if (packet_.hit.geomID[i] == RTC_INVALID_GEOMETRY_ID) continue;
        const std::size_t ray = queue_.ray[first + i];
        Bodies::Hits& hits = hits_[ray / width];
        hits.range[ray % width] = packet_.ray.tfar[i];
        hits.cosine[ray % width] = cosine[static_cast<Eigen::Index>(i)];
        hits.object[ray % width] = wall_object;
    }
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
