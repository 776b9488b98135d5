#pragma once

#include "master/results/table.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace master::results {

/// Lowest and highest values of rows that come one by one, in groups that grow with their number so that there are
/// never more than a few thousand.
class Sketch {
public:
    explicit Sketch(std::size_t columns) : columns_(columns) {}

    void add(double t, std::span<const double> values);
    /// One row for a group of one row, two for others; names are the caller's.
    [[nodiscard]] Table table() const;

    static constexpr std::size_t most_groups = 8192;

private:
    struct Extremes {
        double first = 0, second = 0;  // lowest and highest, in the order in which they came
    };
    struct Group {
        double begin = 0, end = 0;
        std::uint64_t rows = 0;
    };

    static void include(Extremes& extremes, double value);
    void halve();

    std::size_t columns_;
    std::uint64_t group_rows_ = 1;
    std::vector<Group> groups_;
    std::vector<Extremes> extremes_;  // of every column, group by group
};

}  // namespace master::results
