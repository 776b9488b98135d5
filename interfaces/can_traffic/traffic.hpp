#pragma once

#include "interfaces/can/frame.hpp"
#include "interfaces/dbc/plan.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

/// What was on a bus: how often each message, with which values.
namespace interfaces::can_traffic {

struct SignalTraffic {
    bool seen = false;
    double last = 0, least = 0, most = 0;  // NaN where J1939 says that there is none
};

struct MessageTraffic {
    std::size_t message = dbc::Plans::none;  // in the database
    std::uint64_t count = 0, too_short = 0;
    std::int64_t first = 0, last = 0;          // ns
    std::int64_t least_gap = 0, most_gap = 0;  // ns, between two of them
    can::Frame frame;                          // the last one
    std::vector<SignalTraffic> signals;

    /// Per second; 0 for a single one.
    [[nodiscard]] double rate() const;
};

class Traffic {
public:
    /// Identifiers beyond these are only counted.
    static constexpr std::size_t most_messages = 65536;
    using Key = std::pair<std::uint32_t, bool>;  // identifier, extended

    /// The database, which must live as long, gives names and signals.
    explicit Traffic(const dbc::Database* database);

    void take(std::int64_t nanoseconds, const can::Frame& frame);

    [[nodiscard]] const std::map<Key, MessageTraffic>& messages() const { return messages_; }
    [[nodiscard]] std::uint64_t frames() const { return frames_; }
    [[nodiscard]] std::uint64_t error_frames() const { return error_frames_; }
    [[nodiscard]] std::uint64_t beyond() const { return beyond_; }
    /// Frames that are older than one before them: gaps to them count as none.
    [[nodiscard]] std::uint64_t out_of_order() const { return out_of_order_; }
    /// Seconds from the earliest frame to the latest.
    [[nodiscard]] double duration() const { return static_cast<double>(last_ - first_) * 1e-9; }
    /// Share of that time that the wire was busy, at these bit rates. Logs tell when a frame has ended, so the first
    /// one lies before that time and does not count.
    [[nodiscard]] double load(double nominal_rate, double data_rate) const;

private:
    void decode(MessageTraffic& row, const can::Frame& frame);

    const dbc::Database* database_;
    std::optional<dbc::Plans> plans_;
    std::map<Key, MessageTraffic> messages_;
    std::vector<dbc::Raw> raws_;
    std::uint64_t frames_ = 0, error_frames_ = 0, beyond_ = 0, out_of_order_ = 0;
    std::uint64_t nominal_bits_ = 0, data_bits_ = 0;
    std::int64_t first_ = 0, last_ = 0;
};

}  // namespace interfaces::can_traffic
