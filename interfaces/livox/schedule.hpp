#pragma once

#include <cstdint>
#include <optional>

namespace interfaces::livox {

/// When packets leave. A simulation hands over the points of a whole step at once; the schedule lays them out in time
/// as the sensor would have sent them, a little later than the first ones came so that an unpunctual step is not seen.
/// A simulation that is slower or faster than time, stands still or begins anew moves the schedule; a sender that was
/// held up catches up instead. Times are ns.
class Schedule {
public:
    static constexpr std::int64_t margin = 5'000'000;         // between the first points and the first packet
    static constexpr std::int64_t most_behind = 100'000'000;  // of the clock: then the schedule moves
    static constexpr std::int64_t most_ahead = 200'000'000;
    static constexpr std::int64_t late_after = 5'000'000;  // a packet that leaves later than that was late

    /// The instant at which the packet whose first point has this time may leave. `starved`: its points came just now,
    /// nothing was waiting before.
    [[nodiscard]] std::int64_t due(std::int64_t time, std::int64_t now, bool starved) {
        const std::int64_t ahead = offset_ ? time + *offset_ - now : 0;
        if (!offset_ || ahead > most_ahead || (starved && ahead < -most_behind)) offset_ = now + margin - time;
        return time + *offset_;
    }
    void restart() { offset_.reset(); }

private:
    std::optional<std::int64_t> offset_;
};

}  // namespace interfaces::livox
