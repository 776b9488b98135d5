#include "tests/interfaces/canopen/fuzz.hpp"

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    interfaces::canopen::fuzz_master({data, size});
    return 0;
}
