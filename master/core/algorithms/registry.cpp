#include "master/base/diagnostics.hpp"
#include "master/base/error.hpp"
#include "master/core/algorithms/gauss_seidel.hpp"
#include "master/core/algorithms/jacobi.hpp"

#include <algorithm>

namespace master::core {

const std::vector<AlgorithmEntry>& known_algorithms() {
    static const std::vector<AlgorithmEntry> table{
        {"jacobi", "all units from the same values, in parallel where it pays (default)", false, algorithms::jacobi},
        {"gauss-seidel", "one after the other, each sees what came before", true, algorithms::gauss_seidel},
    };
    return table;
}

const AlgorithmEntry& find_algorithm(const std::string& name, const std::string& where) {
    std::vector<std::string> names;
    std::string list;
    for (const AlgorithmEntry& entry : known_algorithms()) {
        if (entry.name == name) return entry;
        names.emplace_back(entry.name);
        list += (list.empty() ? "" : ", ") + names.back();
    }
    throw base::Error("usage", where,
                      "unknown algorithm '" + name + "', known: " + list + base::did_you_mean(name, names));
}

}  // namespace master::core
