#pragma once

#include <Eigen/Geometry>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace models::kinematics {
struct Machine;
}

namespace models::lidar {

/// What was hit: nothing, the wall, or a link of the machine (first_link + its index).
inline constexpr std::uint16_t nothing = 0, wall_object = 1, first_link = 2;

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

/// The machine for rays that begin at the sensor, as exact boxes and capsules in the sensor's frame: a few bodies that
/// move in every step are cheaper to intersect than to keep in a tree.
class Bodies {
public:
    static constexpr std::size_t width = 8;
    /// What the rays of a packet hit so far; a nearer body takes its place.
    struct Hits {
        alignas(32) std::array<float, width> range, cosine;  // of the incidence
        std::array<std::uint16_t, width> object;
    };
    /// Unit vectors of a packet, aligned to 16 bytes.
    struct Directions {
        const float *x, *y, *z;
    };
    /// Where the sensor looks: rays up to `half_angle` off its x axis, between two ranges.
    struct Sight {
        std::uint32_t sensor = 0;  // link, itself unseen
        double half_angle = 0;
        double nearest = 0, farthest = 0;
    };

    /// Throws std::runtime_error for a size below 0 or beyond 1000 km.
    Bodies(std::span<const Shape> shapes, std::size_t links);
    /// x y z qx qy qz qw of every link, world; throws std::runtime_error if one is not finite.
    void place(std::span<const double> poses, const Sight& sight);
    /// Before packets whose rays are all among these.
    void aim(const Directions& to, std::size_t count);
    void trace(const Directions& to, Hits& hits) const;

private:
    struct Body {
        std::uint32_t link = 0;
        bool round = false;
        Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();  // in the link's frame
        Eigen::Vector3d half = Eigen::Vector3d::Zero();          // box; capsule: radius, half the length, 0
        double radius = 0;                                       // of a sphere around it
    };
    /// A body in the sensor's frame.
    struct Placed {
        bool round = false;
        std::uint16_t object = nothing;
        Eigen::Vector3f middle;
        float distance = 0, cosine = -1, sine = 0;  // of its middle; of the half angle it is seen under
        float outside = 0;  // squared distance of the sensor from the middle less squared radius
        Eigen::Matrix3f to_body;
        Eigen::Vector3f origin, half;  // of the rays, in the body's frame
    };

    void trace_box(const Placed& body, const Directions& to, std::size_t first, Hits& hits) const;
    void trace_capsule(const Placed& body, const Directions& to, std::size_t first, Hits& hits) const;

    std::size_t links_ = 0;
    std::vector<Body> bodies_;
    std::vector<Placed> seen_;          // those in sight
    std::vector<std::uint32_t> aimed_;  // those of them that the rays may hit
    float nearest_ = 0;
};

}  // namespace models::lidar
