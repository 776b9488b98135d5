#pragma once

#include "models/site/wall/ring.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace models::wall {

/// A closed surface of triangles, counter-clockwise seen from outside; world frame.
struct Mesh {
    std::vector<std::array<double, 3>> vertices;
    std::vector<std::array<std::uint32_t, 3>> triangles;
};

/// Top, bottom, both faces and both ends of a wall with these heights.
[[nodiscard]] Mesh make_mesh(const Ring& ring, std::span<const double> heights);

}  // namespace models::wall
