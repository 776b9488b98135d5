#include "interfaces/machine_file/machine_file.hpp"

#include "interfaces/machine_file/error.hpp"

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    try {
        (void)interfaces::machine_file::parse({reinterpret_cast<const char*>(data), size}, "fuzz");
    } catch (const interfaces::machine_file::Error&) {  // NOLINT(bugprone-empty-catch): refused
    }
    return 0;
}
