#include "interfaces/machine_file/links.hpp"

namespace interfaces::machine_file {

using namespace models::kinematics;

namespace {

/// Sylvester's criterion, with a little room for rounding if `slack` is not 0.
bool positive(const Eigen::Matrix3d& m, double slack) {
    return m(0, 0) > -slack && m.topLeftCorner<2, 2>().determinant() > -slack * slack &&
           m.determinant() > -slack * slack * slack;
}

Inertia read_inertia(const Document& document, pugi::xml_node node, const std::string& link) {
    const pugi::xml_node tensor = document.child(node, "inertia");
    Inertia inertia;
    inertia.mass = document.positive(document.child(node, "mass"), "value");
    const double xx = document.number(tensor, "ixx"), yy = document.number(tensor, "iyy");
    const double zz = document.number(tensor, "izz"), xy = document.number(tensor, "ixy");
    const double xz = document.number(tensor, "ixz"), yz = document.number(tensor, "iyz");
    Eigen::Matrix3d about;
    about << xx, xy, xz, xy, yy, yz, xz, yz, zz;
    if (!positive(about, 0)) document.fail(tensor, "the inertia of link '" + link + "' is not positive definite");
    // The second moments of the mass: a body has none below 0, so no principal inertia exceeds the sum of the others.
    const Eigen::Matrix3d moments = about.trace() / 2 * Eigen::Matrix3d::Identity() - about;
    if (!positive(moments, 1e-9 * about.trace()))
        document.fail(tensor, "no body has the inertia of link '" + link +
                                  "': a principal value is larger than the sum of the other two");
    const Eigen::Isometry3d pose = document.origin(node);
    inertia.centre = pose.translation();
    inertia.about_centre = pose.linear() * about * pose.linear().transpose();
    return inertia;
}

Body read_body(const Document& document, pugi::xml_node node) {
    Body body{.pose = document.origin(node)};
    const pugi::xml_node geometry = document.child(node, "geometry");
    if (const pugi::xml_node box = geometry.child("box")) {
        body.shape = Box{.size = document.positive_vector(box, "size")};
        return body;
    }
    if (const pugi::xml_node cylinder = geometry.child("cylinder")) {
        const double radius = document.positive(cylinder, "radius"), length = document.positive(cylinder, "length");
        if (length < 2 * radius)
            document.fail(cylinder, "a cylinder is taken as a capsule: 'length' must be at least twice the 'radius'");
        body.shape = Capsule{.radius = radius, .length = length - 2 * radius};
        return body;
    }
    if (const pugi::xml_node sphere = geometry.child("sphere")) {
        body.shape = Capsule{.radius = document.positive(sphere, "radius"), .length = 0};
        return body;
    }
    document.fail(geometry, "a collision shape is a <box>, a <cylinder> or a <sphere>");
}

}  // namespace

Link read_link(const Document& document, pugi::xml_node node) {
    Link link{.name = document.text(node, "name")};
    if (const pugi::xml_node inertial = node.child("inertial"))
        link.inertia = read_inertia(document, inertial, link.name);
    for (const pugi::xml_node collision : node.children("collision"))
        link.bodies.push_back(read_body(document, collision));
    return link;
}

}  // namespace interfaces::machine_file
