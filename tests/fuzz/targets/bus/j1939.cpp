#include "tests/interfaces/j1939/fuzz_j1939.hpp"

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    tests::fuzz_j1939({data, size});
    return 0;
}
