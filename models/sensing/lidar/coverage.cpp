#include "models/sensing/lidar/coverage.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

namespace models::lidar {

Coverage::Coverage(double field_of_view, double cell) : per_angle_(1 / cell) {
    const double radius = field_of_view / 2;
    if (!(cell >= radius / 2000) || !(cell <= radius))
        throw std::invalid_argument("lidar: parameter 'coverage.cell' is " + std::to_string(cell) +
                                    ", expected an angle between 1/4000 and 1/2 of the field of view");
    side_ = static_cast<std::uint32_t>(std::ceil(radius / cell)) + 1;
    counts_.assign(std::size_t{4} * side_ * side_, 0);
    for (std::uint32_t i = 0; i < 2 * side_; ++i)
        for (std::uint32_t k = 0; k < 2 * side_; ++k) {
            const double x = (i + 0.5 - side_) * cell, y = (k + 0.5 - side_) * cell;
            if (std::hypot(x, y) <= radius)
                ++cells_;
            else
                counts_[std::size_t{i} * 2 * side_ + k] = outside;
        }
}

double Coverage::share() const { return cells_ == 0 ? 0 : static_cast<double>(visited_) / static_cast<double>(cells_); }

}  // namespace models::lidar
