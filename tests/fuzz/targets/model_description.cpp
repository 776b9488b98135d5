#include "master/base/error.hpp"
#include "master/fmi/description/read_description.hpp"

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace master;
    try {
        base::Diagnostics diagnostics;
        (void)fmi::parse_model_description({reinterpret_cast<const char*>(data), size}, "fuzz", diagnostics);
    } catch (const base::Error&) {  // NOLINT(bugprone-empty-catch): refused
    }
    return 0;
}
