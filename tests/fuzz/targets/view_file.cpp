#include "master/view/view_file.hpp"

#include "master/base/error.hpp"
#include "tests/fuzz/input_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const tests::InputFile file(data, size);
    master::base::Diagnostics diagnostics;
    try {
        static_cast<void>(master::view::read_view_file(file.path(), diagnostics).requests());
    } catch (const master::base::Error&) {  // NOLINT(bugprone-empty-catch): refused
    }
    return 0;
}
