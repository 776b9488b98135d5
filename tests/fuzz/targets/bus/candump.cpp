#include "tests/interfaces/can_log/fuzz_log.hpp"

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    tests::fuzz_candump({data, size});
    return 0;
}
