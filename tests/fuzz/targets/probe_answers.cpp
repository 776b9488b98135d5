#include "master/fmi/library/probe.hpp"

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    (void)master::fmi::read_answers({reinterpret_cast<const char*>(data), size});
    return 0;
}
