#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace master::fmi {

/// Watches the zeros of event indicators for ones that come ever closer, as the impacts of a bouncing ball do (Zeno
/// behaviour). A solver that begins anew after each event jumps over two zeros at once as soon as they are closer than
/// its first step, and the ball falls through the floor.
class EventSeries {
public:
    /// Zeros of one indicator in one direction, each closer to the one before than that to its own.
    struct Series {
        double first = 0, last = 0;  // distances in s
        int count = 0;               // of distances
    };
    enum class Verdict : std::uint8_t { apart, closing, accumulating };

    explicit EventSeries(std::size_t indicators = 0) : tracks_(2 * indicators) {}

    /// Zeros at `t`: for each indicator 1 when it rises through zero, -1 when it falls, 0 when it has none.
    Verdict add(std::span<const int> crossings, double t);
    /// A state was restored: what was seen does not lead here.
    void forget() { *this = EventSeries(tracks_.size() / 2); }

    /// The series of the last verdict that was not `apart`.
    [[nodiscard]] const Series& closing() const { return closing_; }
    /// The longest step at `t` that does not jump over the next zeros of a series; zero where none is going on.
    [[nodiscard]] double step_limit(double t) const { return t <= limited_until_ ? step_limit_ : 0; }

private:
    struct Track {
        double at = 0;
        bool seen = false;
        Series series;

        void add(double t);
    };

    std::vector<Track> tracks_;  // per indicator: falling, rising
    Series closing_;
    double step_limit_ = 0, limited_until_ = 0;
};

}  // namespace master::fmi
