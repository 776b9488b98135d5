#include "master/base/temporary_folder.hpp"

#include "master/base/child_process.hpp"
#include "tests/support/scratch.hpp"

#include <catch2/catch.hpp>
#include <csignal>
#include <stdlib.h>

using namespace master::base;

namespace {

std::size_t entries(const std::filesystem::path& folder) {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(folder), std::filesystem::directory_iterator()));
}

}  // namespace

TEST_CASE("folders of the dead are removed, those of the living and of strangers are not") {
    const tests::Scratch scratch;
    const std::string before = ::getenv("TMPDIR") == nullptr ? "" : ::getenv("TMPDIR");
    ::setenv("TMPDIR", scratch.folder().c_str(), 1);
    {
        const TemporaryFolder living("tandem-");
        std::filesystem::create_directory(scratch.folder() / "tandem-backup");
        // As far as an owner comes that is killed at once.
        std::filesystem::create_directory(scratch.folder() / "tandem-unmarked-a1B2c3");
        ChildProcess dead([] {
            const TemporaryFolder folder("tandem-");
            std::filesystem::create_directories(folder.path() / "deep" / "er");
            return std::raise(SIGKILL);
        });
        REQUIRE(dead.wait(std::chrono::seconds(10)) == -1);
        CHECK(entries(scratch.folder()) == 4);
        remove_abandoned_folders();
        CHECK(entries(scratch.folder()) == 2);
        CHECK(std::filesystem::exists(living.path()));
        CHECK(std::filesystem::exists(scratch.folder() / "tandem-backup"));
    }
    CHECK(entries(scratch.folder()) == 1);
    before.empty() ? ::unsetenv("TMPDIR") : ::setenv("TMPDIR", before.c_str(), 1);
}
