#pragma once

#include "models/sensing/lidar/bodies.hpp"
#include "models/site/wall/ring.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace models::lidar {

/// The inner face of the wall, for rays from inside the ring: a ray leaves the polygon of its foot through one column,
/// and nothing of the wall is nearer than the face there. This settles most rays; to find the column of one from that
/// of the ray before costs less than to search a tree.
class Face {
public:
    explicit Face(const wall::Ring& ring);
    /// Heights of the vertices of some columns, from `first` on, all rows of each.
    void set_heights(std::size_t first, std::span<const double> heights);

    struct Origin {
        double x = 0, y = 0, z = 0;
    };
    /// What is known of the whole wall: no ray that leaves the ring above `top` and rises, or below `bottom` and falls,
    /// meets it. And between which ranges a ray looks.
    struct Limits {
        double bottom = 0, top = 0;
        double nearest = 0, farthest = 0;
    };
    /// Whether rays from here can be asked about.
    [[nodiscard]] bool surrounds(const Origin& origin) const;
    /// Follows a packet of rays, given by unit vectors, and returns those without an answer as bits: too close to a
    /// border of the face or to a limit, or too grazing for single precision to agree on, or over the top. `column` is
    /// where the search begins and, afterwards, where it ended; the answers do not depend on it.
    [[nodiscard]] unsigned trace(const Origin& from, const Bodies::Directions& to, const Limits& limits,
                                 std::size_t& column, Bodies::Hits& hits) const;
    [[nodiscard]] std::size_t columns() const { return vertices_.size() - 1; }

private:
    struct Vertex {
        double x = 0, y = 0, top = 0;  // world
    };
    double base_ = 0;
    double within_ = 0;      // radius of a circle inside the polygon, squared; 0: there is none
    double per_length_ = 1;  // one over the width of a column
    std::size_t rows_ = 1;
    std::vector<Vertex> vertices_;  // of the columns
};

}  // namespace models::lidar
