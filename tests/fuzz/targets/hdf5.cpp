#include "master/base/error.hpp"
#include "master/results/foreign/foreign_result.hpp"
#include "tests/fuzz/input_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const tests::InputFolder folder;
    folder.write("input.h5", {data, size});
    try {
        (void)master::results::read_foreign_result(folder.path() / "input.h5", std::chrono::seconds(2));
    } catch (const master::base::Error&) {  // NOLINT(bugprone-empty-catch): refused
    }
    return 0;
}
