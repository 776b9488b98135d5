#include "models/work/planning/trajectory.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace models::planning {

namespace {

constexpr double share_for_bends = 0.5;

double step_of(const Path& path, std::size_t segment, std::size_t axis) {
    return path.knots[segment + 1][axis] - path.knots[segment][axis];
}

/// Largest ds/dt squared at a knot.
double fastest(const Path& path, std::size_t knot, std::size_t axes, const AxisLimits& limits) {
    if (knot == 0 || knot + 1 == path.count) return 0;
    double most = std::numeric_limits<double>::max();
    for (std::size_t axis = 0; axis < axes; ++axis) {
        const double before = step_of(path, knot - 1, axis), after = step_of(path, knot, axis);
        for (const double slope : {before, after})
            if (slope != 0)
                most = std::min(most, std::pow((slope > 0 ? limits.forward[axis] : limits.backward[axis]) / slope, 2));
        const double bend = std::abs(after - before);
        if (bend > 0) most = std::min(most, share_for_bends * limits.acceleration[axis] / bend);
    }
    return most;
}

/// What the bends at both ends leave for changing ds/dt along a segment.
double strongest(const Path& path, std::size_t segment, std::size_t axes, const AxisLimits& limits,
                 std::span<const double> bounds) {
    double most = std::numeric_limits<double>::max();
    for (std::size_t axis = 0; axis < axes; ++axis) {
        const double slope = std::abs(step_of(path, segment, axis));
        if (slope == 0) continue;
        double taken = 0;
        for (const std::size_t knot : {segment, segment + 1}) {
            if (knot == 0 || knot + 1 == path.count) continue;
            const double bend = std::abs(step_of(path, knot, axis) - step_of(path, knot - 1, axis));
            taken = std::max(taken, bend * bounds[knot]);
        }
        most = std::min(most, (limits.acceleration[axis] - taken) / slope);
    }
    return most;
}

}  // namespace

void plan(Trajectory& trajectory, std::size_t axes, const AxisLimits& limits) {
    const Path& path = trajectory.path;
    auto& speed = trajectory.speed;
    trajectory.time[0] = 0;
    if (path.count < 2) return;
    std::array<double, Path::most_knots> bounds{}, acceleration{};
    for (std::size_t knot = 0; knot < path.count; ++knot) bounds[knot] = fastest(path, knot, axes, limits);
    for (std::size_t segment = 0; segment + 1 < path.count; ++segment)
        acceleration[segment] = strongest(path, segment, axes, limits, bounds);

    std::array<double, Path::most_knots> squares = bounds;
    for (std::size_t i = 0; i + 1 < path.count; ++i)
        squares[i + 1] = std::min(squares[i + 1], squares[i] + 2 * acceleration[i]);
    for (std::size_t i = path.count - 1; i > 0; --i)
        squares[i - 1] = std::min(squares[i - 1], squares[i] + 2 * acceleration[i - 1]);
    for (std::size_t i = 0; i < path.count; ++i) speed[i] = std::sqrt(squares[i]);
    for (std::size_t i = 0; i + 1 < path.count; ++i) {
        const double sum = speed[i] + speed[i + 1];
        trajectory.time[i + 1] = trajectory.time[i] + (sum > 0 ? 2 / sum : 0);
    }
}

Axes Trajectory::at(double t) const {
    if (t <= 0 || path.count < 2) return path.knots[0];
    if (t >= duration()) return end();
    const auto* const begin = time.data();
    const auto after = static_cast<std::size_t>(std::upper_bound(begin, begin + path.count, t) - begin);
    const std::size_t segment = after - 1;
    const double since = t - time[segment], length = time[after] - time[segment];
    const double change = (speed[after] - speed[segment]) / length;
    const double part = std::clamp(since * (speed[segment] + change * since / 2), 0.0, 1.0);
    Axes result;
    for (std::size_t axis = 0; axis < result.size(); ++axis)
        result[axis] = path.knots[segment][axis] + part * (path.knots[after][axis] - path.knots[segment][axis]);
    return result;
}

void add_line(Path& path, const Axes& goal, std::size_t knots) {
    const Axes from = path.knots[path.count - 1];
    for (std::size_t i = 1; i <= knots && !path.full(); ++i) {
        Axes knot;
        for (std::size_t axis = 0; axis < knot.size(); ++axis)
            knot[axis] = i == knots ? goal[axis]
                                    : from[axis] + (goal[axis] - from[axis]) * static_cast<double>(i) /
                                                       static_cast<double>(knots);
        path.add(knot);
    }
}

}  // namespace models::planning
