#include "tests/master/fmi/unit/bench.hpp"

#include <catch2/catch.hpp>
#include <cstdlib>

TEST_CASE("resources are a percent-encoded file URI in FMI 2 and a path with a separator in FMI 3") {
    const auto odd = std::filesystem::temp_directory_path() / "tandem units \xc3\xbc 100%";
    std::filesystem::create_directories(odd);
    const auto before = std::filesystem::temp_directory_path();
    setenv("TMPDIR", odd.c_str(), 1);
    {
        Bench second("integrator_fmi2");
        second.initialize();
        const std::string& uri = second.string("resources");
        CHECK(uri.rfind("file:///", 0) == 0);
        CHECK(contains(uri, "/tandem%20units%20%C3%BC%20100%25/"));
        CHECK(uri.ends_with("/resources"));
        CHECK(second.string("null text").empty());
        Bench third("integrator_fmi3");
        third.initialize();
        const std::string& path = third.string("resources");
        CHECK(path.rfind(odd.string() + "/", 0) == 0);
        CHECK(path.ends_with("/resources/"));
        CHECK(std::filesystem::exists(path + "greeting.txt"));
    }
    setenv("TMPDIR", before.c_str(), 1);
    std::filesystem::remove_all(odd);
}
