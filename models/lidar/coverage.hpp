#pragma once

#include <algorithm>
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
    std::uint32_t add(std::complex<double> position) {
        const std::uint32_t cell = index(position.real()) * 2 * side_ + index(position.imag());
        if (counts_[cell] != outside && counts_[cell]++ == 0) ++visited_;
        return cell;
    }
    void remove(std::uint32_t cell) {
        if (counts_[cell] != outside && --counts_[cell] == 0) --visited_;
    }
    [[nodiscard]] double share() const;
    auto members() { return std::tie(per_angle_, side_, cells_, visited_, counts_); }

private:
    static constexpr std::uint32_t outside = 0xffffffffU;  // count of a cell whose centre lies outside

    [[nodiscard]] std::uint32_t index(double angle) const {
        // All is above 0, so that the conversion rounds down; far outside is the last cell.
        return static_cast<std::uint32_t>(
            static_cast<int>(std::clamp(angle * per_angle_ + side_, 0.0, 2.0 * side_ - 1)));
    }

    double per_angle_ = 1;    // cells
    std::uint32_t side_ = 0;  // cells per half axis
    std::uint64_t cells_ = 0, visited_ = 0;
    std::vector<std::uint32_t> counts_;
};

}  // namespace models::lidar
