#pragma once

#include "models/machine/collision/scene.hpp"
#include "models/machine/kinematics/linkage.hpp"
#include "models/machine/kinematics/tree.hpp"

#include <array>
#include <cstdint>
#include <tuple>
#include <vector>

namespace models::posture {

using kinematics::Linkage;
using kinematics::Machine;
using kinematics::Tree;

/// The wall ahead of the machine: the grid of its top vertices, see collision::RingWall.
struct Ring {
    std::uint64_t columns = 601, rows = 5;
    double radius = 30;  // of the middle of the wall
    double thickness = 0.18;
    double base = -1;         // world z
    double start = 2.5 / 30;  // azimuth of the first column
    double spacing = 0.02;    // of the columns, along the rim
};

/// A machine as its sensors and the rest of the world see it: poses of all links from the positions of its axes, and
/// whether they run into each other or into the wall.
class Posture {
public:
    static constexpr std::size_t most_axes = 16;
    using PerAxis = std::array<double, most_axes>;

    /// A 1D inclinometer on the link that a hinge moves: its inclination against the horizontal, counted like the
    /// hinge.
    struct Inclinometer {
        std::size_t axis = 0, link = 0;
        Eigen::Vector3d forward = Eigen::Vector3d::UnitX(), upward = Eigen::Vector3d::UnitZ();  // in the link's frame
    };

    Posture() = default;
    /// Throws std::invalid_argument for a machine with more than `most_axes` axes or one whose linkages do not close.
    explicit Posture(const Machine& machine);

    /// Sizes follow the ring's columns and rows; throws std::invalid_argument for a grid without cells.
    void configure();
    /// Throws std::invalid_argument, naming the parameter, for a ring that is none.
    void initialize(double t);
    /// What follows from the inputs; throws kinematics::RangeError for a position that an axis cannot have.
    void evaluate(double t);

    [[nodiscard]] const std::vector<Linkage>& axes() const { return axes_; }
    [[nodiscard]] const std::vector<Inclinometer>& inclinometers() const { return inclinometers_; }
    /// Whether an axis' joint lies on the way from the root to the tool.
    [[nodiscard]] bool moves_tool(std::size_t axis) const { return moves_tool_[axis]; }

    struct Inputs {
        PerAxis position{}, velocity{};
        double pitch = 0, roll = 0;
        std::vector<double> heights;  // of the wall above its base; 0 is no wall
        auto members() { return std::tie(position, velocity, pitch, roll, heights); }
    } inputs;
    Ring ring;
    struct Outputs {
        PerAxis joint{};
        PerAxis inclination{};           // of the axes that have an inclinometer
        PerAxis measured{};              // positions as encoders, draw-wires and odometers give them
        std::vector<double> link_poses;  // x y z qx qy qz qw of every link
        std::array<double, 7> tool_pose{0, 0, 0, 0, 0, 0, 1};
        std::array<double, 3> tool_box{};
        std::array<double, 3> tool_velocity{};
        bool inside = true;  // every axis is within its stroke, not on an end stop
        bool collides = false;
        std::array<std::int32_t, 2> pair{};  // links, the wall is -1; meaningless without a collision
        double depth = 0;
        auto members() {
            return std::tie(joint, inclination, measured, link_poses, tool_pose, tool_box, tool_velocity, inside,
                            collides, pair, depth);
        }
    } outputs;
    auto members() { return std::tie(inputs, ring, outputs); }

private:
    void move_joints();
    void report_poses();
    void measure_velocity();
    void look_for_collision();
    [[nodiscard]] bool bites() const;

    std::vector<Linkage> axes_;
    std::vector<bool> moves_tool_;
    std::vector<Inclinometer> inclinometers_;
    std::vector<Eigen::Vector3d> directions_;  // of the axes' joints, in their child link's frame
    std::vector<bool> slides_;
    Tree tree_;
    std::vector<std::size_t> biting_axes_;  // while one of them extends, some links may touch the wall
    std::vector<collision::Scene> scenes_;  // at rest, and while biting
    std::vector<double> coordinates_;
    std::vector<Eigen::Isometry3d> poses_;
};

}  // namespace models::posture
