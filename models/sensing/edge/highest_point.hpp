#pragma once

#include <cstddef>

/// How the highest points of a noisy cloud scatter about the top edge of a wall.
namespace models::edge {

/// Points on a vertical face below a horizontal edge, seen through a window of some width.
struct Cloud {
    double density = 0;  // points per m^2
    double width = 0;    // m, along the edge
    double noise = 0;    // m, standard deviation of the height of a point
};

/// The mean number of points of the cloud that are measured higher than `error` above the edge:
/// density x width x noise x L(error / noise), L(x) = phi(x) - x Q(x); density x width x max(0, -error) without noise.
[[nodiscard]] double points_above(const Cloud& cloud, double error);
/// Its inverse for mean > 0.
[[nodiscard]] double level_with(const Cloud& cloud, double mean);

/// The error of the highest point that is not exceeded with this probability (0 < p < 1): the number of points above a
/// level is Poisson distributed, so P(error <= e) = exp(-points_above(e)).
[[nodiscard]] double quantile_of_highest(const Cloud& cloud, double probability);

/// The median error of the point with this rank (1: the highest), from the median of the Gamma distribution,
/// rank - 1/3 + 8/(405 rank) (exact to 1 % for rank 1 and better above).
[[nodiscard]] double median_error(const Cloud& cloud, std::size_t rank);

}  // namespace models::edge
