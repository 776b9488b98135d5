#pragma once

#include <Eigen/Geometry>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <variant>
#include <vector>

/// A machine as plain data: a tree of rigid links, and the axes (cylinders, motors) that move its joints. SI units;
/// a link's frame is its parent joint's frame, as in URDF. fmus/common/machine makes it of a URDF file.
namespace models::kinematics {

struct Box {
    Eigen::Vector3d size = Eigen::Vector3d::Zero();  // full edge lengths
};
/// A cylinder with round ends along z; `length` is the distance of the two centres.
struct Capsule {
    double radius = 0, length = 0;
};

struct Body {
    Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();  // in the link's frame
    std::variant<Box, Capsule> shape;
};

struct Inertia {
    double mass = 0;
    Eigen::Vector3d centre = Eigen::Vector3d::Zero();        // of mass, in the link's frame
    Eigen::Matrix3d about_centre = Eigen::Matrix3d::Zero();  // in axes parallel to the link's frame
};

struct Link {
    std::string name;
    Inertia inertia;
    std::vector<Body> bodies;  // for collision, LiDAR and pictures
};

enum class JointKind : std::uint8_t { fixed, revolute, prismatic };

/// Joints are sorted so that a parent comes before its children; link 0 is the root and has no joint; joint i moves
/// link i + 1 against `parent`.
struct Joint {
    std::string name;
    JointKind kind = JointKind::fixed;
    std::uint32_t parent = 0;                                  // index of a link
    Eigen::Isometry3d origin = Eigen::Isometry3d::Identity();  // in the parent link's frame
    Eigen::Vector3d axis = Eigen::Vector3d::UnitZ();           // in the joint's frame; revolute: right-handed
    double lower = -std::numeric_limits<double>::infinity();
    double upper = std::numeric_limits<double>::infinity();
};

/// The joint coordinate is position / ratio: a motor (ratio 1), or travel along a rim (ratio = its radius).
struct Direct {
    double ratio = 1;
};

/// A cylinder between a pin on the joint's parent link and a pin on its child link. The pin-to-pin length is
/// `closed_length` + position. Of the two assemblies the one on the side given by `sign` is meant: the joint angle is
/// reached from the direction of the base pin by +acos (sign = 1) or by -acos (sign = -1).
struct Cylinder {
    Eigen::Vector3d base = Eigen::Vector3d::Zero();  // in the parent link's frame
    Eigen::Vector3d rod = Eigen::Vector3d::Zero();   // in the child link's frame
    double closed_length = 0;
    double sign = 1;
};

/// A cylinder that works through a rocker and a rod (the H link of an excavator bucket): the cylinder ends in the pin
/// J, the rocker joins J with a pin K on the parent link, the rod joins J with a pin L on the child link. J moves in
/// K's plane perpendicular to the joint's axis.
struct FourBar {
    Eigen::Vector3d base = Eigen::Vector3d::Zero();    // I, in the parent link's frame
    Eigen::Vector3d rocker = Eigen::Vector3d::Zero();  // K, in the parent link's frame
    Eigen::Vector3d rod = Eigen::Vector3d::Zero();     // L, in the child link's frame
    double rocker_length = 0;                          // J-K
    double rod_length = 0;                             // J-L
    double closed_length = 0;
    double sign = -1;  // of the acos at the rocker and at the child, as excavator buckets need it
};

/// One actuated coordinate: `position` is the stroke from the retracted end (m), an angle (rad) or a path (m).
struct Axis {
    std::string name;
    std::uint32_t joint = 0;
    std::variant<Direct, Cylinder, FourBar> drive;
    double lower = -std::numeric_limits<double>::infinity();  // of the position; 0 and the stroke for a cylinder
    double upper = std::numeric_limits<double>::infinity();
};

/// A link that may touch the wall the machine works on: always, because the machine stands on it, or only while an axis
/// extends, as jaws do.
struct WallTouch {
    std::uint32_t link = 0;
    std::optional<std::uint32_t> axis;
};

struct Machine {
    std::string name;
    std::vector<Link> links;
    std::vector<Joint> joints;  // links.size() - 1
    std::vector<Axis> axes;     // in the order of the file
    std::vector<WallTouch> wall_touches;
    std::uint32_t tilted = 0;           // the link that pitch and roll turn, about its origin
    std::optional<std::uint32_t> tool;  // index of the link that carries the tool point
    Eigen::Isometry3d tool_point = Eigen::Isometry3d::Identity();  // in that link's frame
    Eigen::Vector3d tool_box = Eigen::Vector3d::Zero();            // the chamber of the tool around that point
};

}  // namespace models::kinematics
