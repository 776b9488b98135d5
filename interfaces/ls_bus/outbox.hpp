#pragma once

#include "interfaces/ls_bus/operations.hpp"

#include <cstdint>
#include <tuple>

namespace interfaces::ls_bus {

/// Operations on their way out of a terminal. One tick of its clock hands over whole operations of at most
/// `most_bytes`; what is beyond waits for the next tick, and what is beyond `most_waiting` is dropped and counted.
class Outbox {
public:
    static constexpr std::size_t most_waiting = 1 << 16;

    Bytes data;  // what the next tick hands over

    void put(const Operation& operation);
    /// The clock ticked: what comes next.
    void handed_over();
    [[nodiscard]] bool empty() const { return data.empty(); }
    [[nodiscard]] std::uint64_t dropped() const { return dropped_; }

    auto members() { return std::tie(data, waiting_, dropped_); }

private:
    Bytes waiting_;
    std::uint64_t dropped_ = 0;
};

}  // namespace interfaces::ls_bus
