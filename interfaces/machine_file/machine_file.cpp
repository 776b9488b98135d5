#include "interfaces/machine_file/machine_file.hpp"

#include "interfaces/machine_file/axes.hpp"
#include "interfaces/machine_file/document.hpp"
#include "interfaces/machine_file/links.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <iterator>
#include <map>

namespace interfaces::machine_file {

namespace {

/// The elements of a file by name, and the machine as far as it is built.
struct Builder {
    const Document& document;
    std::map<std::string, pugi::xml_node> links;
    std::vector<std::string> link_names;  // in the order of the file
    Machine machine{};
    std::map<std::string, std::uint32_t> placed;  // index of a link in the machine
};

void collect_links(Builder& builder) {
    const pugi::xml_node robot = builder.document.root();
    for (const pugi::xml_node node : robot.children("link")) {
        const std::string name = builder.document.text(node, "name");
        if (!builder.links.emplace(name, node).second)
            builder.document.fail(node, "there are two links '" + name + "'");
        builder.link_names.push_back(name);
    }
    if (builder.links.empty()) builder.document.fail(robot, "a machine needs at least one <link>");
}

std::string end_of(const Builder& builder, pugi::xml_node joint, const char* end) {
    const pugi::xml_node node = builder.document.child(joint, end);
    std::string name = builder.document.text(node, "link");
    if (builder.links.contains(name)) return name;
    builder.document.fail(node, "unknown link '" + name + "'" + suggestion(name, builder.link_names));
}

JointKind kind_of(const Document& document, pugi::xml_node node) {
    const std::string type = document.text(node, "type");
    if (type == "fixed") return JointKind::fixed;
    if (type == "revolute" || type == "continuous") return JointKind::revolute;
    if (type == "prismatic") return JointKind::prismatic;
    document.fail(node, "joint type '" + type + "', expected fixed, revolute, continuous or prismatic");
}

Joint read_joint(const Document& document, pugi::xml_node node) {
    Joint joint{.name = document.text(node, "name"), .kind = kind_of(document, node), .origin = document.origin(node)};
    if (joint.kind == JointKind::fixed) return joint;
    joint.axis = {1, 0, 0};  // what URDF means by no axis
    if (const pugi::xml_node axis = node.child("axis")) joint.axis = document.vector(axis, "xyz");
    if (!(std::hypot(joint.axis[0], joint.axis[1], joint.axis[2]) > 1e-6))
        document.fail(node, "the axis of joint '" + joint.name + "' has no direction");
    if (document.text(node, "type") == "continuous") return joint;
    const pugi::xml_node limit = document.child(node, "limit");
    joint.lower = document.number(limit, "lower");
    joint.upper = document.number(limit, "upper");
    if (!(joint.lower < joint.upper))
        document.fail(limit, "the limits of joint '" + joint.name + "' are empty: 'lower' must be below 'upper'");
    return joint;
}

struct Branch {
    pugi::xml_node node;
    std::string parent, child;
    Joint joint;
};

std::vector<Branch> read_joints(const Builder& builder) {
    std::vector<Branch> branches;
    for (const pugi::xml_node node : builder.document.root().children("joint")) {
        Branch branch{node, end_of(builder, node, "parent"), end_of(builder, node, "child"),
                      read_joint(builder.document, node)};
        for (const Branch& other : branches) {
            if (other.joint.name == branch.joint.name)
                builder.document.fail(node, "there are two joints '" + branch.joint.name + "'");
            if (other.child == branch.child)
                builder.document.fail(node, "link '" + branch.child + "' is a child of joint '" + other.joint.name +
                                                "' already: links form a tree");
        }
        branches.push_back(std::move(branch));
    }
    return branches;
}

void place(Builder& builder, const std::string& link) {
    builder.placed[link] = static_cast<std::uint32_t>(builder.machine.links.size());
    builder.machine.links.push_back(read_link(builder.document, builder.links.at(link)));
}

void place_root(Builder& builder, const std::vector<Branch>& branches) {
    std::optional<std::string> root;
    for (const std::string& name : builder.link_names) {
        if (std::any_of(branches.begin(), branches.end(), [&](const Branch& b) { return b.child == name; })) continue;
        if (root)
            builder.document.fail(builder.links.at(name),
                                  "links '" + *root + "' and '" + name + "' both have no parent: links form one tree");
        root = name;
    }
    if (!root)
        builder.document.fail(builder.document.root(), "every link has a parent: the joints form a ring, not a tree");
    place(builder, *root);
}

/// Joints in the order of the file, but no child before its parent.
void place_tree(Builder& builder, std::vector<Branch> branches) {
    place_root(builder, branches);
    while (!branches.empty()) {
        const auto next = std::find_if(branches.begin(), branches.end(),
                                       [&](const Branch& b) { return builder.placed.contains(b.parent); });
        if (next == branches.end())
            builder.document.fail(branches.front().node, "joint '" + branches.front().joint.name +
                                                             "' belongs to a ring of joints: links form a tree");
        next->joint.parent = builder.placed.at(next->parent);
        builder.machine.joints.push_back(next->joint);
        place(builder, next->child);
        branches.erase(next);
    }
}

/// A moving joint with nothing to move would have no mass matrix.
void require_mass(const Builder& builder) {
    const Machine& machine = builder.machine;
    std::vector<double> carried;
    carried.reserve(machine.links.size());
    for (const Link& link : machine.links) carried.push_back(link.inertia.mass);
    for (std::size_t i = machine.joints.size(); i-- > 0;) carried[machine.joints[i].parent] += carried[i + 1];
    for (std::size_t i = 0; i < machine.joints.size(); ++i)
        if (machine.joints[i].kind != JointKind::fixed && !(carried[i + 1] > 0))
            builder.document.fail(
                builder.links.at(machine.links[i + 1].name),
                "link '" + machine.links[i + 1].name + "' moves but has no mass: <inertial> is missing");
}

std::uint32_t link_named(const Builder& builder, pugi::xml_node node) {
    const std::string name = builder.document.text(node, "link");
    const auto found = builder.placed.find(name);
    if (found == builder.placed.end())
        builder.document.fail(node, "unknown link '" + name + "'" + suggestion(name, builder.link_names));
    return found->second;
}

void read_tool(Builder& builder) {
    const Document& document = builder.document;
    const pugi::xml_node tool = document.root().child("tool");
    if (!tool) return;
    document.only(tool, {"link"});
    builder.machine.tool = Tool{.link = link_named(builder, tool),
                                .origin = document.origin(tool),
                                .box = document.positive_vector(document.child(tool, "box"), "size")};
}

void read_tilt(Builder& builder) {
    const pugi::xml_node tilt = builder.document.root().child("tilt");
    if (!tilt) return;
    builder.document.only(tilt, {"link"});
    builder.machine.tilted = link_named(builder, tilt);
    const std::uint32_t link = builder.machine.tilted;
    if (link > 0 && builder.machine.joints[link - 1].kind != JointKind::fixed)
        builder.document.fail(tilt, "link '" + builder.machine.links[link].name +
                                        "' moves by itself; pitch and roll turn the root or a fixed link");
}

void read_wall_touches(Builder& builder) {
    const Document& document = builder.document;
    for (const pugi::xml_node node : document.root().children("touches_wall")) {
        document.only(node, {"link", "while"});
        WallTouch touch{.link = link_named(builder, node)};
        if (node.attribute("while")) touch.axis = axis_named(document, node, "while", builder.machine);
        builder.machine.wall_touches.push_back(touch);
    }
}

/// Elements that URDF or others define are not ours; a misspelt one of ours would be lost silently.
void refuse_misspelt(const Document& document) {
    static constexpr std::array known{"link", "joint",    "material", "transmission", "gazebo", "sensor",
                                      "tool", "cylinder", "four_bar", "drive",        "tilt",   "touches_wall"};
    for (const pugi::xml_node node : document.root().children()) {
        if (node.type() != pugi::node_element) continue;
        const std::string name = node.name();
        if (std::find(known.begin(), known.end(), name) != known.end()) continue;
        for (const char* ours : known)
            if (interfaces::text::edit_distance(name, ours) <= 2)
                document.fail(node, "unknown element <" + name + ">; did you mean <" + ours + ">?");
    }
}

}  // namespace

Machine parse(std::string_view text, const std::string& shown) {
    const Document document(text, shown);
    if (std::string_view(document.root().name()) != "robot")
        document.fail(document.root(), std::string("the root is <") + document.root().name() + ">, expected <robot>");
    refuse_misspelt(document);
    Builder builder{.document = document};
    builder.machine.name = document.text(document.root(), "name");
    collect_links(builder);
    place_tree(builder, read_joints(builder));
    require_mass(builder);
    read_tool(builder);
    read_tilt(builder);
    read_axes(document, builder.machine);
    read_wall_touches(builder);
    return std::move(builder.machine);
}

Machine read(const std::string& file) {
    std::ifstream stream(file, std::ios::binary);
    if (!stream) throw Error(file, "cannot be read");
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
    return parse(text, file);
}

}  // namespace interfaces::machine_file
