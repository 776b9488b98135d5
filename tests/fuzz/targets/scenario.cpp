#include "master/runs/scenario.hpp"

#include "master/base/error.hpp"
#include "tests/fuzz/input_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const tests::InputFile file(data, size);
    try {
        master::base::Diagnostics diagnostics;
        (void)master::runs::read_scenario(file.path(), diagnostics);
    } catch (const master::base::Error&) {  // NOLINT(bugprone-empty-catch): refused
    }
    return 0;
}
