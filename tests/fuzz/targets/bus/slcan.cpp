#include "tests/interfaces/can/fuzz_can.hpp"

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    tests::fuzz_slcan({data, size});
    return 0;
}
