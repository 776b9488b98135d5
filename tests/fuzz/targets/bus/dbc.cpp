#include "tests/interfaces/dbc/fuzz_dbc.hpp"

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    tests::fuzz_dbc({data, size});
    return 0;
}
