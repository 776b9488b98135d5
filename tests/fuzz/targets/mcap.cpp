#include "master/base/error.hpp"
#include "master/results/mcap/mcap_recorder.hpp"
#include "master/results/result_file.hpp"
#include "tests/fuzz/input_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const tests::InputFolder folder;
    folder.write("input.mcap", {data, size});
    const auto file = folder.path() / "input.mcap";
    for (int round = 0; round < 2; ++round) {  // as it is, and as one of a recorder that died
        try {
            (void)master::results::read_mcap(file);
            master::results::complete_mcap(file, nullptr);
        } catch (const master::base::Error&) {  // NOLINT(bugprone-empty-catch): refused
        }
    }
    return 0;
}
