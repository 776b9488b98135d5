#include "models/sensing/lidar/rays.hpp"

#include "models/sensing/lidar/four.hpp"

#include <algorithm>
#include <bit>

namespace models::lidar {

void Rays::mount(const Mount& mount) {
    axes_ = mount.pose.linear().cast<float>();
    nearest_ = static_cast<float>(mount.nearest);
    farthest_ = static_cast<float>(mount.farthest);
    origin_ = mount.pose.translation().cast<float>();
    from_ = {origin_.x(), origin_.y(), origin_.z()};
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
    const Face& face = scene.face();
    const Scene::Bounds& bounds = scene.bounds();
    const Face::Limits limits{.bottom = bounds.bottom, .top = bounds.top, .nearest = nearest_, .farthest = farthest_};
    const bool inside = face.surrounds(from_);
    constexpr unsigned all = (1U << width) - 1;
    column_ = std::min(column_, face.columns() - 1);
    queue_.count = 0;
    for (std::size_t first = 0; first < count; first += width) {
        alignas(16) std::array<float, width> dx, dy, dz;
        for (std::size_t i = 0; i < width; i += lanes) {
            const Four x = load(&to_.x[first + i]), y = load(&to_.y[first + i]), z = load(&to_.z[first + i]);
            store(&dx[i], axes_(0, 0) * x + axes_(0, 1) * y + axes_(0, 2) * z);
            store(&dy[i], axes_(1, 0) * x + axes_(1, 1) * y + axes_(1, 2) * z);
            store(&dz[i], axes_(2, 0) * x + axes_(2, 1) * y + axes_(2, 2) * z);
        }
        const Bodies::Directions to{dx.data(), dy.data(), dz.data()};
        Bodies::Hits& hits = hits_[first / width];
        hits.object.fill(nothing);
        hits.range.fill(farthest_);
        if (pass(bounds, to)) continue;
        unsigned open = inside ? face.trace(from_, to, limits, column_, hits) : all;
        for (; open != 0; open &= open - 1) {
            const auto i = static_cast<std::size_t>(std::countr_zero(open));
            const std::size_t last = queue_.count++;
            queue_.x[last] = dx[i];
            queue_.y[last] = dy[i];
            queue_.z[last] = dz[i];
            queue_.ray[last] = static_cast<std::uint8_t>(first + i);
        }
    }
    for (std::size_t first = 0; first < queue_.count; first += width) ask(scene, first);
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
    if (pass(scene.bounds(), {&queue_.x[first], &queue_.y[first], &queue_.z[first]})) return;
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

bool Rays::pass(const Scene::Bounds& bounds, const Bodies::Directions& to) const {
    const float square = origin_.head<2>().squaredNorm();
    const auto inner = static_cast<float>(bounds.inner), outer = static_cast<float>(bounds.outer);
    // From inside the ring a ray goes out through both cylinders, once.
    if (!(inner > 0) || square >= inner * inner) return false;
    const auto top = static_cast<float>(bounds.top), bottom = static_cast<float>(bounds.bottom);
    const float to_inner = inner * inner - square, to_outer = outer * outer - square;
    for (std::size_t i = 0; i < width; i += lanes) {
        const Four x = load(to.x + i), y = load(to.y + i), z = load(to.z + i);
        const Four a = greatest(x * x + y * y, Four{} + 1e-12F), b = origin_.x() * x + origin_.y() * y;
        const Four square_of_b = b * b, rise = z / a;
        const Four first = origin_.z() + rise * (root(square_of_b + a * to_inner) - b);
        const Four last = origin_.z() + rise * (root(square_of_b + a * to_outer) - b);
        if (any((least(first, last) <= top) & (greatest(first, last) >= bottom))) return false;
    }
    return true;
}

}  // namespace models::lidar
