#include "models/mechanics/tree.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

namespace models::mechanics {

namespace {

using Eigen::Isometry3d;
using Eigen::Matrix3d;
using Eigen::Vector3d;

/// A rotation whose z axis is the given direction.
Matrix3d axes_with_z(const Vector3d& direction) {
    return Eigen::Quaterniond::FromTwoVectors(Vector3d::UnitZ(), direction).toRotationMatrix();
}

/// Inertia of a point mass about the origin, per unit of mass.
Matrix3d spread(const Vector3d& r) { return r.squaredNorm() * Matrix3d::Identity() - r * r.transpose(); }

/// Mass, first moment and inertia about one point; bodies that move together simply add.
struct Lump {
    double mass = 0;
    Vector3d moment = Vector3d::Zero();
    Matrix3d about_origin = Matrix3d::Zero();

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
    Vector3d angular = Vector3d::Zero(), linear = Vector3d::Zero();
};

/// A force and its moment about the reference; also a momentum.
struct Load {
    Vector3d moment = Vector3d::Zero(), force = Vector3d::Zero();
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
        int body = root;
        Isometry3d pose = Isometry3d::Identity();
    };
    std::vector<Place> places(machine.links.size());
    std::array<Lump, most_joints> lumps{};
    Lump root_lump = lump(machine.links[0].inertia, Isometry3d::Identity());
    for (std::size_t i = 0; i < machine.joints.size(); ++i) {
        const kinematics::Joint& joint = machine.joints[i];
        const Place& parent = places[joint.parent];
        Place& place = places[i + 1];
        const Isometry3d at_rest = parent.pose * joint.origin;
        if (joint.kind == kinematics::JointKind::fixed) {
            require(machine.tilted != i + 1,
                    "link '" + machine.links[i + 1].name +
                        "' is tilted by pitch and roll, but fixed to its parent: tilt the root "
                        "or a link on a moving joint");
            place = {.body = parent.body, .pose = at_rest};
            coordinates_.emplace_back();
        } else {
            require(size_ < most_joints,
                    "machine '" + machine.name + "' has more than " + std::to_string(most_joints) + " moving joints");
            const Matrix3d axes = axes_with_z(joint.axis.normalized());
            place = {.body = static_cast<int>(size_), .pose = Isometry3d(Matrix3d(axes.transpose()))};
            bodies_[size_] = {.parent = parent.body,
                              .slides = joint.kind == kinematics::JointKind::prismatic,
                              .rotation = at_rest.linear() * axes,
                              .offset = at_rest.translation()};
            if (machine.tilted == i + 1) {
                tilted_ = place.body;
                tilt_axes_ = axes.transpose();
            }
            coordinates_.emplace_back(size_++);
        }
        Lump& target = place.body == root ? root_lump : lumps[static_cast<std::size_t>(place.body)];
        target += lump(machine.links[i + 1].inertia, place.pose);
    }
    for (std::size_t i = 0; i < size_; ++i) {
        Body& body = bodies_[i];
        body.mass = lumps[i].mass;
        if (body.mass > 0) body.centre = lumps[i].moment / body.mass;
        body.about_centre = lumps[i].about_origin - body.mass * spread(body.centre);
    }
    root_mass_ = root_lump.mass;
    if (root_mass_ > 0) root_centre_ = root_lump.moment / root_mass_;
    if (machine.tool) {
        tool_body_ = places[*machine.tool].body;
        tool_point_ = places[*machine.tool].pose * machine.tool_point.translation();
    }
}

void Tree::place(const JointVector& q, const Matrix3d& tilt, Placements& placements) const {
    const Placement base{.rotation = tilted_ == root ? tilt : Matrix3d::Identity(),
                         .axis = Vector3d::UnitZ(),
                         .origin = Vector3d::Zero()};
    for (std::size_t i = 0; i < size_; ++i) {
        const Body& body = bodies_[i];
        const Placement& parent = body.parent == root ? base : placements[static_cast<std::size_t>(body.parent)];
        Placement& own = placements[i];
        own.rotation.noalias() = parent.rotation * body.rotation;
        own.origin = parent.origin + parent.rotation * body.offset;
        own.axis = own.rotation.col(2);
        if (body.slides) {
            own.origin += q[i] * own.axis;
        } else {
            const double c = std::cos(q[i]), s = std::sin(q[i]);
            const Vector3d x = own.rotation.col(0);
            own.rotation.col(0) = c * x + s * own.rotation.col(1);
            own.rotation.col(1) = c * own.rotation.col(1) - s * x;
        }
        if (tilted_ == static_cast<int>(i))
            own.rotation = (own.rotation * tilt_axes_ * tilt * tilt_axes_.transpose()).eval();
    }
}

void Tree::evaluate(const JointVector& q, const JointVector& v, Lean lean, Terms& terms) const {
    const Matrix3d tilt =
        (Eigen::AngleAxisd(lean.pitch, -Vector3d::UnitY()) * Eigen::AngleAxisd(lean.roll, Vector3d::UnitX()))
            .toRotationMatrix();
    Placements placements;
    place(q, tilt, placements);
    // Any point at rest will do; one amid the machine keeps the digits of small links far from the root.
    const Vector3d reference = size_ > 0 ? placements[size_ / 2].origin : Vector3d::Zero();

    std::array<Twist, most_joints> axes, velocities, accelerations;
    std::array<Lump, most_joints> inertias;
    std::array<Load, most_joints> loads;
    terms.kinetic = 0;
    terms.potential = root_mass_ * gravity * ((tilted_ == root ? tilt : Matrix3d::Identity()) * root_centre_).z();
    for (std::size_t i = 0; i < size_; ++i) {
        const Body& body = bodies_[i];
        const Placement& own = placements[i];
        const Vector3d arm = own.origin - reference;
        if (body.slides)
            axes[i] = {.angular = Vector3d::Zero(), .linear = own.axis};
        else
            axes[i] = {.angular = own.axis, .linear = arm.cross(own.axis)};

        Twist& velocity = velocities[i];
        Twist& acceleration = accelerations[i];
        const Twist relative{.angular = v[i] * axes[i].angular, .linear = v[i] * axes[i].linear};
        if (body.parent == root) {
            // Gravity as an acceleration of the root upwards.
            velocity = relative;
            acceleration = {.angular = Vector3d::Zero(), .linear = {0, 0, gravity}};
        } else {
            const Twist& of_parent = velocities[static_cast<std::size_t>(body.parent)];
            velocity = {.angular = of_parent.angular + relative.angular, .linear = of_parent.linear + relative.linear};
            const Twist& before = accelerations[static_cast<std::size_t>(body.parent)];
            acceleration = {.angular = before.angular + of_parent.angular.cross(relative.angular),
                            .linear = before.linear + of_parent.angular.cross(relative.linear) +
                                      of_parent.linear.cross(relative.angular)};
        }

        Lump& inertia = inertias[i];
        const Vector3d centre = arm + own.rotation * body.centre;
        inertia.mass = body.mass;
        inertia.moment = body.mass * centre;
        inertia.about_origin.noalias() = own.rotation * body.about_centre * own.rotation.transpose();
        inertia.about_origin += body.mass * spread(centre);

        const Load momentum = inertia * velocity;
        loads[i] = inertia * acceleration;
        loads[i].moment += velocity.angular.cross(momentum.moment) + velocity.linear.cross(momentum.force);
        loads[i].force += velocity.angular.cross(momentum.force);
        terms.kinetic += power(velocity, momentum) / 2;
        terms.potential += body.mass * gravity * (centre.z() + reference.z());
    }

    for (std::size_t i = size_; i-- > 0;) {
        const Lump& inertia = inertias[i];
        terms.bias[i] = power(axes[i], loads[i]);
        const Load weight{.moment = gravity * inertia.moment.cross(Vector3d::UnitZ()),
                          .force = {0, 0, gravity * inertia.mass}};
        terms.gravity[i] = power(axes[i], weight);
        const Load momentum = inertia * axes[i];
        for (std::size_t j = 0; j < i; ++j) terms.mass[i][j] = 0;
        for (int j = static_cast<int>(i); j != root; j = bodies_[static_cast<std::size_t>(j)].parent)
            terms.mass[i][static_cast<std::size_t>(j)] = power(axes[static_cast<std::size_t>(j)], momentum);
        if (bodies_[i].parent == root) continue;
        const auto parent = static_cast<std::size_t>(bodies_[i].parent);
        inertias[parent] += inertia;
        loads[parent].moment += loads[i].moment;
        loads[parent].force += loads[i].force;
    }
    locate_tool(placements, terms);
}

void Tree::locate_tool(const Placements& placements, Terms& terms) const {
    terms.tool.fill({});
    if (tool_body_ == root) return;
    const Placement& carrier = placements[static_cast<std::size_t>(tool_body_)];
    const Vector3d point = carrier.origin + carrier.rotation * tool_point_;
    for (int body = tool_body_; body != root; body = bodies_[static_cast<std::size_t>(body)].parent) {
        const auto i = static_cast<std::size_t>(body);
        const Placement& own = placements[i];
        if (bodies_[i].slides)
            terms.tool[i] = {.translation = own.axis, .rotation = Vector3d::Zero()};
        else
            terms.tool[i] = {.translation = own.axis.cross(point - own.origin), .rotation = own.axis};
    }
}

}  // namespace models::mechanics
