#pragma once

#include "models/machine/kinematics/machine.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

namespace models::mechanics {

/// Enough for every machine we describe; a longer chain is refused when the tree is built.
inline constexpr std::size_t most_joints = 12;

using JointVector = std::array<double, most_joints>;
using JointMatrix = std::array<JointVector, most_joints>;  // symmetric: only the lower triangle is kept

/// How the tilted link of the machine leans, in the sense of kinematics::tilt.
struct Lean {
    double pitch = 0, roll = 0;
    bool operator==(const Lean&) const = default;
};

/// How a point moves per unit of joint velocity, in world axes.
struct Motion {
    Eigen::Vector3d translation = Eigen::Vector3d::Zero(), rotation = Eigen::Vector3d::Zero();
};

/// What the equations of motion  M(q) a + bias(q, v) = torques  need at one state.
struct Terms {
    JointMatrix mass{};
    JointVector bias{};                      // centrifugal, Coriolis and gravity
    JointVector gravity{};                   // the part of the bias that is there at rest
    std::array<Motion, most_joints> tool{};  // of the tool point, per joint
    double kinetic = 0, potential = 0;       // energies, the latter against the root's origin
};

/// The moving bodies of a machine, made for speed: fixed joints are melted into their parents, and every joint turns
/// about (or slides along) the z axis of its body. Everything is expressed in the root's axes about one point, so that
/// composite inertias and forces are plain sums and no spatial transform is needed (composite rigid bodies and
/// recursive Newton-Euler: Featherstone, Rigid Body Dynamics Algorithms, 2008, chapters 5 and 6). A few hundred
/// operations per body, less than a general library spends, and nothing but fixed arrays to copy with a state.
class Tree {
public:
    Tree() = default;
    /// Throws std::invalid_argument for a machine that cannot be a tree of at most `most_joints` moving bodies.
    explicit Tree(const kinematics::Machine& machine);

    [[nodiscard]] std::size_t size() const { return size_; }
    /// Which coordinate a joint of the machine is; empty for a fixed joint.
    [[nodiscard]] std::optional<std::size_t> coordinate(std::size_t joint) const { return coordinates_.at(joint); }
    void evaluate(const JointVector& q, const JointVector& v, Lean lean, Terms& terms) const;

    double gravity = 9.81;  // m/s2, against the root's z axis

private:
    static constexpr std::size_t most_bodies = most_joints + 1;
    static constexpr int none = -1;
    struct Body {
        int parent = none;      // none: the root
        int coordinate = none;  // none: the tilted link, which has a body of its own that only leans
        bool slides = false;
        double mass = 0;
        Eigen::Matrix3d rotation = Eigen::Matrix3d::Identity();  // at q = 0, in the parent body's frame
        Eigen::Vector3d offset = Eigen::Vector3d::Zero();
        Eigen::Vector3d centre = Eigen::Vector3d::Zero();  // of mass, in the body's frame
        Eigen::Matrix3d about_centre = Eigen::Matrix3d::Zero();
    };
    struct Placement {
        Eigen::Matrix3d rotation;
        Eigen::Vector3d axis, origin;
    };
    using Placements = std::array<Placement, most_bodies>;
    struct Sweep;

    int add(const Body& body);
    void place(const JointVector& q, Lean lean, Placements& placements) const;
    void go_out(const Placements& placements, const JointVector& v, Sweep& sweep, Terms& terms) const;
    void come_back(Sweep& sweep, Terms& terms) const;
    void locate_tool(const Placements& placements, Terms& terms) const;

    std::array<Body, most_bodies> bodies_{};
    std::size_t body_count_ = 0, size_ = 0;
    std::vector<std::optional<std::size_t>> coordinates_;
    double root_mass_ = 0;
    Eigen::Vector3d root_centre_ = Eigen::Vector3d::Zero();
    int tool_body_ = none;
    Eigen::Vector3d tool_point_ = Eigen::Vector3d::Zero();  // in that body's frame
};

}  // namespace models::mechanics
