#pragma once

#include <array>
#include <complex>
#include <cstddef>
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

    /// Returns the cell.
    std::uint32_t add(std::complex<double> position) {
        std::array<std::uint32_t, 1> cell{};
        cells_of<1>({position.real()}, {position.imag()}, cell);
        add(cell[0]);
        return cell[0];
    }
    /// The cells of positions, by which rays are added and taken away.
    template <std::size_t size>
    void cells_of(const std::array<double, size>& x, const std::array<double, size>& y,
                  std::array<std::uint32_t, size>& cells) const {
        const double per_angle = per_angle_, middle = side_, last = 2.0 * side_ - 1;
        const auto side = static_cast<std::int32_t>(2 * side_);
        // All is above 0, so that the conversion rounds down; far outside is the last cell.
        const auto index = [&](double angle) {
            const double place = angle * per_angle + middle, not_below = place > 0 ? place : 0;
            return static_cast<std::int32_t>(not_below < last ? not_below : last);
        };
        for (std::size_t k = 0; k < size; ++k) cells[k] = static_cast<std::uint32_t>(index(x[k]) * side + index(y[k]));
    }
    void add(std::uint32_t cell) {
        if (counts_[cell] != outside && counts_[cell]++ == 0) ++visited_;
    }
    void remove(std::uint32_t cell) {
        if (counts_[cell] != outside && --counts_[cell] == 0) --visited_;
    }
    [[nodiscard]] double share() const;
    auto members() { return std::tie(per_angle_, side_, cells_, visited_, counts_); }

private:
    static constexpr std::uint32_t outside = 0xffffffffU;  // count of a cell whose centre lies outside

    double per_angle_ = 1;    // cells
    std::uint32_t side_ = 0;  // cells per half axis
    std::uint64_t cells_ = 0, visited_ = 0;
    std::vector<std::uint32_t> counts_;
};

}  // namespace models::lidar
