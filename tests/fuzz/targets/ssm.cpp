#include "tests/fuzz/nested_system.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    return tests::read_nested_with("resources/plant.ssm", data, size);
}
