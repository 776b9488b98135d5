#include "models/machine/mechanics/factor.hpp"
#include "models/machine/mechanics/mechanics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

/// How the machine advances. Friction around standstill and end stops are stiff (rates to 1e5 1/s on light axes), all
/// else is slow. Both stiff terms act on one joint each, so their derivatives are diagonal in joint space: a linearly
/// implicit method costs one factorisation of mass matrix + diagonal per step. It may ignore every other derivative
/// if it is a W-method; ROS34PW2 (Rang and Angermann, BIT 45, 2005) has order 3 with any matrix in place of the
/// Jacobian, is L-stable and stiffly accurate, and carries a result of order 2 that measures its error.
namespace models {

namespace {

constexpr std::size_t stages = 4;
constexpr double diagonal = 4.3586652150845900e-01;
using Row = std::array<double, stages>;
constexpr std::array<Row, stages> explicit_weights{
    {{}, {8.7173304301691801e-01}, {8.4457060015369423e-01, -1.1299064236484185e-01}, {0, 0, 1}}};
constexpr std::array<Row, stages> implicit_weights{
    {{},
     {-8.7173304301691801e-01},
     {-9.0338057013044082e-01, 5.4180672388095326e-02},
     {2.4212380706095346e-01, -1.2232505839045147e+00, 5.4526025533510214e-01}}};
constexpr Row result_weights{2.4212380706095346e-01, -1.2232505839045147e+00, 1.5452602553351020e+00, diagonal};
constexpr Row error_weights{result_weights[0] - 3.7810903145819369e-01, result_weights[1] + 9.6042292212423178e-02,
                            result_weights[2] - 5.0000000000000000e-01, result_weights[3] - 2.1793326075422950e-01};

constexpr double sum(const Row& row) { return row[0] + row[1] + row[2] + row[3]; }

using JointVector = Mechanics::JointVector;

/// The weighted sum of the first slopes.
JointVector combined(const std::array<JointVector, stages>& slopes, const Row& weights, std::size_t count,
                     std::size_t size) {
    JointVector result{};
    for (std::size_t s = 0; s < count; ++s) {
        if (weights[s] == 0) continue;
        for (std::size_t i = 0; i < size; ++i) result[i] += weights[s] * slopes[s][i];
    }
    return result;
}

}  // namespace

void Mechanics::step(double, double h) {
    check_inputs();
    // Below this share of the step the error is that of a corner in a force, which no smaller step resolves.
    constexpr double smallest_share = 1e-4;
    double trial_step = state.substep > 0 ? state.substep : h;
    double elapsed = 0;
    while (elapsed < h) {
        const double left = h - elapsed;
        const bool last = trial_step >= left;
        const double now = last ? left : std::min(trial_step, left / 2);
        const bool smallest = now <= smallest_share * h;
        const Trial trial = smallest ? attempt(elapsed, now, h) : cautious_attempt(elapsed, now, h);
        // Order 3: the error of a substep grows with its third power (estimate of order 2).
        constexpr double safety = 0.8, shrink = 0.2, growth = 4;
        const double factor = std::isfinite(trial.error)
                                  ? std::clamp(safety / std::cbrt(std::max(trial.error, 1e-12)), shrink, growth)
                                  : shrink;
        if (!(trial.error <= 1) && !smallest) {
            trial_step = now * std::min(factor, 0.9);
            continue;
        }
        if (!std::isfinite(trial.error))
            throw std::runtime_error("the motion of the machine is not finite: a force is far too large");
        state.q = trial.q;
        state.v = trial.v;
        elapsed = last ? h : elapsed + now;
        trial_step = now * factor;
        if (!last) continue;
        // A last piece cut short says little about the step that could have been taken.
        state.substep = std::max(trial_step, std::min(state.substep, h));
    }
}

/// A trial that leaves the range of a linkage is one that was too long.
Mechanics::Trial Mechanics::cautious_attempt(double elapsed, double h, double whole) {
    try {
        return attempt(elapsed, h, whole);
    } catch (const kinematics::RangeError&) {
        return {.error = std::numeric_limits<double>::infinity()};
    }
}

/// One step of the method from `state`; its result is not yet taken over.
Mechanics::Trial Mechanics::attempt(double elapsed, double h, double whole) {
    const std::size_t n = tree_.size();
    update(now_, state.q, state.v);

    const JointVector &damping = now_.damping, &stiffness = now_.stiffness;
    const double implicit = diagonal * h;
    mechanics::JointMatrix matrix = now_.terms.mass;
    for (std::size_t i = 0; i < n; ++i) matrix[i][i] += implicit * (damping[i] + implicit * stiffness[i]);
    const mechanics::Factor factor(matrix, n);

    std::array<JointVector, stages> slopes_q{}, slopes_v{};
    Point point;
    for (std::size_t s = 0; s < stages; ++s) {
        JointVector q = state.q, v = state.v, right{};
        const double at = elapsed + sum(explicit_weights[s]) * h;
        if (s == 0) {
            right = torques(now_, at);
        } else {
            const JointVector dq = combined(slopes_q, explicit_weights[s], s, n);
            const JointVector dv = combined(slopes_v, explicit_weights[s], s, n);
            for (std::size_t i = 0; i < n; ++i) {
                q[i] += h * dq[i];
                v[i] += h * dv[i];
            }
            update(point, q, v);
            JointVector acceleration = torques(point, at);
            mechanics::Factor(point.terms.mass, n).solve(acceleration);
            right = mechanics::product(now_.terms.mass, acceleration, n);
        }
        // The forces' own course in time belongs to the derivative, too.
        const double in_time = h * (sum(implicit_weights[s]) + diagonal);
        for (std::size_t i = 0; i < axes_.size(); ++i)
            if (!locked_[axes_[i].coordinate])
                right[axes_[i].coordinate] += in_time * now_.transmissions[i].arm * force_slopes[i];

        const JointVector before_q = combined(slopes_q, implicit_weights[s], s, n);
        const JointVector before_v = combined(slopes_v, implicit_weights[s], s, n);
        for (std::size_t i = 0; i < n; ++i) {
            const double moved = v[i] + h * before_v[i];
            right[i] -= h * (stiffness[i] * (before_q[i] + diagonal * moved) + damping[i] * before_v[i]);
        }
        factor.solve(right);
        slopes_v[s] = right;
        for (std::size_t i = 0; i < n; ++i) slopes_q[s][i] = v[i] + h * before_v[i] + implicit * right[i];
    }

    Trial trial{.q = state.q, .v = state.v};
    const JointVector dq = combined(slopes_q, result_weights, stages, n);
    const JointVector dv = combined(slopes_v, result_weights, stages, n);
    const JointVector error_q = combined(slopes_q, error_weights, stages, n);
    const JointVector error_v = combined(slopes_v, error_weights, stages, n);
    for (std::size_t i = 0; i < n; ++i) {
        trial.q[i] += h * dq[i];
        trial.v[i] += h * dv[i];
        const double allowed = parameters.tolerance * std::max(1.0, std::abs(trial.v[i]));
        const double found = h * std::max(std::abs(error_v[i]), std::abs(error_q[i]) / whole);
        if (!std::isfinite(found)) return {.error = std::numeric_limits<double>::infinity()};
        trial.error = std::max(trial.error, found / allowed);
    }
    return trial;
}

}  // namespace models
