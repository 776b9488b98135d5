#pragma once

#include <cstddef>
#include <optional>
#include <tuple>
#include <vector>

namespace models::planning {

/// A stretch of the rim, from its coordinates (m along the rim).
struct Stretch {
    double first = 0, last = 0;
};

/// What is known of the top of a wall along the rim: seen by the LiDAR where it looks, and cut by the tool itself.
/// Cells of equal length from `start` on; heights above the rim that carries the machine.
class Rim {
public:
    static constexpr double cell_length = 0.05;

    struct Cell {
        double height = 0;
        bool known = false, seen = false;  // seen: by the LiDAR, since the last cut
        double cut_time = -1e9;
    };

    Rim() = default;
    Rim(double start, double length);

    /// Forgets everything; the cells lie from `start` on.
    void restart(double start);
    /// Where the first cell begins and the last one ends.
    [[nodiscard]] double start() const { return start_; }
    [[nodiscard]] double end() const { return start_ + cell_length * static_cast<double>(cells_.size()); }

    /// One estimate of the edge. Estimates come from points of the last `window` seconds, so one within that time of a
    /// cut there still shows what is gone.
    void see(double place, double height, double time, double window);
    /// The tool pressed everything in the stretch down to this height.
    void cut(const Stretch& stretch, double height, double time);

    /// How well a stretch is known.
    struct Knowledge {
        double known = 0, seen = 0;  // shares of its cells
        double top = 0;              // the third highest known cell: two outliers or one thin ridge do not count
    };
    [[nodiscard]] Knowledge about(const Stretch& stretch) const;
    /// The highest that may stand in the stretch, a single cell too: one that was neither seen nor cut counts as
    /// `unseen`. Nothing if the stretch has no cells.
    [[nodiscard]] std::optional<double> ceiling(const Stretch& stretch, double unseen) const;
    /// How much of the wall between target and target + height is gone, as a share; unknown cells count as untouched.
    [[nodiscard]] double progress(double target, double height) const;

    auto members() { return std::tie(start_, cells_); }

private:
    struct Range {
        std::size_t first = 0, last = 0;
    };
    [[nodiscard]] Range range(const Stretch& stretch) const;

    double start_ = 0;
    std::vector<Cell> cells_;
};

}  // namespace models::planning
