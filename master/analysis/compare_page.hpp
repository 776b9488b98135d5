#pragma once

#include "master/results/compare.hpp"
#include "master/results/table.hpp"

#include <map>
#include <string>
#include <vector>

namespace master::analysis {

/// A result beside the reference, with its signals in the units of the reference.
struct ComparedResult {
    std::string label;
    results::Table table;
    std::map<std::string, std::string> names;  // name in the reference by name in the result
    results::Comparison comparison;
};

/// A page with the signals of the reference and of all results over one another, and a table of peak, rms and end of
/// their differences. Signals that break the tolerance come first.
[[nodiscard]] std::string compare_html(const std::string& reference_label, const results::Table& reference,
                                       const std::vector<ComparedResult>& results);

}  // namespace master::analysis
