#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <variant>
#include <vector>

/// What a machine file says, as plain data in SI units: numbers as they stand in the file, names replaced by indices.
namespace interfaces::machine_file {

using Vector = std::array<double, 3>;

/// A pose; `rpy` turns about the fixed axes x, then y, then z (URDF).
struct Origin {
    Vector xyz{}, rpy{};
};

struct Box {
    Vector size{};  // full edge lengths
};
/// A cylinder with round ends along z; `length` is the distance of the two centres.
struct Capsule {
    double radius = 0, length = 0;
};

struct Body {
    Origin origin;  // in the link's frame
    std::variant<Box, Capsule> shape;
};

struct Inertia {
    double mass = 0;
    Origin origin;                                          // the centre of mass and the axes of the tensor
    double xx = 0, yy = 0, zz = 0, xy = 0, xz = 0, yz = 0;  // about the centre of mass
};

struct Link {
    std::string name;
    Inertia inertia;
    std::vector<Body> bodies;
};

enum class JointKind : std::uint8_t { fixed, revolute, prismatic };

/// Joints are sorted so that a parent comes before its children; link 0 is the root and has no joint; joint i moves
/// link i + 1 against `parent`.
struct Joint {
    std::string name;
    JointKind kind = JointKind::fixed;
    std::uint32_t parent = 0;  // index of a link
    Origin origin;             // in the parent link's frame
    Vector axis{0, 0, 1};      // in the joint's frame, of any length above 0
    double lower = -std::numeric_limits<double>::infinity();
    double upper = std::numeric_limits<double>::infinity();
};

/// <drive>, <cylinder> and <four_bar>.
struct Direct {
    double ratio = 1;
};
struct Cylinder {
    Vector base{}, rod{};
    double closed_length = 0;
    double sign = 1;
};
struct FourBar {
    Vector base{}, rocker{}, rod{};
    double rocker_length = 0, rod_length = 0, closed_length = 0;
    double sign = -1;
};

struct Axis {
    std::string name;
    std::uint32_t joint = 0;
    std::variant<Direct, Cylinder, FourBar> drive;
    double lower = -std::numeric_limits<double>::infinity();  // of the position
    double upper = std::numeric_limits<double>::infinity();
    std::string where;  // file:line, for those who find that the linkage does not close
};

/// <touches_wall>; `axis` is the one that must extend.
struct WallTouch {
    std::uint32_t link = 0;
    std::optional<std::uint32_t> axis;
};

/// <tool>: the tool point on a link, and the chamber around it.
struct Tool {
    std::uint32_t link = 0;
    Origin origin;
    Vector box{};
};

struct Machine {
    std::string name;
    std::vector<Link> links;
    std::vector<Joint> joints;  // links.size() - 1
    std::vector<Axis> axes;     // in the order of the file
    std::vector<WallTouch> wall_touches;
    std::uint32_t tilted = 0;  // index of the link that pitch and roll turn
    std::optional<Tool> tool;
};

}  // namespace interfaces::machine_file
