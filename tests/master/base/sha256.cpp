#include "master/base/sha256.hpp"

#include "master/base/temporary_folder.hpp"
#include "tests/support/zip_writer.hpp"

#include <catch2/catch.hpp>

TEST_CASE("the SHA-256 of the standard's example is right") {
    const std::string expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    const master::base::TemporaryFolder folder("tandem-test-");
    tests::write_file(folder.path() / "abc", "abc");
    CHECK(master::base::sha256_of(folder.path() / "abc") == expected);
}
