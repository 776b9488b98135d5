#pragma once

#include "interfaces/canopen/node.hpp"

#include <string>
#include <vector>

namespace interfaces::canopen {

/// A kind of sensor of the excavator; its EDS is config/can/<name>.eds.
struct SensorKind {
    std::string name;
    Dictionary dictionary;
};

/// 1D and 2D inclinometer, draw-wire, rotary encoder, pressure transmitter.
[[nodiscard]] std::vector<SensorKind> sensor_kinds();

/// The nine sensors of bus 1, commissioned at 250 kbit/s, with the signals of the excavator.
[[nodiscard]] std::vector<Node> excavator_sensors();

}  // namespace interfaces::canopen
