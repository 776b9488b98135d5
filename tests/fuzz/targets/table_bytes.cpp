#include "master/base/error.hpp"
#include "master/results/foreign/foreign_result.hpp"

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    try {
        (void)master::results::table_from({reinterpret_cast<const char*>(data), size}, "fuzz");
    } catch (const master::base::Error&) {  // NOLINT(bugprone-empty-catch): refused
    }
    return 0;
}
