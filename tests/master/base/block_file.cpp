#include "master/base/block_file.hpp"

#include "master/base/error.hpp"
#include "tests/support/scratch.hpp"

#include <catch2/catch.hpp>
#include <functional>

using namespace master;

namespace {

using Path = std::filesystem::path;

void replace(const Path& file) {
    std::filesystem::remove(file);
    std::ofstream(file) << "12345";
}

void link_to_another(const Path& file) {
    replace(file.parent_path() / "another");
    std::filesystem::remove(file);
    std::filesystem::create_symlink("another", file);
}

}  // namespace

TEST_CASE("a file that has lost its name to another one is found when it is closed") {
    const std::function<void(const Path&)> ways[] = {replace, link_to_another,
                                                     [](const Path& file) { std::filesystem::remove(file); }};
    for (const auto& lose : ways) {
        const tests::Scratch scratch;
        const Path path = scratch.folder() / "x";
        base::BlockFile file = base::BlockFile::create(path);
        file.write(std::string("12345"));
        lose(path);
        try {
            file.close();
            FAIL("nothing was thrown");
        } catch (const base::Error& error) {
            CHECK(error.exit() == base::Exit::failed);
            CHECK(error.where() == path.string());
        }
        CHECK_FALSE(file.is_open());
    }
}

TEST_CASE("a file that was opened by a link to it may be closed") {
    const tests::Scratch scratch;
    scratch.write("x", "");
    std::filesystem::create_symlink("x", scratch.folder() / "link");
    base::BlockFile file = base::BlockFile::create(scratch.folder() / "link");
    file.write(std::string("12345"));
    file.close();
    CHECK(tests::content_of(scratch.folder() / "x") == "12345");
}
