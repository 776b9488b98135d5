#pragma once

#include <complex>
#include <cstdint>
#include <tuple>
#include <vector>

namespace models::lidar {

/// How much of the field of view was looked at: the share of square cells (of those whose centre lies in it) with at
/// least one ray. Rays can be taken away again, for a sliding window.
class Coverage {
public:
    Coverage() = default;
    Coverage(double field_of_view, double cell);

    /// Returns the cell, by which the ray can be taken away.
    std::uint32_t add(std::complex<double> position);
    void remove(std::uint32_t cell);
    [[nodiscard]] double share() const;
    auto members() { return std::tie(cell_, side_, cells_, visited_, counts_); }

private:
    static constexpr std::uint32_t outside = 0xffffffffU;  // count of a cell whose centre lies outside

    double cell_ = 1;
    std::uint32_t side_ = 0;  // cells per half axis
    std::uint64_t cells_ = 0, visited_ = 0;
    std::vector<std::uint32_t> counts_;
};

}  // namespace models::lidar
