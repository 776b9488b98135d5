#pragma once

#include "models/machine/motion/speed_curve.hpp"

#include <array>
#include <cstddef>
#include <string_view>
#include <tuple>

namespace models::motion {

inline constexpr std::size_t most_axes = 8;
template <class T>
using PerAxis = std::array<T, most_axes>;

struct AxisParameters {
    bool limited = true;             // a cylinder; motors have no ends
    double lower = 0, stroke = 0.5;  // its ends
    double initial_position = 0;
    Speeds speeds{.extend = 0.0867162064979194, .retract = 0.11262686804157711};
};

/// Ideal axes that follow their commands with a lag and stop at their ends: no forces, no pressures, no drift.
struct Axes {
    struct Parameters {
        std::size_t count = 1;
        PerAxis<AxisParameters> axes{};
        double lag = usual_lag;
        double relief_pressure = 28e6;
    } parameters;
    PerAxis<double> command{};
    struct State {
        PerAxis<double> position{}, velocity{};
        // The relief pressure in the chamber that pushes an axis against its end, else 0.
        PerAxis<double> pressure_a{}, pressure_b{};
    } state;
    PerAxis<std::string_view> names{};  // for messages

    /// Throws std::runtime_error naming a parameter out of range.
    void initialize(double t);
    void evaluate(double) {}
    void step(double t, double h);
    auto members() { return std::tie(parameters, command, state); }
};

}  // namespace models::motion
