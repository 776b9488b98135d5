// Beyond FMI: lets a unit be described again with other resources, without a compiler (`tandem pack --machine`).
#include "fmus/common/description/generated_files.hpp"

#include <exception>

/// Writes the generated files into the unpacked FMU at `folder`. Returns 0, or 1 after a call of `fail` with the
/// reason.
extern "C" [[gnu::visibility("default")]] int tandem_describe(const char* folder, void* context,
                                                              void (*fail)(void*, const char*)) {
    try {
        fmus::write_generated_files(fmus::FmiVersion::fmi2, folder, [](const std::string&) {});
        return 0;
    } catch (const std::exception& problem) {
        fail(context, problem.what());
        return 1;
    }
}
