#pragma once

#include "tests/support/bench.hpp"

#include <string>
#include <vector>

namespace tests {

/// Whether a unit's outputs belong to the inputs of its last step, or follow new inputs without a step.
enum class Outputs { held, refreshed };

/// Two masses that exchange displacements; both own the spring between them.
[[nodiscard]] Bench displacement_split(const master::base::Fraction& h);
/// The left mass gets a force, the right one gets a displacement and feeds it through to the force.
[[nodiscard]] Bench force_split(const master::base::Fraction& h, Outputs outputs);
/// x' = -x + L y and y' = -y - L x, each solved exactly for a held input.
[[nodiscard]] Bench rotation(double L, const master::base::Fraction& h);
/// A chassis that gets the force of its suspension, and a wheel that gets the chassis' velocity.
[[nodiscard]] Bench quarter_car(const master::base::Fraction& h, Outputs outputs);

/// What is known of one way to couple: the largest errors at four steps, each half of the one before.
struct Published {
    master::core::Hold hold;
    Outputs outputs;
    std::vector<double> errors;
};

/// Check the errors of an algorithm: the masses' at 10, 5, 2.5 and 1.25 ms against the closed form on [0, 1] s, the
/// quarter car's at 8, 4, 2 and 1 ms against the undivided car on [0, 2] s.
void check_displacement_split(const std::string& algorithm, const Published& published);
void check_force_split(const std::string& algorithm, const Published& published);
void check_quarter_car(const std::string& algorithm, const Published& published);

/// x and y at t = 1 s of the rotation with L = 10 and steps of 10 ms.
[[nodiscard]] std::vector<double> rotation_after_1_s(const std::string& algorithm);
/// Steps a little smaller and a little larger than the largest stable one.
struct StabilityLimit {
    master::base::Fraction below, above;
};
/// Checks that the rotation dies away below the limit and grows above it.
void check_stability(const std::string& algorithm, double L, const StabilityLimit& limit);

}  // namespace tests
