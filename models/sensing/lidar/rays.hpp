#pragma once

#include "models/sensing/lidar/bodies.hpp"
#include "models/sensing/lidar/pattern.hpp"
#include "models/sensing/lidar/scene.hpp"

#include <Eigen/Geometry>
#include <array>
#include <cstdint>

namespace models::lidar {

/// The rays of one block of a scan, in packets of 8 as Embree takes them.
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
    /// Follows the first `count` rays to the wall and the bodies of the machine.
    void trace(const Pattern& pattern, const Scene& scene, Bodies& bodies, const Pattern::Positions& positions,
               std::size_t count);
    [[nodiscard]] Echo echo(std::size_t k) const {
        const Bodies::Hits& hits = hits_[k / width];
        if (hits.object[k % width] == nothing) return {};
        return {hits.range[k % width], hits.cosine[k % width], hits.object[k % width]};
    }
    [[nodiscard]] const Pattern::Directions& directions() const { return to_; }

private:
    static constexpr std::size_t width = Bodies::width;

    using Lane = Eigen::Array<float, width, 1>;

    /// Rays that Embree must be asked about, by their numbers in the block.
    struct Queue {
        alignas(32) std::array<float, Pattern::block> x{}, y{}, z{};
        std::array<std::uint8_t, Pattern::block> ray{};
        std::size_t count = 0;
    };

    void trace_wall(const Scene& scene, std::size_t count);
    /// Asks Embree about a packet of the queue.
    void ask(const Scene& scene, std::size_t first);
    /// Whether all rays of a packet pass above or below the wall.
    [[nodiscard]] bool pass(const Scene::Bounds& bounds, const Bodies::Directions& to) const;

    RTCRayHit8 packet_{};
    Pattern::Directions to_;
    std::array<Bodies::Hits, Pattern::block / width> hits_{};
    Queue queue_;
    std::size_t column_ = 0;  // of the face, where the last ray left the ring
    Face::Origin from_;
    float nearest_ = 0, farthest_ = 0;
    Eigen::Vector3f origin_ = Eigen::Vector3f::Zero();
    Eigen::Matrix3f axes_ = Eigen::Matrix3f::Identity();
};

}  // namespace models::lidar
