#pragma once

#include "master/base/time.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace master::core {

class System;

/// How a system is brought from one communication point to the next.
class Algorithm {
public:
    virtual ~Algorithm() = default;
    virtual base::Time advance(System& system, base::Time t) = 0;
    /// How many rounds were stepped on several threads.
    [[nodiscard]] virtual std::uint64_t threaded_rounds() const { return 0; }
};

struct AlgorithmOptions {
    unsigned threads = 0;          // at most; 0 = one per core
    bool always_parallel = false;  // also where the units cost too little (for tests)
};

/// One row of algorithms/registry.cpp.
struct AlgorithmEntry {
    std::string_view name;
    std::string_view summary;
    bool sequential;  // units are stepped one after the other and see each other's new values
    std::unique_ptr<Algorithm> (*make)(const AlgorithmOptions&);
};

[[nodiscard]] const std::vector<AlgorithmEntry>& known_algorithms();
/// Throws with the closest name when there is none.
[[nodiscard]] const AlgorithmEntry& find_algorithm(const std::string& name, const std::string& where);

}  // namespace master::core
