#pragma once

#include "fmus/can/can_bridge/arrival.hpp"
#include "fmus/can/common/port.hpp"

#include <memory>
#include <optional>
#include <string>

namespace fmus::can {

/// The world outside of a simulation, or the memory of it.
class Outside {
public:
    virtual ~Outside() = default;
    /// Goes out when the next step begins; what is given after the last one stays.
    virtual void send(const interfaces::can::Frame& frame) = 0;
    /// A step begins, and the clock on the wall has reached the time of the frames.
    virtual void begin_step() = 0;
    /// What enters at this communication point, one after the other.
    [[nodiscard]] virtual std::optional<Arrival> next(Nanoseconds point) = 0;
    /// A communication point is over.
    virtual void finish_point() = 0;
};

/// A real bus; everything that enters is kept in the journal, unless that is empty. Throws std::runtime_error.
[[nodiscard]] std::unique_ptr<Outside> open_outside(const std::string& transport,
                                                    const interfaces::can::TransportOptions& options,
                                                    const std::string& journal);
/// Plays such a journal and opens nothing else; what is sent goes nowhere.
[[nodiscard]] std::unique_ptr<Outside> replay_outside(const std::string& journal);

}  // namespace fmus::can
