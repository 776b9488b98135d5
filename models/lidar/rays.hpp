#pragma once

#include "models/lidar/pattern.hpp"
#include "models/lidar/scene.hpp"

#include <Eigen/Geometry>
#include <array>
#include <cstdint>

namespace models::lidar {

/// The rays of one block of a scan, in packets of 8 for Embree.
class Rays {
public:
    /// Where all rays begin, and between which ranges they look.
    struct Mount {
        Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
        double nearest = 0, farthest = 0;
    };
    struct Echo {
        float range = 0;   // 0: none
        float cosine = 0;  // of the incidence
        std::uint16_t object = nothing;
    };

    void mount(const Mount& mount);
    /// Follows the first `count` rays into the scene.
    void trace(const Scene& scene, const Pattern::Positions& positions, std::size_t count);
    [[nodiscard]] Echo echo(const Scene& scene, std::size_t k) const {
        const RTCRayHit8& packet = packets_[k / width];
        const unsigned geometry = packet.hit.geomID[k % width];
        if (geometry == RTC_INVALID_GEOMETRY_ID) return {};
        return {packet.ray.tfar[k % width], cosines_[k], scene.object_of(geometry)};
    }
    [[nodiscard]] const Pattern::Directions& directions() const { return to_; }

private:
    static constexpr std::size_t width = 8;

    Eigen::Matrix3f axes_ = Eigen::Matrix3f::Identity();
    float farthest_ = 0;
    Pattern::Directions to_;
    alignas(32) std::array<float, Pattern::block> cosines_{};
    std::array<RTCRayHit8, Pattern::block / width> packets_{};
};

}  // namespace models::lidar
