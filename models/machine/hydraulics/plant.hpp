#pragma once

#include "models/machine/hydraulics/cvode_solver.hpp"
#include "models/machine/hydraulics/state.hpp"

#include <cstdint>
#include <tuple>

namespace models::hydraulics {

enum class Solver : std::int64_t { rosenbrock = 1, cvode = 2 };

/// The plant as a unit of a simulation: commands and motion in, forces out. Forces are pressure times area of the
/// state, so that no input reaches an output without a step.
struct Plant {
    struct Outputs {
        PerAxis<double> force{};
        double flow_rate = 0, power = 0;  // of the pump
    };

    Parameters parameters;
    Solver solver = Solver::rosenbrock;
    Inputs inputs{};
    State state, rates;
    Outputs outputs;
    PerAxis<std::string_view> names{};  // for messages

    /// Checks the parameters and sets holding pressures.
    void initialize(double t);
    void evaluate(double t);
    void step(double t, double h);
    auto members() { return std::tie(parameters, solver, inputs, state, rates, outputs); }

private:
    CvodeSolver cvode_;
};

}  // namespace models::hydraulics
