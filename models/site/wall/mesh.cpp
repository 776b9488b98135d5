#include "models/site/wall/mesh.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

namespace models::wall {

namespace {

class Builder {
public:
    Builder(const Ring& ring, std::span<const double> heights) : ring_(ring) {
        mesh_.vertices.reserve(2 * ring.vertices());
        add_layer(heights);
        add_layer(std::vector<double>(ring.vertices(), 0.0));
    }
    Mesh build() {
        const std::size_t last_column = ring_.columns - 1, last_row = ring_.rows - 1;
        for (std::size_t column = 0; column < last_column; ++column) {
            for (std::size_t row = 0; row < last_row; ++row) {
                add_quad(top(column, row), top(column, row + 1), top(column + 1, row + 1), top(column + 1, row));
                add_quad(bottom(column, row), bottom(column + 1, row), bottom(column + 1, row + 1),
                         bottom(column, row + 1));
            }
            add_quad(bottom(column, 0), top(column, 0), top(column + 1, 0), bottom(column + 1, 0));
            add_quad(bottom(column + 1, last_row), top(column + 1, last_row), top(column, last_row),
                     bottom(column, last_row));
        }
        for (std::size_t row = 0; row < last_row; ++row) {
            add_quad(bottom(0, row + 1), top(0, row + 1), top(0, row), bottom(0, row));
            add_quad(bottom(last_column, row), top(last_column, row), top(last_column, row + 1),
                     bottom(last_column, row + 1));
        }
        return std::move(mesh_);
    }

private:
    void add_layer(std::span<const double> heights) {
        for (std::size_t column = 0; column < ring_.columns; ++column)
            for (std::size_t row = 0; row < ring_.rows; ++row) {
                const double radius = ring_.radius_of(row), azimuth = ring_.azimuth(column);
                mesh_.vertices.push_back({radius * std::cos(azimuth), radius * std::sin(azimuth),
                                          ring_.base + heights[column * ring_.rows + row]});
            }
    }
    [[nodiscard]] std::uint32_t top(std::size_t column, std::size_t row) const {
        return static_cast<std::uint32_t>(column * ring_.rows + row);
    }
    [[nodiscard]] std::uint32_t bottom(std::size_t column, std::size_t row) const {
        return static_cast<std::uint32_t>(ring_.vertices() + column * ring_.rows + row);
    }
    void add_quad(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
        mesh_.triangles.push_back({a, b, c});
        mesh_.triangles.push_back({a, c, d});
    }

    const Ring& ring_;
    Mesh mesh_;
};

}  // namespace

Mesh make_mesh(const Ring& ring, std::span<const double> heights) {
    check(ring);
    if (heights.size() != ring.vertices())
        throw std::invalid_argument("wall: " + std::to_string(heights.size()) + " heights for a grid of " +
                                    std::to_string(ring.vertices()) + " vertices");
    return Builder(ring, heights).build();
}

}  // namespace models::wall
