#pragma once

#include "models/machine/kinematics/machine.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace models::collision {

/// Stands for the wall where a link's index is asked for.
inline constexpr std::int32_t wall = -1;

/// Two bodies that overlap. The points lie on the surface of either one inside the other, `depth` apart: moving the
/// first body by point_on_second - point_on_first separates them.
struct Contact {
    std::int32_t first = 0, second = 0;  // links; the wall is always second
    double depth = 0;
    Eigen::Vector3d point_on_first = Eigen::Vector3d::Zero(), point_on_second = Eigen::Vector3d::Zero();
};

/// A wall along a ring around the world's z axis, as the heights of its top over azimuth and radius: the height at
/// (column, row) is heights[column * rows + row], counted from `base`; columns follow the azimuth, rows the radius.
struct RingWall {
    double inner_radius = 0, outer_radius = 0;
    double first_azimuth = 0, azimuth_step = 0;
    double base = 0;  // world z
    std::size_t columns = 0, rows = 0;
    std::span<const double> heights;
};

/// The boxes and capsules of a machine, and which of them may touch: links joined by a joint never count, nor do those
/// that move as one, nor pairs that were excepted.
class Scene {
public:
    explicit Scene(const kinematics::Machine& machine);

    /// Excepts a pair of links, or a link and the wall. Throws std::invalid_argument for an unknown name.
    void ignore(const std::string& first, const std::string& second);
    void ignore_wall(const std::string& link);

    /// The deepest overlap, given the world poses of all links; nothing if all are clear.
    [[nodiscard]] std::optional<Contact> deepest(std::span<const Eigen::Isometry3d> links) const;
    [[nodiscard]] std::optional<Contact> deepest(std::span<const Eigen::Isometry3d> links, const RingWall& ring) const;

private:
    struct Part {
        std::size_t link = 0;
        kinematics::Body body;
        double radius = 0;  // of a sphere around the body's own origin
    };

    [[nodiscard]] std::size_t index_of(const std::string& link) const;
    [[nodiscard]] bool may_touch(std::size_t first, std::size_t second) const {
        return !ignored_[first * names_.size() + second];
    }
    void set_ignored(std::size_t first, std::size_t second);

    std::vector<std::string> names_;
    std::vector<Part> parts_;
    std::vector<bool> ignored_;       // link x link
    std::vector<bool> ignores_wall_;  // link
};

}  // namespace models::collision
