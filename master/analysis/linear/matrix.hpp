#pragma once

#include <cstddef>
#include <vector>

namespace master::analysis {

/// Numbers in rows and columns, row by row.
struct Matrix {
    std::size_t rows = 0, columns = 0;
    std::vector<double> values;

    Matrix() = default;
    Matrix(std::size_t row_count, std::size_t column_count)
        : rows(row_count), columns(column_count), values(row_count * column_count, 0) {}
    [[nodiscard]] double& operator()(std::size_t row, std::size_t column) { return values[row * columns + column]; }
    [[nodiscard]] double operator()(std::size_t row, std::size_t column) const {
        return values[row * columns + column];
    }
};

}  // namespace master::analysis
