#include "master/base/archive.hpp"
#include "master/base/error.hpp"
#include "master/fmi/description/array_sizes.hpp"
#include "master/fmi/description/model_description.hpp"
#include "master/fmi/description/read_description.hpp"
#include "tests/master/fmi/description/samples.hpp"
#include "tests/support/zip_writer.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <random>

using namespace master;

namespace {

/// Changes, removes and inserts a few bytes. Pieces of XML make it likelier that the result is still well-formed.
std::string damaged(std::string bytes, std::mt19937& random) {
    constexpr std::array pieces{"0",     "-1",   "99999999999", "\"", "<", "/>", " ", "valueReference",
                                "1e400", "\xFF", "NaN"};
    const auto below = [&](std::size_t count) {
        return std::uniform_int_distribution<std::size_t>(0, count - 1)(random);
    };
    const std::size_t changes = 1 + below(4);
    for (std::size_t i = 0; i < changes && !bytes.empty(); ++i) {
        const std::size_t at = below(bytes.size());
        switch (below(4)) {
            case 0:
                bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
                break;
            case 1:
                bytes.erase(at, 1 + below(40));
                break;
            case 2:
                bytes.insert(at, pieces[below(pieces.size())]);
                break;
            default:
                bytes[at] = static_cast<char>('0' + below(10));
                break;
        }
    }
    return bytes;
}

/// Reads as a user would; true when the description was accepted.
bool is_accepted(const std::string& xml) {
    base::Diagnostics diagnostics;
    try {
        fmi::ModelDescription description = fmi::parse_model_description(xml, "fuzz.xml", diagnostics);
        if (diagnostics.has_errors()) return false;
        const std::size_t count = description.info.variables.size();
        REQUIRE(description.references.size() == count);
        REQUIRE(description.natives.size() == count);
        REQUIRE(description.dimensions.size() == count);
        for (const core::Unknown& unknown : description.info.outputs) REQUIRE(unknown.variable < count);
        REQUIRE(description.states.size() <= description.derivatives.size());
        fmi::resize_arrays(description, {});
    } catch (const base::Error&) {
        return false;
    }
    return true;
}

constexpr int repetitions = 2000;

}  // namespace

TEST_CASE("damaged model descriptions are read or refused, never worse") {
    std::mt19937 random(7);
    int accepted = 0;
    for (int i = 0; i < repetitions; ++i) {
        const std::string_view sample = i % 2 == 0 ? tests::fmi2_sample : tests::fmi3_sample;
        accepted += is_accepted(damaged(std::string(sample), random)) ? 1 : 0;
    }
    // Both outcomes must occur, or the damage was not of the right strength to find anything.
    CHECK(accepted > repetitions / 20);
    CHECK(accepted < repetitions * 19 / 20);
}

TEST_CASE("damaged archives are unpacked or refused, never worse") {
    const std::string whole = tests::zip_of({{"modelDescription.xml", std::string(tests::fmi2_sample.substr(0, 300))},
                                             {"resources/data.csv", "1,2,3"},
                                             {"binaries/linux64/m.so", "ELF"}});
    // Thousands of folders on a busy disk take long; memory will do.
    const bool in_memory = std::filesystem::is_directory("/dev/shm");
    const tests::TemporaryFoldersIn redirected(in_memory ? "/dev/shm" : std::filesystem::temp_directory_path());
    const base::TemporaryFolder folder("tandem-test-");
    const std::filesystem::path file = folder.path() / "fuzz.fmu";
    std::mt19937 random(11);
    int accepted = 0;
    for (int i = 0; i < repetitions; ++i) {
        tests::write_file(file, damaged(whole, random));
        try {
            const base::Archive archive(file, {.total_bytes = 1U << 20U});
            ++accepted;
        } catch (const base::Error&) {
        }
    }
    CHECK(accepted > 0);
    CHECK(accepted < repetitions);
}
