#pragma once

#include "models/machine/hydraulics/parameters.hpp"
#include "models/machine/motion/speed_curve.hpp"

namespace models::hydraulics {

/// A plant with the names of its axes.
struct Machine {
    Parameters parameters;
    PerAxis<std::string_view> names{};
    PerAxis<bool> rotary{};            // motors that turn: rad, N m
    PerAxis<motion::Speeds> speeds{};  // at full command, for the simpler models of the same machine
    PerAxis<double> lower{};           // where a linkage stops an axis before its cylinder's retracted end
};

/// The boom of an excavator alone: one cylinder, nothing beyond it.
[[nodiscard]] Machine boom_axis();
/// Boom, arm and bucket of a 10 t excavator on one pump, without counterbalance valves.
[[nodiscard]] Machine excavator();
/// The demolition excavator: six cylinders, the motors of rotator and travel drive, power limit, counterbalance valves.
[[nodiscard]] Machine demolition_excavator();

}  // namespace models::hydraulics
