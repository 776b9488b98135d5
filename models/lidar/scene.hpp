#pragma once

#include "models/wall/ring.hpp"

#include <Eigen/Geometry>
#include <array>
#include <cstdint>
#include <embree3/rtcore.h>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace models::kinematics {
struct Machine;
}

namespace models::lidar {

/// x y z qx qy qz qw as a transformation; the quaternion need not have length 1.
[[nodiscard]] Eigen::Isometry3d pose_of(std::span<const double, 7> pose);
/// Throws std::runtime_error naming the link if the pose is not finite or has no direction.
[[nodiscard]] Eigen::Isometry3d checked_pose(std::span<const double, 7> pose, std::size_t link);

/// A body of a machine's link, as the LiDAR sees it.
struct Shape {
    std::uint32_t link = 0;
    bool round = false;                               // a capsule along z, else a box
    std::array<double, 7> pose{0, 0, 0, 0, 0, 0, 1};  // x y z qx qy qz qw in the link's frame
    std::array<double, 3> size{};                     // box: edge lengths; capsule: radius, distance of the centres, 0
    [[nodiscard]] bool operator==(const Shape&) const = default;
};
[[nodiscard]] std::vector<Shape> shapes_of(const kinematics::Machine& machine);

/// What was hit: nothing, the wall, or a link of the machine (first_link + its index).
inline constexpr std::uint16_t nothing = 0, wall_object = 1, first_link = 2;

/// The wall and the machine for ray tracing with Embree. The wall is cut into tiles of quads: a bite refits the tiles
/// it touched, whatever the length of the wall. Capsules are meshes of 12 sides, inscribed: their faces lie up to 3.4 %
/// of the radius too deep.
class Scene {
public:
    struct Contents {
        wall::Ring ring;
        std::vector<Shape> shapes;
        std::size_t links = 0;
        std::optional<std::uint32_t> unseen;  // the link that carries the sensor
    };
    explicit Scene(const Contents& contents);

    /// One height per vertex of the ring; throws std::runtime_error if one that changed is not finite.
    void set_heights(std::span<const double> heights);
    /// x y z qx qy qz qw of every link, world; throws std::runtime_error if one is not finite.
    void set_poses(std::span<const double> poses);
    /// Makes the changes visible to rays.
    void commit();

    [[nodiscard]] RTCScene handle() const { return scene_.get(); }
    [[nodiscard]] std::uint16_t object_of(unsigned geometry) const { return objects_[geometry]; }
    /// Tiles refitted since the scene was made.
    [[nodiscard]] std::uint64_t refitted_tiles() const { return refitted_; }

private:
    struct Tile {
        std::size_t first = 0, columns = 0;  // of vertices; neighbours share one column
        RTCGeometry geometry = nullptr;      // owned by the scene
        float* vertices = nullptr;           // tops, then bottoms, column by column
        std::vector<double> heights;         // of the tops, as last seen
    };
    struct Body {
        std::uint32_t link = 0;
        RTCGeometry geometry = nullptr;
        float* vertices = nullptr;
        std::vector<std::array<double, 3>> local;
        std::array<double, 7> pose{};
    };
    struct Release {
        void operator()(RTCDevice device) const { rtcReleaseDevice(device); }
        void operator()(RTCScene scene) const { rtcReleaseScene(scene); }
    };
    using Corners = std::vector<std::array<std::uint32_t, 4>>;  // a corner named twice makes a triangle

    void add_wall();
    void add_machine(const Contents& contents);
    float* attach(const Corners& corners, std::size_t vertices, std::uint16_t object, RTCGeometry& geometry);
    void move_tops(const Tile& tile) const;
    static void place(const Body& body, const Eigen::Isometry3d& pose);
    void update(RTCGeometry geometry);
    void check_device() const;

    wall::Ring ring_;
    std::size_t links_ = 0;
    std::unique_ptr<std::remove_pointer_t<RTCDevice>, Release> device_;
    std::unique_ptr<std::remove_pointer_t<RTCScene>, Release> scene_;
    std::vector<Tile> tiles_;
    std::vector<Body> bodies_;
    std::vector<std::uint16_t> objects_;  // by geometry
    std::uint64_t refitted_ = 0;
    bool changed_ = true;
};

}  // namespace models::lidar
