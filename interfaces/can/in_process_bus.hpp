#pragma once

#include "interfaces/can/transport.hpp"

#include <memory>
#include <string>
#include <vector>

namespace interfaces::can {

/// A bus within one thread of one process: a frame is at once with all others, in the order of sending.
class InProcessBus {
public:
    /// A place on the bus, which must not outlive the bus; it holds up to `capacity` frames that were not received yet.
    [[nodiscard]] std::unique_ptr<Transport> attach(std::string name, const TransportOptions& options = {},
                                                    std::size_t capacity = 1024);
    /// What the frames from now on are stamped with.
    void set_time(std::int64_t nanoseconds) { nanoseconds_ = nanoseconds; }

private:
    class Place;

    std::int64_t nanoseconds_ = 0;
    std::vector<Place*> places_;
};

}  // namespace interfaces::can
