#pragma once

#include "interfaces/can/endpoint.hpp"

#include <variant>

namespace fmus::can {

/// An own frame that the world outside did not take.
struct Refused {
    interfaces::can::Frame frame;
};

/// What comes from the world outside: a frame of another one or the echo of an own one, one that was not taken, or how
/// the bus stands.
using Arrival = std::variant<interfaces::can::Received, Refused, interfaces::can::Endpoint::Report>;

}  // namespace fmus::can
