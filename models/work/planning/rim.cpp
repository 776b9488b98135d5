#include "models/work/planning/rim.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace models::planning {

namespace {

// Weight of a new estimate against those before: estimates of neighbouring cycles share most of their points.
constexpr double freshness = 0.3;

}  // namespace

Rim::Rim(double start, double length)
    : start_(start), cells_(static_cast<std::size_t>(std::ceil(length / cell_length - 1e-9))) {}

void Rim::restart(double start) {
    start_ = start;
    std::fill(cells_.begin(), cells_.end(), Cell{});
}

void Rim::see(double place, double height, double time, double window) {
    const double index = std::floor((place - start_) / cell_length);
    if (index < 0 || index >= static_cast<double>(cells_.size())) return;
    Cell& cell = cells_[static_cast<std::size_t>(index)];
    if (time - cell.cut_time < window) return;
    cell.height = cell.seen ? cell.height + freshness * (height - cell.height) : height;
    cell.known = cell.seen = true;
}

void Rim::cut(const Stretch& stretch, double height, double time) {
    const auto [first, last] = range(stretch);
    for (std::size_t i = first; i < last; ++i) {
        Cell& cell = cells_[i];
        cell.height = cell.known ? std::min(cell.height, height) : height;
        cell.known = true;
        cell.seen = false;
        cell.cut_time = time;
    }
}

Rim::Knowledge Rim::about(const Stretch& stretch) const {
    const auto [first, last] = range(stretch);
    if (first >= last) return {};
    constexpr double none = std::numeric_limits<double>::lowest();
    std::array<double, 3> highest{none, none, none};
    std::size_t known = 0, seen = 0;
    for (std::size_t i = first; i < last; ++i) {
        const Cell& cell = cells_[i];
        if (!cell.known) continue;
        ++known;
        seen += cell.seen ? 1 : 0;
        double height = cell.height;
        for (double& place : highest)
            if (height > place) std::swap(height, place);
    }
    const auto count = static_cast<double>(last - first);
    const double top = known >= 3 ? highest[2] : highest[known == 0 ? 0 : known - 1];
    return {.known = static_cast<double>(known) / count,
            .seen = static_cast<double>(seen) / count,
            .top = known == 0 ? 0 : top};
}

std::optional<double> Rim::ceiling(const Stretch& stretch, double unseen) const {
    const auto [first, last] = range(stretch);
    std::optional<double> highest;
    for (std::size_t i = first; i < last; ++i) {
        const double height = cells_[i].known ? cells_[i].height : unseen;
        highest = std::max(highest.value_or(height), height);
    }
    return highest;
}

double Rim::progress(double target, double height) const {
    double sum = 0;
    for (const Cell& cell : cells_)
        if (cell.known) sum += std::clamp(1 - (cell.height - target) / height, 0.0, 1.0);
    return cells_.empty() ? 0 : sum / static_cast<double>(cells_.size());
}

/// The cells whose middle lies in the stretch.
Rim::Range Rim::range(const Stretch& stretch) const {
    const auto index = [this](double place) {
        const double cell = std::ceil((place - start_) / cell_length - 0.5 - 1e-9);
        return static_cast<std::size_t>(std::clamp(cell, 0.0, static_cast<double>(cells_.size())));
    };
    return {index(stretch.first), index(stretch.last)};
}

}  // namespace models::planning
