#include "models/machine/mechanics/tree.hpp"

#include "models/machine/kinematics/tree.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

namespace models::mechanics {

namespace {

using Eigen::Isometry3d;
using Eigen::Matrix3d;
using Eigen::Vector3d;

/// A rotation whose z axis is the given direction, of length 1. Eigen's own function for two vectors carries a singular
/// value decomposition with it, which takes longer to compile than the rest of this file.
Matrix3d axes_with_z(const Vector3d& direction) {
    if (direction.z() < 0) return axes_with_z(-direction) * Vector3d(1, -1, -1).asDiagonal();
    const double doubled = std::sqrt((1 + direction.z()) * 2);  // twice the cosine of half the angle
    const Vector3d axis = Vector3d::UnitZ().cross(direction) * (1 / doubled);
    return Eigen::Quaterniond(doubled * 0.5, axis.x(), axis.y(), axis.z()).toRotationMatrix();
}

/// Inertia of a point mass about the origin, per unit of mass.
Matrix3d spread(const Vector3d& r) { return r.squaredNorm() * Matrix3d::Identity() - r * r.transpose(); }

/// Mass, first moment and inertia about one point; bodies that move together simply add.
struct Lump {
    double mass;
    Vector3d moment;
    Matrix3d about_origin;

    Lump& operator+=(const Lump& other) {
        mass += other.mass;
        moment += other.moment;
        about_origin += other.about_origin;
        return *this;
    }
};

Lump lump(const kinematics::Inertia& inertia, const Isometry3d& pose) {
    const Vector3d centre = pose * inertia.centre;
    const Matrix3d& r = pose.linear();
    return {.mass = inertia.mass,
            .moment = inertia.mass * centre,
            .about_origin = r * inertia.about_centre * r.transpose() + inertia.mass * spread(centre)};
}

/// A velocity, an acceleration or the axis of a joint: of rotation, and of the body's point at the reference.
struct Twist {
    Vector3d angular, linear;
};

/// A force and its moment about the reference; also a momentum.
struct Load {
    Vector3d moment, force;
};

Load operator*(const Lump& inertia, const Twist& twist) {
    return {.moment = inertia.about_origin * twist.angular + inertia.moment.cross(twist.linear),
            .force = inertia.mass * twist.linear + twist.angular.cross(inertia.moment)};
}

double power(const Twist& twist, const Load& load) {
    return twist.angular.dot(load.moment) + twist.linear.dot(load.force);
}

void require(bool condition, const std::string& text) {
    if (!condition) throw std::invalid_argument(text);
}

void check(const kinematics::Machine& machine) {
    require(!machine.links.empty() && machine.links.size() == machine.joints.size() + 1,
            "machine '" + machine.name + "': " + std::to_string(machine.links.size()) +
                " links, expected one more than " + std::to_string(machine.joints.size()) + " joints");
    for (std::size_t i = 0; i < machine.joints.size(); ++i) {
        const kinematics::Joint& joint = machine.joints[i];
        require(joint.parent <= i, "joint '" + joint.name + "' stands before its parent link's joint");
        require(joint.axis.norm() > 0 && joint.axis.allFinite(), "joint '" + joint.name + "' has no axis");
    }
    for (const kinematics::Link& link : machine.links) {
        const kinematics::Inertia& inertia = link.inertia;
        require(inertia.mass >= 0 && std::isfinite(inertia.mass),
                "link '" + link.name + "': mass " + std::to_string(inertia.mass) + " kg, expected 0 or more");
        require(inertia.centre.allFinite() && inertia.about_centre.allFinite(),
                "link '" + link.name + "': the inertia is not finite");
        require(inertia.about_centre.isApprox(inertia.about_centre.transpose()) &&
                    (inertia.about_centre.diagonal().array() >= 0).all(),
                "link '" + link.name + "': the inertia is not symmetric or has negative moments");
    }
    require(machine.tilted < machine.links.size(), "machine '" + machine.name + "' tilts a link it does not have");
    require(!machine.tool || *machine.tool < machine.links.size(),
            "machine '" + machine.name + "' has its tool on a link it does not have");
}

}  // namespace

Tree::Tree(const kinematics::Machine& machine) {
    check(machine);
    // Where each link lies: in a moving body, with a constant pose in that body's frame.
    struct Place {
        int body = none;
        Isometry3d pose = Isometry3d::Identity();
    };
    std::vector<Place> places(machine.links.size());
    const auto lean = [&](const Place& place) {
        return Place{
            .body = add({.parent = place.body, .rotation = place.pose.linear(), .offset = place.pose.translation()})};
    };
    if (machine.tilted == 0) places[0] = lean(places[0]);
    for (std::size_t i = 0; i < machine.joints.size(); ++i) {
        const kinematics::Joint& joint = machine.joints[i];
        Place& place = places[i + 1];
        place = {.body = places[joint.parent].body, .pose = places[joint.parent].pose * joint.origin};
        coordinates_.emplace_back();
        if (joint.kind != kinematics::JointKind::fixed) {
            require(size_ < most_joints,
                    "machine '" + machine.name + "' has more than " + std::to_string(most_joints) + " moving joints");
            coordinates_.back() = size_;
            const Matrix3d axes = axes_with_z(joint.axis.normalized());
            const int body = add({.parent = place.body,
                                  .coordinate = static_cast<int>(size_++),
                                  .slides = joint.kind == kinematics::JointKind::prismatic,
                                  .rotation = place.pose.linear() * axes,
                                  .offset = place.pose.translation()});
            place = {.body = body, .pose = Isometry3d(Matrix3d(axes.transpose()))};
        }
        if (machine.tilted == i + 1) place = lean(place);
    }

    const Lump nothing{.mass = 0, .moment = Vector3d::Zero(), .about_origin = Matrix3d::Zero()};
    std::array<Lump, most_bodies> lumps;
    lumps.fill(nothing);
    Lump root = nothing;
    for (std::size_t i = 0; i < machine.links.size(); ++i) {
        Lump& target = places[i].body == none ? root : lumps[static_cast<std::size_t>(places[i].body)];
        target += lump(machine.links[i].inertia, places[i].pose);
    }
    for (std::size_t i = 0; i < body_count_; ++i) {
        Body& body = bodies_[i];
        body.mass = lumps[i].mass;
        if (body.mass > 0) body.centre = lumps[i].moment / body.mass;
        body.about_centre = lumps[i].about_origin - body.mass * spread(body.centre);
    }
    root_mass_ = root.mass;
    if (root.mass > 0) root_centre_ = root.moment / root.mass;
    if (machine.tool) {
        tool_body_ = places[*machine.tool].body;
        tool_point_ = places[*machine.tool].pose * machine.tool_point.translation();
    }
}

int Tree::add(const Body& body) {
    bodies_[body_count_] = body;
    return static_cast<int>(body_count_++);
}

/// What is known of each body on the way: about one point, in the axes of the root.
struct Tree::Sweep {
    Vector3d reference = Vector3d::Zero();
    std::array<Twist, most_bodies> axes, velocities, accelerations;
    std::array<Lump, most_bodies> inertias;
    std::array<Load, most_bodies> loads;
};

void Tree::evaluate(const JointVector& q, const JointVector& v, Lean lean, Terms& terms) const {
    Placements placements;
    place(q, lean, placements);
    Sweep sweep;
    // Any point at rest will do; one amid the machine keeps the digits of small links far from the root.
    if (body_count_ > 0) sweep.reference = placements[body_count_ / 2].origin;
    go_out(placements, v, sweep, terms);
    come_back(sweep, terms);
    locate_tool(placements, terms);
}

void Tree::place(const JointVector& q, Lean lean, Placements& placements) const {
    const Placement root{.rotation = Matrix3d::Identity(), .axis = Vector3d::UnitZ(), .origin = Vector3d::Zero()};
    for (std::size_t i = 0; i < body_count_; ++i) {
        const Body& body = bodies_[i];
        const Placement& parent = body.parent == none ? root : placements[static_cast<std::size_t>(body.parent)];
        Placement& own = placements[i];
        own.rotation.noalias() = parent.rotation * body.rotation;
        own.origin = parent.origin + parent.rotation * body.offset;
        own.axis = own.rotation.col(2);
        if (body.coordinate == none) {
            own.rotation = own.rotation * kinematics::tilt(lean.pitch, lean.roll).linear();
            continue;
        }
        const double coordinate = q[static_cast<std::size_t>(body.coordinate)];
        if (body.slides) {
            own.origin += coordinate * own.axis;
            continue;
        }
        const double c = std::cos(coordinate), s = std::sin(coordinate);
        const Vector3d x = own.rotation.col(0);
        own.rotation.col(0) = c * x + s * own.rotation.col(1);
        own.rotation.col(1) = c * own.rotation.col(1) - s * x;
    }
}

/// From the root outwards: velocities, the accelerations that are there without joint accelerations, and the forces
/// these take.
void Tree::go_out(const Placements& placements, const JointVector& v, Sweep& sweep, Terms& terms) const {
    // Gravity is an acceleration of the root upwards.
    const Twist still{.angular = Vector3d::Zero(), .linear = Vector3d::Zero()},
        lifted{.angular = Vector3d::Zero(), .linear = {0, 0, gravity}};
    terms.kinetic = 0;
    terms.potential = root_mass_ * gravity * root_centre_.z();
    for (std::size_t i = 0; i < body_count_; ++i) {
        const Body& body = bodies_[i];
        const Placement& own = placements[i];
        const Vector3d arm = own.origin - sweep.reference;
        const auto parent = static_cast<std::size_t>(body.parent);
        Twist& velocity = sweep.velocities[i] = body.parent == none ? still : sweep.velocities[parent];
        Twist& acceleration = sweep.accelerations[i] = body.parent == none ? lifted : sweep.accelerations[parent];
        if (body.coordinate != none) {
            Twist& axis = sweep.axes[i];
            axis = body.slides ? Twist{.angular = Vector3d::Zero(), .linear = own.axis}
                               : Twist{.angular = own.axis, .linear = arm.cross(own.axis)};
            const double rate = v[static_cast<std::size_t>(body.coordinate)];
            const Twist relative{.angular = rate * axis.angular, .linear = rate * axis.linear};
            acceleration.angular += velocity.angular.cross(relative.angular);
            acceleration.linear += velocity.angular.cross(relative.linear) + velocity.linear.cross(relative.angular);
            velocity.angular += relative.angular;
            velocity.linear += relative.linear;
        }

        Lump& inertia = sweep.inertias[i];
        const Vector3d centre = arm + own.rotation * body.centre;
        inertia.mass = body.mass;
        inertia.moment = body.mass * centre;
        inertia.about_origin.noalias() = own.rotation * body.about_centre * own.rotation.transpose();
        inertia.about_origin += body.mass * spread(centre);

        const Load momentum = inertia * velocity;
        Load& load = sweep.loads[i] = inertia * acceleration;
        load.moment += velocity.angular.cross(momentum.moment) + velocity.linear.cross(momentum.force);
        load.force += velocity.angular.cross(momentum.force);
        terms.kinetic += power(velocity, momentum) / 2;
        terms.potential += body.mass * gravity * (centre.z() + sweep.reference.z());
    }
}

/// From the ends inwards: a joint moves, and carries, everything beyond it.
void Tree::come_back(Sweep& sweep, Terms& terms) const {
    for (std::size_t i = body_count_; i-- > 0;) {
        const Body& body = bodies_[i];
        const Lump& inertia = sweep.inertias[i];
        if (body.coordinate != none) {
            const auto coordinate = static_cast<std::size_t>(body.coordinate);
            const Twist& axis = sweep.axes[i];
            terms.bias[coordinate] = power(axis, sweep.loads[i]);
            const Load weight{.moment = gravity * inertia.moment.cross(Vector3d::UnitZ()),
                              .force = {0, 0, gravity * inertia.mass}};
            terms.gravity[coordinate] = power(axis, weight);
            const Load momentum = inertia * axis;
            JointVector& row = terms.mass[coordinate];
            for (std::size_t j = 0; j < coordinate; ++j) row[j] = 0;
            for (int j = static_cast<int>(i); j != none; j = bodies_[static_cast<std::size_t>(j)].parent) {
                const Body& carrier = bodies_[static_cast<std::size_t>(j)];
                if (carrier.coordinate == none) continue;
                row[static_cast<std::size_t>(carrier.coordinate)] =
                    power(sweep.axes[static_cast<std::size_t>(j)], momentum);
            }
        }
        if (body.parent == none) continue;
        const auto parent = static_cast<std::size_t>(body.parent);
        sweep.inertias[parent] += inertia;
        sweep.loads[parent].moment += sweep.loads[i].moment;
        sweep.loads[parent].force += sweep.loads[i].force;
    }
}

void Tree::locate_tool(const Placements& placements, Terms& terms) const {
    terms.tool.fill({});
    if (tool_body_ == none) return;
    const Placement& carrier = placements[static_cast<std::size_t>(tool_body_)];
    const Vector3d point = carrier.origin + carrier.rotation * tool_point_;
    for (int i = tool_body_; i != none; i = bodies_[static_cast<std::size_t>(i)].parent) {
        const Body& body = bodies_[static_cast<std::size_t>(i)];
        const Placement& own = placements[static_cast<std::size_t>(i)];
        if (body.coordinate == none) continue;
        Motion& motion = terms.tool[static_cast<std::size_t>(body.coordinate)];
        if (body.slides)
            motion = {.translation = own.axis, .rotation = Vector3d::Zero()};
        else
            motion = {.translation = own.axis.cross(point - own.origin), .rotation = own.axis};
    }
}

}  // namespace models::mechanics
