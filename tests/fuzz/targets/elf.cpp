#include "master/fmi/library/elf.hpp"

#include "tests/fuzz/input_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const tests::InputFile file(data, size);
    (void)master::fmi::read_shared_object(file.path());
    return 0;
}
