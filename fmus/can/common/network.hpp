#pragma once

#include "fmus/can/common/port.hpp"
#include "interfaces/can_mapping/mapping.hpp"
#include "interfaces/dbc/plan.hpp"

#include <optional>
#include <string>
#include <vector>

namespace fmus::can {

/// A message as one unit sees it: the variables of its signals, and how it is protected.
struct Channel {
    std::size_t message = 0;  // of the database
    struct Line {
        std::uint32_t signal = 0;
        std::size_t variable = 0;  // among all inputs, or all outputs
        double gain = 1, offset = 0;
    };
    std::vector<Line> lines = {};
    interfaces::e2e::Protection protection = {};
    interfaces::e2e::Monitor::Limits limits = {};
    Nanoseconds period = 0;                         // 0: sent when a value changes
    std::optional<std::size_t> set = std::nullopt;  // of messages that count together
    std::uint64_t member = 0;                       // its bit in the set
};

/// A variable that a signal becomes.
struct SignalVariable {
    std::string name, unit, description;
    double start = 0;
};

/// What a mapping file and the names of the nodes that a unit plays make of a DBC file: their messages are sent, all
/// others are received. Signals without a connector are called message.signal.
struct Network {
    interfaces::can_mapping::Mapping mapping;
    interfaces::dbc::Plans plans;
    std::vector<Channel> sent, received;
    std::vector<SignalVariable> inputs, outputs;
    std::vector<std::uint64_t> sets;  // the bits of all members

    /// Throws std::runtime_error for a node that the DBC file does not know.
    Network(interfaces::can_mapping::Mapping mapping, const std::vector<std::string>& nodes);

    /// The received channel of a frame, or null.
    [[nodiscard]] const Channel* find(const interfaces::can::Frame& frame) const;
};

}  // namespace fmus::can
