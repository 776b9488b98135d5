#include "master/fmi/unit/inner_crossing.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace master::fmi {
namespace {

struct Point {
    double t, z;
};

/// The lowest point of the parabola through three points, if it is open upwards.
std::optional<Point> lowest(const std::array<Point, 3>& points) {
    const auto& [left, middle, right] = points;
    const double slope = (middle.z - left.z) / (middle.t - left.t);
    const double next_slope = (right.z - middle.z) / (right.t - middle.t);
    const double curvature = (next_slope - slope) / (right.t - left.t);
    if (!(curvature > 0)) return std::nullopt;
    const double t = 0.5 * (left.t + middle.t - slope / curvature);
    return Point{t, left.z + (t - left.t) * (slope + curvature * (t - middle.t))};
}

/// Takes a point in between into three of ascending time, in exchange for the higher one of the ends.
void insert(std::array<Point, 3>& points, const Point& inner) {
    const std::size_t place = inner.t < points[1].t ? 0 : 1;  // after this one
    if (points[0].z > points[2].z) {
        if (place == 1) points[0] = points[1];
        points[place] = inner;
    } else {
        if (place == 0) points[2] = points[1];
        points[place + 1] = inner;
    }
}

}  // namespace

InnerCrossing::InnerCrossing(std::size_t count, Indicators indicators)
    : indicators_(std::move(indicators)), crossings_(count) {
    for (Look& at : looks_) at.values.resize(count);
    probe_.values.resize(count);
}

bool InnerCrossing::look(double t, Look& at) {
    at.t = t;
    return indicators_(t, at.values.data());
}

bool InnerCrossing::crossed(const Look& at, std::size_t i) const {
    return (at.values[i] > 0) != (looks_.front().values[i] > 0);
}

bool InnerCrossing::crossed(const Look& at) const {
    for (std::size_t i = 0; i < crossings_.size(); ++i) {
        if (crossed(at, i)) return true;
    }
    return false;
}

/// How far an indicator is from crossing; negative beyond.
double InnerCrossing::distance(const Look& at, std::size_t i) const {
    return looks_.front().values[i] > 0 ? at.values[i] : -at.values[i];
}

void InnerCrossing::begin(double t) {
    if (known_ && looks_.back().t == t) {
        std::swap(looks_.front(), looks_.back());
    } else {
        known_ = look(t, looks_.front());
    }
}

std::optional<double> InnerCrossing::find(double end) {
    const double begin = looks_.front().t;
    looks_.back().t = end;
    if (!std::exchange(known_, false) || !(end > begin)) return std::nullopt;
    for (std::size_t k = 1; k <= parts; ++k) {
        const double t = k == parts ? end : begin + (end - begin) * static_cast<double>(k) / parts;
        if (!look(t, looks_[k])) return std::nullopt;
        if (k < parts && crossed(looks_[k])) return narrow(looks_[k - 1].t, t);  // that at the end is the solver's
    }
    for (std::size_t k = 1; k < parts; ++k) {
        for (std::size_t i = 0; i < crossings_.size(); ++i) {
            if (dips(i, k)) return narrow(begin, probe_.t);
        }
    }
    known_ = true;
    return std::nullopt;
}

/// Whether an indicator goes beyond zero near a look between its neighbours; `probe_` is then an instant where it is
/// beyond.
bool InnerCrossing::dips(std::size_t indicator, std::size_t middle) {
    constexpr int most_probes = 8;
    const auto point = [&](const Look& at) { return Point{at.t, distance(at, indicator)}; };
    std::array<Point, 3> points{point(looks_[middle - 1]), point(looks_[middle]), point(looks_[middle + 1])};
    for (int probes = 0; probes < most_probes; ++probes) {
        const std::optional<Point> expected = lowest(points);
        const double nearest = std::min({points[0].z, points[1].z, points[2].z});
        if (!expected || !(expected->z < 0.5 * nearest)) return false;
        const bool known = std::ranges::any_of(points, [&](const Point& seen) { return seen.t == expected->t; });
        if (known || !(expected->t > points[0].t && expected->t < points[2].t)) return false;
        if (!look(expected->t, probe_)) return false;
        if (crossed(probe_, indicator)) return true;
        insert(points, point(probe_));
    }
    return false;
}

std::optional<double> InnerCrossing::narrow(double before, double after) {
    const double size = std::fabs(looks_.front().t) + (looks_.back().t - looks_.front().t);
    const double least = 100 * std::numeric_limits<double>::epsilon() * size;  // as ARKODE has it
    while (after - before > least) {
        const double middle = 0.5 * (before + after);
        if (!look(middle, probe_)) return std::nullopt;
        (crossed(probe_) ? after : before) = middle;
    }
    if (!look(after, probe_)) return std::nullopt;
    for (std::size_t i = 0; i < crossings_.size(); ++i)
        crossings_[i] = !crossed(probe_, i) ? 0 : probe_.values[i] > 0 ? 1 : -1;
    return after;
}

}  // namespace master::fmi
