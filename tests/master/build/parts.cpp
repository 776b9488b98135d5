#include "master/build/parts.hpp"

#include <catch2/catch.hpp>

TEST_CASE("runs that belong together unpack an FMU once, and remove it after the last of them") {
    master::build::BuildOptions options;
    options.system = std::filesystem::path(TANDEM_BUILD_DIR) / "tests/fmus/ball_fmi2.fmu";
    master::base::Diagnostics diagnostics;
    const auto folder_of = [](const master::build::Parts& parts) { return parts.fmus.front()->folder(); };

    CHECK(folder_of(master::build::read_parts(options, diagnostics)) !=
          folder_of(master::build::read_parts(options, diagnostics)));

    std::filesystem::path unpacked;
    {
        master::base::ArchiveCache archives;
        options.archives = &archives;
        unpacked = folder_of(master::build::read_parts(options, diagnostics));
        CHECK(std::filesystem::exists(unpacked / "modelDescription.xml"));
        CHECK(folder_of(master::build::read_parts(options, diagnostics)) == unpacked);
    }
    CHECK_FALSE(std::filesystem::exists(unpacked));
}
