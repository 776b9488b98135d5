#include "models/sensing/lidar/face.hpp"

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

unsigned Face::trace(const Origin& from, const Bodies::Directions& to, const Limits& limits, std::size_t& column,
                     Bodies::Hits& hits) const {
    constexpr double grazing = 0.05, border = 1e-3;  // cosine; m
    const Vertex *const first = vertices_.data(), *const last = first + columns() - 1;
    const Vertex* right = first + column;
    const double nearest = limits.nearest + border, farthest = limits.farthest - border, base = base_ + border;
    unsigned open = 0;
    for (std::size_t i = 0; i < Bodies::width; ++i) {
        const double x = to.x[i], y = to.y[i], z = to.z[i];
        // A vertex is to the left of the ray if this is above 0.
        const double offset = x * from.y - y * from.x;
        const auto side = [&](const Vertex& vertex) { return x * vertex.y - y * vertex.x - offset; };
        double right_side = side(*right), left_side = side(right[1]);
        while (right_side >= 0 && right != first) {
            --right;
            left_side = right_side;
            right_side = side(*right);
        }
        while (left_side < 0 && right != last) {
            ++right;
            right_side = left_side;
            left_side = side(right[1]);
        }
        const double across = left_side - right_side, cosine = across * per_length_;
        open |= 1U << i;
        if (right_side >= 0 || left_side < 0 || cosine < grazing) continue;
        const Vertex& left = right[1];
        const double inverse = 1 / across;
        const double range =
            ((right->x - from.x) * (left.y - right->y) - (right->y - from.y) * (left.x - right->x)) * inverse;
        const double height = from.z + range * z;
        const double top = right->top - right_side * inverse * (left.top - right->top) - border;
        if (height < top && height > base && range > nearest && range < farthest) {
            hits.range[i] = static_cast<float>(range);
            hits.cosine[i] = static_cast<float>(cosine);
            hits.object[i] = wall_object;
        } else if (!(z >= 0 && height > limits.top) && !(z <= 0 && height < limits.bottom)) {
            continue;
        }
        open &= ~(1U << i);
    }
    column = static_cast<std::size_t>(right - first);
    return open;
}

}  // namespace models::lidar
