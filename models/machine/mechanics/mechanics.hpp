#pragma once

#include "models/machine/kinematics/linkage.hpp"
#include "models/machine/mechanics/resistance.hpp"
#include "models/machine/mechanics/tree.hpp"

#include <array>
#include <tuple>
#include <vector>

namespace models {

/// A machine that moves under the forces of its axes:  M(q) a = forces x arms - bias(q, v) - friction - end stops +
/// tool. Coordinates are those of the joints; an axis' position and moment arm follow from its linkage in closed form.
/// A joint without an axis swings freely.
class Mechanics {
public:
    static constexpr std::size_t most_joints = mechanics::most_joints;
    using JointVector = mechanics::JointVector;
    using AxisVector = std::array<double, most_joints>;

    struct AxisParameters {
        double initial_position = 0;
        bool locked = false;  // stays at its initial position
        mechanics::Friction friction;
        mechanics::EndStops end_stops;
    };
    struct Parameters {
        std::array<AxisParameters, most_joints> axes{};
        bool friction = true, end_stops = true;
        double tolerance = 1e-5;  // of joint velocities per step, rad/s or m/s; of joint positions as much per second
    } parameters;
    struct Inputs {
        AxisVector force{};
        std::array<double, 6> tool{};  // force, then torque at the tool point, in the axes of the root
        double pitch = 0, roll = 0;
    } inputs;
    AxisVector force_slopes{};  // N/s, over the coming step
    struct State {
        JointVector q{}, v{};
        double substep = 0;  // what the last step would try next; 0 before the first
    } state;
    struct Rates {
        JointVector q{}, v{};
    } rates;
    struct Outputs {
        AxisVector position{}, velocity{};
        AxisVector load{};     // the force that holds the axis against gravity
        AxisVector inertia{};  // what the axis moves by itself, reduced to its position
        double kinetic = 0, potential = 0;
    } outputs;

    Mechanics() = default;
    /// Throws std::invalid_argument for a machine that is no tree, or has an axis that cannot work.
    explicit Mechanics(const kinematics::Machine& machine);

    [[nodiscard]] std::size_t axis_count() const { return axes_.size(); }
    [[nodiscard]] std::size_t joint_count() const { return tree_.size(); }
    [[nodiscard]] std::size_t coordinate_of(std::size_t axis) const { return axes_[axis].coordinate; }
    [[nodiscard]] const mechanics::Tree& tree() const { return tree_; }

    void initialize(double t);
    void evaluate(double t);
    void step(double t, double h);

    auto members() { return std::tie(parameters, inputs, force_slopes, state, rates, outputs, locked_); }

private:
    /// An end of the stroke. The stop works on the joint with the arm that the axis has there: beyond it a four-bar
    /// may lose its own.
    struct End {
        double joint = 0, arm = 0;
    };
    struct DrivenAxis {
        kinematics::Linkage linkage;
        std::size_t coordinate = 0;
        End lower, upper;  // of no use if there is none
    };
    /// Everything about one state that does not depend on the forces.
    struct Point {
        JointVector q{}, v{};
        mechanics::Lean lean;
        bool valid = false;
        mechanics::Terms terms;
        std::array<kinematics::Transmission, most_joints> transmissions{};
        JointVector resistance{}, damping{}, stiffness{};  // of the joints: friction and end stops
    };
    struct Trial {
        JointVector q{}, v{};
        double error = 0;  // 1 is the tolerance
    };

    void check_parameters() const;
    void check_inputs() const;
    [[nodiscard]] mechanics::Resistance end_stop(std::size_t axis, const Point& point) const;
    void update(Point& point, const JointVector& q, const JointVector& v) const;
    [[nodiscard]] JointVector torques(const Point& point, double elapsed) const;
    [[nodiscard]] Trial cautious_attempt(double elapsed, double h, double whole);
    [[nodiscard]] Trial attempt(double elapsed, double h, double whole);

    mechanics::Tree tree_;
    std::vector<DrivenAxis> axes_;
    std::array<bool, most_joints> locked_{};  // joints
    Point now_;                               // of `state`, kept from the end of a step to the beginning of the next
};

}  // namespace models
