#pragma once

#include <cstddef>
#include <cstdint>

namespace models::wall {

/// The undamaged segment of a ring wall, and the grid of its top vertices.
///
/// World frame: the axis of the ring is z, upwards, through the origin; azimuths count from +x counter-clockwise, which
/// is also the way the machine travels. World z = 0 is the target line, the top of the rim that is already lowered and
/// carries the machine; so the base of a 3 m wall of which 2 m are to go lies at z = -1 m. Heights count from the base.
/// The grid is stored column by column: the height at (column, row) is heights[column * rows + row]; columns follow the
/// rim from `start`, rows go from the inner to the outer face.
struct Ring {
    double radius = 30;  // of the middle of the wall
    double thickness = 0.18;
    double height = 3;
    double base = -1;                       // world z
    double start = 2.5 / 30;                // azimuth of the first column: 2.5 m ahead of a machine at azimuth 0
    double spacing = 0.02;                  // of the columns, along the rim at the mean radius
    std::uint64_t columns = 601, rows = 5;  // of vertices

    [[nodiscard]] double azimuth_step() const { return spacing / radius; }
    [[nodiscard]] double radius_step() const { return thickness / static_cast<double>(rows - 1); }
    [[nodiscard]] double azimuth(std::size_t column) const {
        return start + static_cast<double>(column) * azimuth_step();
    }
    [[nodiscard]] double radius_of(std::size_t row) const {
        return radius - thickness / 2 + static_cast<double>(row) * radius_step();
    }
    [[nodiscard]] double span() const { return static_cast<double>(columns - 1) * azimuth_step(); }
    [[nodiscard]] std::size_t vertices() const { return columns * rows; }
    [[nodiscard]] bool operator==(const Ring&) const = default;
};

/// The most vertices a wall may have; a unit then holds some 100 MB.
inline constexpr std::uint64_t most_vertices = 2'000'000;

/// Throws std::invalid_argument naming n_phi or n_r if the grid is too small or larger than the memory allows.
void check_grid(const Ring& ring);
/// Throws std::invalid_argument naming the parameter that makes no wall.
void check(const Ring& ring);

}  // namespace models::wall
