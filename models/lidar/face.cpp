#include "models/lidar/face.hpp"

#include <cmath>

namespace models::lidar {

Face::Face(const wall::Ring& ring) : base_(ring.base), rows_(ring.rows), vertices_(ring.columns) {
    const double radius = ring.radius_of(0), half = ring.azimuth_step() / 2;
    per_length_ = 1 / (2 * radius * std::sin(half));
    constexpr double clearance = 0.01;  // m
    const double inside = radius * std::cos(half) - clearance;
    if (half < 0.5 && inside > 0) within_ = inside * inside;
    for (std::size_t column = 0; column < ring.columns; ++column) {
        const double azimuth = ring.azimuth(column);
        vertices_[column] = {radius * std::cos(azimuth), radius * std::sin(azimuth), ring.base + ring.height};
    }
}

void Face::set_heights(std::size_t first, std::span<const double> heights) {
    for (std::size_t i = 0; i < heights.size(); i += rows_) vertices_[first + i / rows_].top = base_ + heights[i];
}

bool Face::surrounds(const Origin& origin) const { return origin.x * origin.x + origin.y * origin.y < within_; }

}  // namespace models::lidar
