#include "models/machine/mechanics/mechanics.hpp"

#include "models/machine/mechanics/factor.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

namespace models {

namespace {

/// Assumed friction: motors turn a slewing ring or drive wheels, and their forces are
/// torques (ratio 1) or forces along the path.
mechanics::Friction usual_friction(const kinematics::Axis& axis) {
    const auto* direct = std::get_if<kinematics::Direct>(&axis.drive);
    if (direct == nullptr) return {};
    if (std::abs(direct->ratio) == 1) return {.coulomb = 200, .breakaway = 300, .viscous = 500};
    return {.coulomb = 1000, .breakaway = 1500, .viscous = 5000};
}

double middle(const kinematics::Axis& axis) {
    return std::isfinite(axis.lower) && std::isfinite(axis.upper) ? (axis.lower + axis.upper) / 2 : 0;
}

}  // namespace

Mechanics::Mechanics(const kinematics::Machine& machine) : tree_(machine) {
    if (machine.axes.size() > most_joints)
        throw std::invalid_argument("machine '" + machine.name + "' has " + std::to_string(machine.axes.size()) +
                                    " axes, expected at most " + std::to_string(most_joints));
    std::array<const kinematics::Axis*, most_joints> drivers{};
    axes_.reserve(machine.axes.size());
    for (std::size_t i = 0; i < machine.axes.size(); ++i) {
        const kinematics::Axis& axis = machine.axes[i];
        kinematics::Linkage linkage(machine, i);
        const std::size_t coordinate = *tree_.coordinate(axis.joint);
        if (drivers[coordinate] != nullptr)
            throw std::invalid_argument("axes '" + drivers[coordinate]->name + "' and '" + axis.name +
                                        "' drive the same joint '" + machine.joints[axis.joint].name + "'");
        drivers[coordinate] = &axis;
        const auto end = [&](double position) {
            if (!std::isfinite(position)) return End{};
            const double joint = linkage.joint(position);
            return End{.joint = joint, .arm = linkage.transmission(joint).arm};
        };
        const End lower = end(axis.lower), upper = end(axis.upper);
        axes_.push_back({std::move(linkage), coordinate, lower, upper});
        parameters.axes[i] = {.initial_position = middle(axis),
                              .friction = usual_friction(axis),
                              .end_stops = {.lower = axis.lower, .upper = axis.upper}};
    }
}

void Mechanics::initialize(double) {
    check_parameters();
    state = {};
    locked_.fill(false);
    now_.valid = false;
    for (std::size_t i = 0; i < axes_.size(); ++i) {
        const std::size_t coordinate = axes_[i].coordinate;
        state.q[coordinate] = axes_[i].linkage.joint(parameters.axes[i].initial_position);
        locked_[coordinate] = parameters.axes[i].locked;
    }
}

void Mechanics::check_parameters() const {
    const auto require = [](bool condition, const std::string& axis, const std::string& what, double found,
                            const std::string& expected) {
        if (condition) return;
        throw std::invalid_argument("axis '" + axis + "': " + what + " is " + std::to_string(found) + ", expected " +
                                    expected);
    };
    for (std::size_t i = 0; i < axes_.size(); ++i) {
        const kinematics::Linkage& linkage = axes_[i].linkage;
        const AxisParameters& axis = parameters.axes[i];
        const auto not_negative = [&](const std::string& what, double value) {
            require(value >= 0 && std::isfinite(value), linkage.name(), what, value, "0 or more");
        };
        const auto positive = [&](const std::string& what, double value) {
            require(value > 0 && std::isfinite(value), linkage.name(), what, value, "more than 0");
        };
        require(linkage.stroke().contain(axis.initial_position), linkage.name(), "the initial position",
                axis.initial_position,
                std::to_string(linkage.stroke().lower) + " .. " + std::to_string(linkage.stroke().upper));
        not_negative("Coulomb friction", axis.friction.coulomb);
        not_negative("breakaway friction", axis.friction.breakaway);
        not_negative("viscous friction", axis.friction.viscous);
        positive("the Stribeck velocity", axis.friction.stribeck_velocity);
        positive("the smoothing velocity", axis.friction.smoothing_velocity);
        not_negative("the stiffness of the end stops", axis.end_stops.stiffness);
        not_negative("the damping of the end stops", axis.end_stops.damping);
    }
    if (!(parameters.tolerance > 0))
        throw std::invalid_argument("the tolerance is " + std::to_string(parameters.tolerance) +
                                    ", expected more than 0");
}

void Mechanics::check_inputs() const {
    for (std::size_t i = 0; i < axes_.size(); ++i)
        if (!std::isfinite(inputs.force[i]) || !std::isfinite(force_slopes[i]))
            throw std::invalid_argument("axis '" + axes_[i].linkage.name() + "': the force is not a finite number");
    for (const double value : inputs.tool)
        if (!std::isfinite(value)) throw std::invalid_argument("the force on the tool is not a finite number");
    if (!std::isfinite(inputs.pitch) || !std::isfinite(inputs.roll))
        throw std::invalid_argument("pitch or roll is not a finite number");
}

void Mechanics::update(Point& point, const JointVector& q, const JointVector& v) const {
    const mechanics::Lean lean{.pitch = inputs.pitch, .roll = inputs.roll};
    if (point.valid && point.q == q && point.v == v && point.lean == lean) return;
    point.valid = false;
    point.q = q;
    point.v = v;
    point.lean = lean;
    tree_.evaluate(q, v, lean, point.terms);
    for (std::size_t i = 0; i < axes_.size(); ++i) {
        const std::size_t coordinate = axes_[i].coordinate;
        const kinematics::Transmission& transmission = point.transmissions[i] =
            axes_[i].linkage.transmission(q[coordinate]);
        mechanics::Resistance total;
        if (parameters.friction && !locked_[coordinate])
            total = parameters.axes[i].friction.against(transmission.arm * v[coordinate]).at(transmission.arm);
        if (parameters.end_stops && !locked_[coordinate]) total += end_stop(i, point);
        point.resistance[coordinate] = total.force;
        point.damping[coordinate] = total.damping;
        point.stiffness[coordinate] = total.stiffness;
    }
    for (std::size_t i = 0; i < tree_.size(); ++i) {
        if (!locked_[i]) continue;
        // A locked joint has no equation of its own: its row and column are those of the identity.
        for (std::size_t j = 0; j < i; ++j) point.terms.mass[i][j] = 0;
        for (std::size_t j = i + 1; j < tree_.size(); ++j) point.terms.mass[j][i] = 0;
    }
    point.valid = true;
}

mechanics::Resistance Mechanics::end_stop(std::size_t i, const Point& point) const {
    const DrivenAxis& axis = axes_[i];
    const mechanics::EndStops& stops = parameters.axes[i].end_stops;
    const double position = point.transmissions[i].position;
    if (position >= stops.lower && position <= stops.upper) return {};
    const bool below = position < stops.lower;
    const End& end = below ? axis.lower : axis.upper;
    const double beyond = end.arm * (point.q[axis.coordinate] - end.joint);
    const double rate = end.arm * point.v[axis.coordinate];
    return stops.against((below ? stops.lower : stops.upper) + beyond, rate).at(end.arm);
}

Mechanics::JointVector Mechanics::torques(const Point& point, double elapsed) const {
    JointVector result;
    const Eigen::Map<const Eigen::Vector3d> force(inputs.tool.data()), torque(inputs.tool.data() + 3);
    for (std::size_t i = 0; i < tree_.size(); ++i)
        result[i] = point.terms.tool[i].translation.dot(force) + point.terms.tool[i].rotation.dot(torque) -
                    point.terms.bias[i] - point.resistance[i];
    for (std::size_t i = 0; i < axes_.size(); ++i)
        result[axes_[i].coordinate] += point.transmissions[i].arm * (inputs.force[i] + elapsed * force_slopes[i]);
    for (std::size_t i = 0; i < tree_.size(); ++i)
        if (locked_[i]) result[i] = 0;
    return result;
}

void Mechanics::evaluate(double) {
    update(now_, state.q, state.v);
    rates.q = state.v;
    rates.v = torques(now_, 0);
    mechanics::Factor(now_.terms.mass, tree_.size()).solve(rates.v);
    for (std::size_t i = 0; i < axes_.size(); ++i) {
        const std::size_t coordinate = axes_[i].coordinate;
        const kinematics::Transmission& transmission = now_.transmissions[i];
        outputs.position[i] = transmission.position;
        outputs.velocity[i] = transmission.arm * state.v[coordinate];
        outputs.load[i] = now_.terms.gravity[coordinate] / transmission.arm;
        outputs.inertia[i] = now_.terms.mass[coordinate][coordinate] / (transmission.arm * transmission.arm);
    }
    outputs.kinetic = now_.terms.kinetic;
    outputs.potential = now_.terms.potential;
}

}  // namespace models
