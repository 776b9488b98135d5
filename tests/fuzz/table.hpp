#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tests {

struct FuzzTarget {
    std::string name;
    int (*decode)(const std::uint8_t* data, std::size_t size);
};

/// Every line `tandem_fuzz` of CMakeLists.txt.
[[nodiscard]] const std::vector<FuzzTarget>& fuzz_targets();

}  // namespace tests
