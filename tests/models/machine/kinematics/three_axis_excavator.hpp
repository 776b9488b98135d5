#pragma once

#include "models/machine/kinematics/machine.hpp"

namespace tests {

/// The linkage of config/machines/excavator.urdf without masses: C is the root's origin; boom, arm and bucket angles
/// are counter-clockwise with x forward and z up, each against the link before it.
inline models::kinematics::Machine three_axis_excavator() {
    using namespace models::kinematics;
    const auto hinge = [](const char* name, std::uint32_t parent, Eigen::Vector3d at, double lower, double upper) {
        Joint joint{.name = name, .kind = JointKind::revolute, .parent = parent, .lower = lower, .upper = upper};
        joint.origin.translation() = at;
        joint.axis = -Eigen::Vector3d::UnitY();
        return joint;
    };
    Machine machine;
    machine.name = "excavator";
    for (const char* name : {"chassis", "boom", "arm", "bucket"}) machine.links.push_back({.name = name});
    machine.joints = {hinge("boom", 0, {0, 0, 0}, -0.1, 1), hinge("arm", 1, {3.845, 0, 0}, -2, -0.5),
                      hinge("bucket", 2, {1.996, 0, 0}, 1, 2.6)};
    machine.axes = {
        {.name = "boom",
         .joint = 0,
         .drive = Cylinder{.base = {0.474, 0, -0.237}, .rod = {1.532, 0, 0.686}, .closed_length = 1.396, .sign = 1},
         .lower = 0,
         .upper = 0.5},
        {.name = "arm",
         .joint = 1,
         .drive = Cylinder{.base = {2.165, 0, 0.944}, .rod = {-0.551, 0, 0.147}, .closed_length = 1.427, .sign = -1},
         .lower = 0,
         .upper = 0.65},
        {.name = "bucket",
         .joint = 2,
         .drive = FourBar{.base = {0.240, 0, 0.378},
                          .rocker = {1.522, 0, 0.065},
                          .rod = {0.379, 0, 0},
                          .rocker_length = 0.454,
                          .rod_length = 0.449,
                          .closed_length = 1.016,
                          .sign = -1},
         .lower = 0.065,
         .upper = 0.5}};
    return machine;
}

}  // namespace tests
