#include "master/results/stream/sketch.hpp"

#include <algorithm>
#include <cmath>

namespace master::results {

void Sketch::include(Extremes& extremes, double value) {
    auto& [first, second] = extremes;
    // A gap stays one.
    if (std::isnan(first) || std::isnan(second) ||
        (value >= std::min(first, second) && value <= std::max(first, second)))
        return;
    if (value < std::min(first, second)) first = std::max(first, second);
    if (value > std::max(first, second)) first = std::min(first, second);
    second = value;
}

void Sketch::add(double t, std::span<const double> values) {
    if (!groups_.empty() && groups_.back().rows < group_rows_) {
        groups_.back().end = t;
        ++groups_.back().rows;
        Extremes* const last = extremes_.data() + extremes_.size() - columns_;
        for (std::size_t i = 0; i < columns_; ++i) include(last[i], values[i]);
        return;
    }
    if (groups_.size() == most_groups) {
        halve();
        return add(t, values);
    }
    groups_.push_back({t, t, 1});
    for (const double value : values) extremes_.push_back({value, value});
}

void Sketch::halve() {
    group_rows_ *= 2;
    for (std::size_t g = 0; g < groups_.size() / 2; ++g) {
        const Group &left = groups_[2 * g], &right = groups_[2 * g + 1];
        groups_[g] = {left.begin, right.end, left.rows + right.rows};
        for (std::size_t i = 0; i < columns_; ++i) {
            Extremes joined = extremes_[2 * g * columns_ + i];
            const Extremes& later = extremes_[(2 * g + 1) * columns_ + i];
            include(joined, later.first);
            include(joined, later.second);
            extremes_[g * columns_ + i] = joined;
        }
    }
    groups_.resize(groups_.size() / 2);
    extremes_.resize(groups_.size() * columns_);
}

Table Sketch::table() const {
    Table table;
    std::vector<std::vector<double>> values(columns_);
    for (std::size_t g = 0; g < groups_.size(); ++g) {
        const bool one = groups_[g].rows == 1;
        table.time.push_back(groups_[g].begin);
        if (!one) table.time.push_back(groups_[g].end);
        for (std::size_t i = 0; i < columns_; ++i) {
            const Extremes& extremes = extremes_[g * columns_ + i];
            values[i].push_back(extremes.first);
            if (!one) values[i].push_back(extremes.second);
        }
    }
    for (std::vector<double>& column : values) table.columns.push_back({{}, {}, std::move(column)});
    return table;
}

}  // namespace master::results
