#include "interfaces/machine_file/axes.hpp"

#include <algorithm>
#include <cmath>

namespace interfaces::machine_file {

namespace {

double read_sign(const Document& document, pugi::xml_node node) {
    const double sign = document.number(node, "sign");
    if (std::abs(sign) != 1) document.fail(node, "'sign' says which assembly is meant, expected 1 or -1");
    return sign;
}

std::uint32_t joint_named(const Document& document, pugi::xml_node node, const Machine& machine) {
    const std::string name = document.text(node, "joint");
    std::vector<std::string> moving;
    for (std::uint32_t i = 0; i < machine.joints.size(); ++i) {
        if (machine.joints[i].name == name && machine.joints[i].kind != JointKind::fixed) return i;
        if (machine.joints[i].name == name) document.fail(node, "joint '" + name + "' is fixed and cannot be driven");
        if (machine.joints[i].kind != JointKind::fixed) moving.push_back(machine.joints[i].name);
    }
    document.fail(node, "unknown joint '" + name + "'" + suggestion(name, moving));
}

void read_stroke(const Document& document, pugi::xml_node node, Axis& axis) {
    axis.lower = document.optional_number(node, "lower").value_or(0);
    axis.upper = document.positive(node, "stroke");
    if (axis.lower < 0 || !(axis.lower < axis.upper))
        document.fail(node, "'lower' of <" + std::string(node.name()) + "> must lie between 0 and 'stroke'");
}

void read_cylinder(const Document& document, pugi::xml_node node, Axis& axis) {
    document.only(node, {"name", "joint", "base", "rod", "closed_length", "stroke", "lower", "sign"});
    read_stroke(document, node, axis);
    axis.drive = Cylinder{.base = document.vector(node, "base"),
                          .rod = document.vector(node, "rod"),
                          .closed_length = document.positive(node, "closed_length"),
                          .sign = read_sign(document, node)};
}

void read_four_bar(const Document& document, pugi::xml_node node, Axis& axis) {
    document.only(node, {"name", "joint", "base", "rocker", "rod", "rocker_length", "rod_length", "closed_length",
                         "stroke", "lower", "sign"});
    read_stroke(document, node, axis);
    axis.drive = FourBar{.base = document.vector(node, "base"),
                         .rocker = document.vector(node, "rocker"),
                         .rod = document.vector(node, "rod"),
                         .rocker_length = document.positive(node, "rocker_length"),
                         .rod_length = document.positive(node, "rod_length"),
                         .closed_length = document.positive(node, "closed_length"),
                         .sign = read_sign(document, node)};
}

void read_drive(const Document& document, pugi::xml_node node, const Joint& joint, Axis& axis) {
    document.only(node, {"name", "joint", "ratio"});
    const double ratio = node.attribute("ratio") ? document.positive(node, "ratio") : 1;
    axis.drive = Direct{.ratio = ratio};
    axis.lower = ratio * joint.lower;
    axis.upper = ratio * joint.upper;
}

void require_unused(const Document& document, pugi::xml_node node, const Machine& machine, const Axis& axis) {
    for (const Axis& other : machine.axes) {
        if (other.name == axis.name) document.fail(node, "there are two axes '" + axis.name + "'");
        if (other.joint == axis.joint)
            document.fail(node,
                          "joint '" + machine.joints[axis.joint].name + "' is driven by '" + other.name + "' already");
    }
}

}  // namespace

void read_axes(const Document& document, Machine& machine) {
    for (const pugi::xml_node node : document.root().children()) {
        const std::string kind = node.name();
        if (kind != "cylinder" && kind != "four_bar" && kind != "drive") continue;
        Axis axis{.name = document.text(node, "name"),
                  .joint = joint_named(document, node, machine),
                  .where = document.where(node)};
        require_unused(document, node, machine, axis);
        if (kind == "cylinder") read_cylinder(document, node, axis);
        if (kind == "four_bar") read_four_bar(document, node, axis);
        if (kind == "drive") read_drive(document, node, machine.joints[axis.joint], axis);
        machine.axes.push_back(axis);
    }
    for (std::uint32_t i = 0; i < machine.joints.size(); ++i) {
        const Joint& joint = machine.joints[i];
        if (joint.kind == JointKind::fixed) continue;
        if (std::none_of(machine.axes.begin(), machine.axes.end(), [&](const Axis& axis) { return axis.joint == i; }))
            document.fail(document.root().find_child_by_attribute("joint", "name", joint.name.c_str()),
                          "joint '" + joint.name + "' is driven by no <cylinder>, <four_bar> or <drive>");
    }
}

std::uint32_t axis_named(const Document& document, pugi::xml_node node, const char* attribute, const Machine& machine) {
    const std::string name = document.text(node, attribute);
    std::vector<std::string> known;
    for (std::uint32_t i = 0; i < machine.axes.size(); ++i) {
        if (machine.axes[i].name == name) return i;
        known.push_back(machine.axes[i].name);
    }
    document.fail(node, "unknown axis '" + name + "'" + suggestion(name, known));
}

}  // namespace interfaces::machine_file
