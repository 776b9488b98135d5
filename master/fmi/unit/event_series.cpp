#include "master/fmi/unit/event_series.hpp"

#include <algorithm>
#include <cmath>

namespace master::fmi {
namespace {

/// Distances in a row, and how much shorter the last than the first, from which on steps are limited: early, since it
/// costs little and the solver may miss a zero soon.
constexpr int limiting_count = 4;
constexpr double limiting_share = 0.5;
/// The same for a series that is worth a remark; a ball that comes to rest by itself is none.
constexpr int closing_count = 8;
constexpr double closing_share = 1e-3;
/// Zeros this close are one: right after an event the solver finds its zero again, also in the wrong direction.
constexpr double same_instant = 1e-12;
/// A distance in s, at times of the order of 1 s, that is no longer told from none: still far above the accuracy of the
/// solver's zeros (100 units of rounding), far below anything a model resolves.
constexpr double resolution = 1e-10;
/// Steps per distance. A backward Euler step of h shortens the flight of a ball by h, and with it the next distance;
/// with 64 a series still shrinks by nearly its own factor if that is 0.2 or more.
constexpr double steps_per_distance = 64;
/// A series has ended when nothing happened for this many of its last distances.
constexpr double quiet_periods = 2;

}  // namespace

void EventSeries::Track::add(double t) {
    const double distance = t - at;
    if (seen && distance <= same_instant * std::max(1.0, std::fabs(t))) return;
    const bool shorter = series.count > 0 && distance < series.last;
    if (shorter) {
        series.last = distance;
        ++series.count;
    } else if (seen) {
        series = {.first = distance, .last = distance, .count = 1};
    }
    at = t;
    seen = true;
}

EventSeries::Verdict EventSeries::add(std::span<const int> crossings, double t) {
    Verdict verdict = Verdict::apart;
    for (std::size_t i = 0; i < crossings.size(); ++i) {
        if (crossings[i] == 0) continue;
        Track& track = tracks_[2 * i + (crossings[i] > 0 ? 1 : 0)];
        track.add(t);
        const Series& series = track.series;
        if (series.count < limiting_count || series.last > limiting_share * series.first) continue;
        step_limit_ = series.last / steps_per_distance;
        limited_until_ = t + quiet_periods * series.last;
        if (series.count < closing_count || series.last > closing_share * series.first) continue;
        closing_ = series;
        const bool accumulates = series.last <= resolution * std::max(1.0, std::fabs(t));
        verdict = std::max(verdict, accumulates ? Verdict::accumulating : Verdict::closing);
    }
    return verdict;
}

}  // namespace master::fmi
