#include "master/base/archive.hpp"

#include "master/base/error.hpp"
#include "tests/fuzz/input_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const bool in_memory = setenv("TMPDIR", "/dev/shm", 1) == 0;
    static_cast<void>(in_memory);
    const tests::InputFile file(data, size);
    try {
        const master::base::Archive archive(file.path(), {.total_bytes = 1U << 22U});
    } catch (const master::base::Error&) {  // NOLINT(bugprone-empty-catch): refused
    }
    return 0;
}
