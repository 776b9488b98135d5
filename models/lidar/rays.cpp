#include "models/lidar/rays.hpp"

namespace models::lidar {

void Rays::mount(const Mount& mount) {
    axes_ = mount.pose.linear().cast<float>();
    farthest_ = static_cast<float>(mount.farthest);
    const Eigen::Vector3f origin = mount.pose.translation().cast<float>();
    // Embree leaves these as they are, so they are written once for all blocks of a step.
    for (RTCRayHit8& packet : packets_)
        for (std::size_t i = 0; i < width; ++i) {
            packet.ray.org_x[i] = origin.x();
            packet.ray.org_y[i] = origin.y();
            packet.ray.org_z[i] = origin.z();
            packet.ray.tnear[i] = static_cast<float>(mount.nearest);
            packet.ray.time[i] = 0;
            packet.ray.mask[i] = ~0U;
            packet.ray.flags[i] = 0;
            packet.hit.instID[0][i] = RTC_INVALID_GEOMETRY_ID;
        }
}

void Rays::trace(const Scene& scene, const Pattern::Positions& positions, std::size_t count) {
    alignas(32) static constexpr std::array<int, width> all{-1, -1, -1, -1, -1, -1, -1, -1};
    using Lane = Eigen::Array<float, width, 1>;
    const auto lane = [](auto* values) { return Eigen::Map<Lane, Eigen::Aligned16>(values); };
    Pattern::directions(positions, to_);
    for (std::size_t first = 0; first < count; first += width) {
        RTCRayHit8& packet = packets_[first / width];
        const Lane x = lane(&to_.x[first]), y = lane(&to_.y[first]), z = lane(&to_.z[first]);
        const Lane dx = axes_(0, 0) * x + axes_(0, 1) * y + axes_(0, 2) * z;
        const Lane dy = axes_(1, 0) * x + axes_(1, 1) * y + axes_(1, 2) * z;
        const Lane dz = axes_(2, 0) * x + axes_(2, 1) * y + axes_(2, 2) * z;
        lane(packet.ray.dir_x) = dx;
        lane(packet.ray.dir_y) = dy;
        lane(packet.ray.dir_z) = dz;
        lane(packet.ray.tfar).setConstant(farthest_);
        for (unsigned& geometry : packet.hit.geomID) geometry = RTC_INVALID_GEOMETRY_ID;
        RTCIntersectContext context;
        rtcInitIntersectContext(&context);
        rtcIntersect8(all.data(), scene.handle(), &context, &packet);

        // Where nothing was hit this is of no meaning; the smallest normal number keeps it finite for a face of no
        // area.
        const Lane nx = lane(packet.hit.Ng_x), ny = lane(packet.hit.Ng_y), nz = lane(packet.hit.Ng_z);
        const Lane length = (nx * nx + ny * ny + nz * nz).max(1e-37F).sqrt();
        lane(&cosines_[first]) = ((nx * dx + ny * dy + nz * dz).abs() / length).min(1.0F);
    }
}

}  // namespace models::lidar
