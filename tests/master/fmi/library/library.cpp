#include "tests/master/fmi/unit/bench.hpp"

#include <catch2/catch.hpp>

TEST_CASE("a missing function is named only when it is needed") {
    const auto error = error_of([] { Bench("lacks_do_step"); });
    CHECK(error.code() == "bad-library");
    CHECK(contains(error.what(), "fmi2DoStep"));
}

TEST_CASE("a missing shared library is named with the loader's words, the run path and the flag") {
    const auto error = error_of([] { Bench("missing_library"); });
    CHECK(error.code() == "bad-library");
    CHECK(contains(error.where(), "missing_library.fmu"));
    CHECK(contains(error.what(), "libtandem_absent.so: cannot open shared object file"));
    const std::string text = error.what();
    CHECK(
        contains(text.substr(text.find("it needs ")), "libtandem_absent.so"));  // a sanitizer's library may come first
    CHECK(contains(error.what(), "no run path"));
    CHECK(contains(error.what(), "needsExecutionTool is true"));
}

TEST_CASE("an FMU without a binary for this platform is refused with the platforms it has") {
    const auto error = error_of([] { Bench("windows_only"); });
    CHECK(error.code() == "bad-library");
    CHECK(contains(error.what(), "binaries/linux64/windows_only.so"));
    CHECK(contains(error.what(), "platforms there: win64"));
    CHECK(contains(error.what(), "source-code FMU"));
}
