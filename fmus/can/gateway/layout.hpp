#pragma once

#include "fmus/can/common/port.hpp"
#include "interfaces/can/frame.hpp"
#include "interfaces/can_mapping/mapping.hpp"
#include "interfaces/dbc/plan.hpp"
#include "interfaces/e2e/protection.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fmus::can {

/// A signal of a DBC file as a gateway offers it: value = physical * gain + offset.
struct GatewaySignal {
    enum class Kind : std::uint8_t { real, whole, flag };
    std::string name;  // its connector, or Message.Signal where it has none
    Kind kind = Kind::real;
    std::size_t signal = 0;      // in the message
    bool has_indicator = false;  // J1939: some raw values are no numbers
    double gain = 1, offset = 0, initial = 0;
    std::string unit, description;
};

/// A message of a DBC file. Its counter and its checksum are nobody's signals.
struct GatewayMessage {
    std::string name;
    interfaces::can::Frame frame;  // with what the bits of no signal are
    Nanoseconds cycle = 0;         // 0: sent when a value changes
    bool is_one_frame = true;      // not one of a transport protocol
    bool j1939 = false;
    std::size_t first = 0, count = 0;  // of its signals
    std::size_t place = 0, width = 0;  // of its values, counter and checksum among them
    interfaces::e2e::Protection protection;
    interfaces::e2e::Monitor::Limits limits;
    std::optional<std::size_t> set;
    std::size_t member = 0;  // of the set
    std::vector<std::string> senders, receivers;
};

/// What follows from the files: made once, then only read.
struct GatewayLayout {
    std::vector<std::string> nodes;
    std::vector<GatewayMessage> messages;        // as in the DBC file
    std::vector<GatewaySignal> signals;          // message after message
    std::vector<std::vector<std::size_t>> sets;  // messages that count together
    interfaces::dbc::Plans plans;
    std::size_t width = 0;             // values of all messages
    std::vector<std::string> remarks;  // what is odd in the DBC file, each with file:line

    /// Throws std::runtime_error for what one unit cannot do: two signals of one name, a set that is not sent at once.
    explicit GatewayLayout(const interfaces::can_mapping::Mapping& mapping);

    /// The signal of that name, if there is one.
    [[nodiscard]] std::optional<std::size_t> find(const std::string& name) const;
    /// The message that a signal belongs to.
    [[nodiscard]] std::size_t message_of(std::size_t signal) const;
};

}  // namespace fmus::can
