#include "interfaces/machine_file/links.hpp"

namespace interfaces::machine_file {

namespace {

/// Sylvester's criterion for a tensor of inertia, with a little room for rounding if `slack` is not 0.
bool positive(const Inertia& m, double slack) {
    const double minor = m.xx * m.yy - m.xy * m.xy;
    const double determinant =
        m.xx * (m.yy * m.zz - m.yz * m.yz) - m.xy * (m.xy * m.zz - m.yz * m.xz) + m.xz * (m.xy * m.yz - m.yy * m.xz);
    return m.xx > -slack && minor > -slack * slack && determinant > -slack * slack * slack;
}

Inertia read_inertia(const Document& document, pugi::xml_node node, const std::string& link) {
    const pugi::xml_node tensor = document.child(node, "inertia");
    Inertia inertia;
    inertia.mass = document.positive(document.child(node, "mass"), "value");
    inertia.xx = document.number(tensor, "ixx"), inertia.yy = document.number(tensor, "iyy");
    inertia.zz = document.number(tensor, "izz"), inertia.xy = document.number(tensor, "ixy");
    inertia.xz = document.number(tensor, "ixz"), inertia.yz = document.number(tensor, "iyz");
    if (!positive(inertia, 0)) document.fail(tensor, "the inertia of link '" + link + "' is not positive definite");
    // The second moments of the mass: a body has none below 0, so no principal inertia exceeds the sum of the others.
    const double trace = inertia.xx + inertia.yy + inertia.zz;
    const Inertia moments{.xx = trace / 2 - inertia.xx,
                          .yy = trace / 2 - inertia.yy,
                          .zz = trace / 2 - inertia.zz,
                          .xy = -inertia.xy,
                          .xz = -inertia.xz,
                          .yz = -inertia.yz};
    if (!positive(moments, 1e-9 * trace))
        document.fail(tensor, "no body has the inertia of link '" + link +
                                  "': a principal value is larger than the sum of the other two");
    inertia.origin = document.origin(node);
    return inertia;
}

Body read_body(const Document& document, pugi::xml_node node) {
    Body body{.origin = document.origin(node)};
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
