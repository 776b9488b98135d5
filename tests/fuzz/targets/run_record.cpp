#include "master/report/run_record.hpp"

#include "master/base/error.hpp"
#include "tests/fuzz/input_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const tests::InputFile file(data, size);
    try {
        (void)master::report::read_run_record(file.path());
    } catch (const master::base::Error&) {  // NOLINT(bugprone-empty-catch): refused
    }
    return 0;
}
