#include "master/runs/output_folder.hpp"

#include "master/base/child_process.hpp"
#include "master/base/error.hpp"
#include "tests/support/scratch.hpp"

#include <catch2/catch.hpp>

using namespace master;

namespace {

report::RunRecord a_record() {
    report::RunRecord record;
    record.version = "1";
    record.arguments = {"run"};
    record.environment.libraries = {{"none", "0"}};
    record.results = {{"result", "results.csv", ""}};
    record.outcome = {.exit = std::nullopt, .ended = "incomplete"};
    return record;
}

}  // namespace

TEST_CASE("a folder has one writer at a time") {
    const tests::Scratch scratch;
    const runs::OutputFolder first(scratch.folder() / "out");
    base::ChildProcess other([&] {
        try {
            const runs::OutputFolder second(scratch.folder() / "out");
            return 1;
        } catch (const base::Error& error) {
            return error.code() == "locked" && error.exit() == base::Exit::bad_input ? 0 : 2;
        }
    });
    CHECK(other.wait(std::chrono::seconds(10)) == 0);
}

TEST_CASE("a folder that was made for nothing is gone again") {
    const tests::Scratch scratch;
    { const runs::OutputFolder folder(scratch.folder() / "a" / "b"); }
    CHECK_FALSE(std::filesystem::exists(scratch.folder() / "a"));
    {
        const runs::OutputFolder folder(scratch.folder() / "a" / "b");
        report::write_run_record(folder.record(), a_record());
    }
    CHECK(std::filesystem::exists(scratch.folder() / "a" / "b" / "run.json"));
}

TEST_CASE("only what a run.json names is replaced") {
    const tests::Scratch scratch;
    const runs::OutputFolder folder(scratch.folder());
    folder.refuse_strangers();
    const auto file = scratch.write("results.csv", "time\n");
    CHECK_THROWS_AS(folder.refuse_strangers(), base::Error);
    report::write_run_record(folder.record(), a_record());
    folder.refuse_strangers();
    scratch.write("results.h5", "not ours");
    CHECK_THROWS_WITH(folder.refuse_strangers(), Catch::Contains("--overwrite"));
    std::filesystem::remove(scratch.folder() / "results.h5");
    scratch.write("run.json", "{}");
    CHECK_THROWS_AS(folder.refuse_strangers(), base::Error);
}

TEST_CASE("a file that the run reads is not replaced") {
    const tests::Scratch scratch;
    const runs::OutputFolder folder(scratch.folder());
    scratch.write("results.csv", "time\n");
    const std::vector<report::RunRecord::File> inputs{{"input", "results.csv", ""}};
    CHECK_THROWS_WITH(folder.refuse_inputs(inputs, scratch.folder()), Catch::Contains("reads this file"));
    folder.refuse_inputs(inputs, "/");
}

TEST_CASE("a file that only has the name of a growing result is not taken for one") {
    const tests::Scratch scratch;
    const runs::OutputFolder folder(scratch.folder());
    const auto unchanged = [](report::RunRecord::Outcome&) {};
    report::RunRecord record = a_record();
    record.outcome = {.exit = 1, .ended = "failed"};
    report::write_run_record(folder.record(), record);
    const auto file = scratch.write("results.partial.csv", "of somebody else\n0");
    // Of a recorder that has completed its file, or never made one.
    const results::UnwrittenRows rows;
    CHECK(folder.conclude(rows, unchanged));
    folder.repair();
    CHECK(tests::content_of(file) == "of somebody else\n0");
    CHECK_FALSE(std::filesystem::exists(scratch.folder() / "results.csv"));
}

TEST_CASE("room that is kept for the last record leaves most of a disk to the rows") {
    const tests::Scratch scratch;
    const runs::OutputFolder folder(scratch.folder());
    folder.write_first(a_record());
    const auto reserve = std::filesystem::file_size(scratch.folder() / ".run.json.reserve");
    CHECK(reserve > 2 * std::filesystem::file_size(folder.record()));
    CHECK(reserve < std::filesystem::space(scratch.folder()).available / 4);
    folder.write_last(a_record());
    CHECK_FALSE(std::filesystem::exists(scratch.folder() / ".run.json.reserve"));
}

TEST_CASE("what a killed run left is repaired, and its record still says that it is incomplete") {
    const tests::Scratch scratch;
    const runs::OutputFolder folder(scratch.folder());
    report::write_run_record(folder.record(), a_record());
    scratch.write("results.partial.csv", "time,x\n0,1\n0.1,2\n0.2");
    folder.repair();
    CHECK(tests::content_of(scratch.folder() / "results.csv") == "time,x\n0,1\n0.1,2\n");
    CHECK_FALSE(std::filesystem::exists(scratch.folder() / "results.partial.csv"));
    const std::string record = tests::content_of(folder.record());
    CHECK_THAT(record, Catch::Contains("incomplete"));
    CHECK_THAT(record, Catch::Contains("\"exit\": null"));
    CHECK(report::read_run_record(folder.record()).results.front().sha256.size() == 64);
}
