#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

namespace models::edge {

/// Finds the top edge of a wall from points on its face, azimuth by azimuth, over a sliding time window.
///
/// The azimuths of `span` are cut into bins. The points of all bins within `reach` are looked at together: the height
/// of the point of rank `rank` from above, minus the median error of such a point (highest_point.hpp) for the density
/// of points found below it; points too lonely to be that of a face are passed over. So stray points do no harm, and
/// noise and sparse points do not bias the result. Three such windows contain a bin: to its left, around it, to its
/// right. If they agree, their mean is the edge; if they differ by a `step` of the wall, the lowest is, because the
/// others reach over the step; in between the scan pattern left a gap or a small step is near, and the bin is not
/// valid. Nor is one without enough points, or one whose edge is not safely below the highest point the sensor can see
/// there.
///
/// Heights are counted in cells, so a new or an aged point costs one addition, however many there are, and empty cells
/// are passed over 64 at a time. Where the wall was lowered, the edge follows when the old points have left the window
/// (or were cleared). Only points on the face belong here: those on the top, seen from above, would be taken for a
/// denser face.
class Edge {
public:
    struct Parameters {
        std::uint64_t bins = 300;
        double start = -0.15, span = 0.3;   // rad, counted as the azimuths of the points are
        double radius = 30;                 // m, of the face, for the width of a bin
        double lowest = -1.5, highest = 3;  // m, other heights are left out
        double cell = 0.002;                // m, resolution of heights
        double noise = 0.005;               // m, of a point's height: range noise times the sine of its elevation
        double window = 1;                  // s
        double reach = 0.07;                // m, points up to this far to both sides count together
        std::uint64_t rank = 4;
        double gap = 0.15;                    // m, fewer than `rank` points within this height are stray
        std::uint64_t support = 24;           // points below the ranked one that tell the density
        std::uint64_t least_support = 8;      // with fewer the bin is not valid
        double depth = 1;                     // m, the support must lie within this depth
        double agreement = 0.06, step = 0.1;  // m, windows that differ less agree; more is a step
        double margin = 0.05;                 // m, below the highest visible point
        std::uint64_t capacity = 150'000;     // points in the window; more push out the oldest
        [[nodiscard]] bool operator==(const Parameters&) const = default;
    };
    struct Sample {
        double azimuth = 0, height = 0, time = 0;
    };
    struct Place {
        double x = 0, y = 0, height = 0, time = 0;
    };

    Edge() : Edge(Parameters{}) {}
    /// Throws std::invalid_argument naming the parameter that makes no estimator.
    explicit Edge(const Parameters& parameters);

    /// Returns whether the point is inside span and heights. Points come in the order of their times.
    bool add(const Sample& sample);
    /// The same, given where the point lies about the axis of the face; without an arc tangent for most points.
    bool add_at(const Place& place);
    /// The greatest height the sensor can see in a bin (view.hpp); without it every height is visible.
    void set_ceiling(std::size_t bin, double height) { state_.ceilings[bin] = height; }
    /// Lets points age and computes edge and validity of every bin.
    void update(double time);
    void clear();

    [[nodiscard]] const Parameters& parameters() const { return parameters_; }
    [[nodiscard]] const std::vector<double>& heights() const { return state_.heights; }  // 0 where not valid
    [[nodiscard]] const std::vector<std::uint8_t>& valid() const { return state_.valid; }
    [[nodiscard]] double azimuth(std::size_t bin) const;  // of its middle
    [[nodiscard]] std::size_t points() const { return state_.count; }
    auto members() { return std::tie(parameters_, cells_, words_, pooled_, middle_, state_); }

private:
    struct Entry {
        std::uint32_t bin = 0, cell = 0;
        double time = 0;
    };
    struct Estimate {
        double height = 0;
        bool valid = false;
    };
    struct State {
        std::vector<std::uint16_t> counts;    // bins x cells
        std::vector<std::uint64_t> occupied;  // bins x words: a bit for every cell with points
        std::vector<std::uint32_t> top;       // per bin: no cell from here on has points
        std::vector<Entry> entries;           // a ring
        std::size_t oldest = 0, count = 0;
        std::vector<double> ceilings;
        std::vector<Estimate> windows;  // around every bin
        std::vector<double> heights;
        std::vector<std::uint8_t> valid;
        auto members() {
            return std::tie(counts, occupied, top, entries, oldest, count, ceilings, windows, heights, valid);
        }
    };

    /// Neighbouring bins that are looked at together.
    struct Window {
        std::size_t first = 0, last = 0;
    };

    /// Goes down the cells of a window that have points.
    class Descent {
    public:
        /// From the highest below `end`.
        Descent(const Edge& edge, const Window& window, std::uint32_t end);
        /// The next cell, plus 1; 0 if there is none.
        std::uint32_t next();

    private:
        void read();

        const std::uint64_t* first_;  // words of the window's first bin
        std::size_t words_, bins_;
        std::uint32_t word_ = 0;
        std::uint64_t cells_ = 0;  // of the word, those not yet visited
    };
    /// The direction of the middle of the span, and bins counted from there.
    struct Middle {
        double cosine = 1, sine = 0;
        double bin = 0, bins_per_angle = 0;
        double unsure = 0;  // bins to both sides of a border
        double widest = 0;  // tangent, up to which the series of the arc tangent is good enough; 0: nowhere
        auto members() { return std::tie(cosine, sine, bin, bins_per_angle, unsure, widest); }
    };

    bool count(double along, double height, double time);
    void drop_oldest();
    [[nodiscard]] std::uint64_t points_in(const Window& window, std::uint32_t cell) const;
    [[nodiscard]] Estimate window_around(std::size_t bin) const;
    [[nodiscard]] Estimate combined(std::size_t bin) const;
    [[nodiscard]] double bin_width() const;

    Parameters parameters_;
    std::uint64_t cells_ = 0;   // per bin
    std::uint64_t words_ = 0;   // of occupied cells, per bin
    std::uint64_t pooled_ = 0;  // bins to both sides of a window's middle
    Middle middle_;
    State state_;
};

}  // namespace models::edge
