#pragma once

#include "models/machine/kinematics/sensors.hpp"

#include <array>
#include <cstddef>
#include <span>

namespace models::planning {

using Axes = kinematics::Sensors::PerAxis;

/// What the axes may do; all positive.
struct AxisLimits {
    Axes forward{}, backward{};  // speeds towards larger and smaller positions
    Axes acceleration{};
};

/// A way through the positions of all axes: knots close enough to each other that straight lines join them.
struct Path {
    static constexpr std::size_t most_knots = 128;
    std::array<Axes, most_knots> knots{};
    std::size_t count = 0;

    [[nodiscard]] bool full() const { return count == most_knots; }
    void clear() { count = 0; }
    void add(const Axes& knot) { knots[count++] = knot; }
};

/// A path and when its knots are passed: all axes move and arrive together, as fast as the limits allow.
///
/// The path parameter s counts knots. Its speed is bounded at every knot by the speeds of the axes and by half their
/// acceleration for the bend there; what the bend leaves of the acceleration is for changing the speed. One pass
/// forwards and one backwards over the squares of the speed (linear in s under constant acceleration) give the fastest
/// profile within these bounds; on a straight line it is a trapezoid or a triangle.
struct Trajectory {
    Path path;
    std::array<double, Path::most_knots> speed{}, time{};  // ds/dt at the knots, s since the start

    [[nodiscard]] double duration() const { return path.count == 0 ? 0 : time[path.count - 1]; }
    [[nodiscard]] Axes at(double t) const;
    [[nodiscard]] const Axes& end() const { return path.knots[path.count - 1]; }
};

/// Times the path for the first `axes` axes, from rest to rest. A path of one knot has no duration.
void plan(Trajectory& trajectory, std::size_t axes, const AxisLimits& limits);

/// Knots on the straight line from the last knot of the path to `goal`.
void add_line(Path& path, const Axes& goal, std::size_t knots);

}  // namespace models::planning
