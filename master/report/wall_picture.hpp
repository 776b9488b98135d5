#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace master::report {

/// In metres; heights count from the base.
struct WallSize {
    double length = 1, thickness = 1, base = 0;
};

/// A wall of heights, row by row along its length and column by column across it, unrolled and seen from the front and
/// above; `highest` sets the scale, so that pictures of one wall can be compared.
[[nodiscard]] std::string wall_view(const WallSize& wall, std::span<const double> heights, std::size_t across,
                                    double highest);

}  // namespace master::report
