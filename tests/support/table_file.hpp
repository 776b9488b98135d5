#pragma once

#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace tests {

/// The numbers of a CSV file below tests/; the first `heading` lines are left out.
inline std::vector<std::vector<double>> read_table(const std::string& file, int heading) {
    std::ifstream stream(std::string(TANDEM_TEST_DATA) + "/" + file);
    if (!stream) throw std::runtime_error("cannot read " + file);
    std::vector<std::vector<double>> rows;
    std::string line;
    while (std::getline(stream, line)) {
        if (heading-- > 0) continue;
        std::istringstream cells(line);
        std::string cell;
        rows.emplace_back();
        while (std::getline(cells, cell, ',')) rows.back().push_back(std::stod(cell));
    }
    return rows;
}

}  // namespace tests
