#include "master/verbs/run/repetition.hpp"

#include "master/base/error.hpp"
#include "master/base/sha256.hpp"
#include "master/build/outside.hpp"
#include "master/results/compare.hpp"
#include "master/results/foreign/foreign_result.hpp"
#include "master/results/result_file.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>

namespace master::verbs {
namespace {

constexpr int ok_exit = static_cast<int>(base::Exit::ok);
constexpr int failed_exit = static_cast<int>(base::Exit::failed);

RunOptions options_of(const report::RunRecord& record, const std::string& where) {
    RunOptions options;
    CLI::App parser;
    add_options(parser, options);
    std::vector<std::string> arguments(record.arguments.rbegin(), record.arguments.rend() - 1);
    try {
        parser.parse(arguments);
    } catch (const CLI::ParseError& error) {
        throw base::Error("bad-record", where, std::string("its command line cannot be used: ") + error.what());
    }
    take_system_after_patterns(options.build);
    options.arguments = record.arguments;
    return options;
}

/// A record may come from somebody else: it does not decide that nobody watches.
Supervision supervision_of(const Supervision& recorded, const Supervision& wish) {
    Supervision supervision = wish;
    if (!wish.options.unit_timeout) supervision.options.unit_timeout = recorded.options.unit_timeout;
    if (!wish.options.memory_limit) supervision.options.memory_limit = recorded.options.memory_limit;
    return supervision;
}

/// The folder with what came from outside during a run; empty where nothing did.
std::filesystem::path journals_of(const report::RunRecord& record, const std::filesystem::path& folder) {
    std::filesystem::path journals;
    for (const report::RunRecord::File& result : record.results) {
        if (result.role != "journal") continue;
        if (base::sha256_of(folder / result.path) != result.sha256)
            throw base::Error("bad-record", (folder / result.path).string(),
                              "is not what the run wrote: its hash differs from the one in run.json");
        journals = folder;
    }
    return journals;
}

/// A process that crashed before the first step leaves a record that knows the system's own file alone.
void refuse_unknown_units(const report::RunRecord& record, const RunOptions& options, const std::string& where) {
    const auto is_unit = [](const report::RunRecord::File& input) { return input.role == "fmu"; };
    if (record.outcome.exit != failed_exit || !record.results.empty() || options.build.single_fmu() ||
        std::ranges::any_of(record.inputs, is_unit))
        return;
    throw base::Error("bad-record", where,
                      fmt::format("cannot be repeated: the recorded run ended before its record could name the FMUs "
                                  "that it used, {}",
                                  record.outcome.ended));
}

/// Somebody else may have written the record: what the repeat touches is said before.
void announce(const report::RunRecord& record, const RunOptions& options, Console& console) {
    std::vector<std::string> files;
    const auto add = [&](const std::filesystem::path& file) {
        const auto path = (record.folder / file).lexically_normal().string();
        if (!file.empty() && std::ranges::find(files, path) == files.end()) files.push_back(path);
    };
    for (const auto& file : {options.build.system, options.build.input, options.scenario}) add(file);
    for (const report::RunRecord::File& input : record.inputs) add(input.path);
    for (const std::string& file : files) console.note("reads " + file);
    console.note("writes only into the new folder " + options.out.string());
}

std::string text_of(const report::RunRecord::Outcome& outcome) {
    return fmt::format("{} (t = {} s)", outcome.ended, outcome.reached);
}

}  // namespace

Repetition::Repetition(const RunOptions& wish, Console& console)
    : shown_(wish.repeat), file_(std::filesystem::absolute(wish.repeat)), record_(report::read_run_record(file_)) {
    const std::string where = file_.string();
    for (const std::string& change : report::changes_since(record_)) console.note(change);
    std::error_code failure;
    std::filesystem::current_path(record_.folder, failure);
    if (failure)
        throw base::Error("bad-record", where,
                          "its folder '" + record_.folder + "' cannot be used: " + failure.message());
    options_ = options_of(record_, where);
    refuse_unknown_units(record_, options_, where);
    options_.repeat = wish.repeat;
    options_.out = wish.out;
    options_.quiet |= wish.quiet;
    options_.overwrite |= wish.overwrite;
    options_.supervision = supervision_of(options_.supervision, wish.supervision);
    std::set<std::filesystem::path> taken;
    for (std::filesystem::path* file : {&options_.can_log, &options_.log, &options_.trace}) {
        if (file->empty()) continue;
        std::string name = file->filename().string();
        while (!taken.insert(name).second) name += "_";  // they were in different folders
        *file = wish.out / name;
    }
    options_.exchange.record_points.clear();  // results of this one are its bits
    options_.replacing.write.clear();
    options_.realtime.clear();  // the clock decides about nothing that is computed
    options_.build.accepted_units.emplace();
    for (const report::RunRecord::File& input : record_.inputs) options_.build.accepted_units->insert(input.sha256);
    options_.build.replays = journals_of(record_, file_.parent_path());
    if (record_.outcome.exit == static_cast<int>(base::Exit::interrupted)) options_.until = record_.outcome.reached;
    announce(record_, options_, console);
}

int Repetition::judge(int code, const std::filesystem::path& repeated) const {
    // Refused, or stopped by whoever watches it: there is nothing to compare.
    for (const base::Exit exit : {base::Exit::bad_input, base::Exit::interrupted})
        if (code == static_cast<int>(exit)) return code;
    bool same = ends_alike(code, repeated);
    std::size_t compared = 0, left_out = 0;
    std::vector<std::string> switched;
    if (std::filesystem::exists(repeated)) switched = report::parameters_from(repeated, build::repeat_origin);
    for (const report::RunRecord::File& result : record_.results) {
        if (result.role == "journal") continue;
        if (result.sha256.empty()) {
            print_out(fmt::format("{}: not compared, since the record has no hash of it\n", result.path));
            ++left_out;
            continue;
        }
        same = has_same_bits(result, switched) && same;
        ++compared;
    }
    if (compared == 0 && code == ok_exit)
        print_out(
            fmt::format("{}: nothing could be compared: the record names no result with a hash\n", shown_.string()));
    if (same && compared > 0) print_out(fmt::format("{}: same bits\n", shown_.string()));
    const bool in_doubt = !record_.outcome.exit || compared == 0 || left_out > 0;
    return same && !(in_doubt && code == ok_exit) ? code : static_cast<int>(base::Exit::violated);
}

bool Repetition::ends_alike(int code, const std::filesystem::path& repeated) const {
    const report::RunRecord::Outcome& then = record_.outcome;
    if (!then.exit)
        print_out(fmt::format("{}: the recorded run has no known end: {}\n", shown_.string(),
                              then.ended.empty() ? "the record does not say how it ended" : text_of(then)));
    if (then.exit != failed_exit && code != failed_exit) return true;
    report::RunRecord::Outcome now{.exit = code, .ended = "failed"};
    if (std::filesystem::exists(repeated)) now = report::read_run_record(repeated).outcome;
    const bool alike = now.exit == then.exit && now.ended == then.ended && now.reached == then.reached;
    print_out(fmt::format("{}: the recorded run: {}; {}\n", shown_.string(), text_of(then),
                          alike ? "the repeat ends the same way" : "the repeat ends otherwise: " + text_of(now)));
    return alike;
}

bool Repetition::has_same_bits(const report::RunRecord::File& result, const std::vector<std::string>& switched) const {
    const auto before = file_.parent_path() / result.path;
    const auto after = options_.out / result.path;
    const auto differs = [&](const char* why) {
        print_out(fmt::format("{}: different bits{}\n", result.path, why));
        return false;
    };
    if (!std::filesystem::exists(before) || base::sha256_of(before) != result.sha256)
        return differs(": it is no longer what the recorded run wrote");
    if (!std::filesystem::exists(after)) return differs(": the repeat has none");
    if (result.role == "can-log" ? base::sha256_of(after) == result.sha256 : has_same_signals(result.path, switched))
        return true;
    return differs(" (tandem compare shows where)");
}

/// HDF5 files with the same values may differ in their bytes.
bool Repetition::has_same_signals(const std::string& name, const std::vector<std::string>& switched) const {
    results::Table before = results::read_foreign_result(file_.parent_path() / name);
    results::Table after = results::read_result(options_.out / name);
    const auto is_switched = [&](const results::TableColumn& column) {
        return std::ranges::find(switched, column.name) != switched.end();
    };
    std::vector<std::string> left_out;
    for (const results::TableColumn& column : before.columns)
        if (is_switched(column)) left_out.push_back(column.name);
    for (results::Table* table : {&before, &after}) std::erase_if(table->columns, is_switched);
    if (!left_out.empty())
        print_out(fmt::format("{}: not compared, since the repeat plays what came from outside: {}\n", name,
                              fmt::join(left_out, ", ")));
    return results::compare_bits(after, before).passed();
}

}  // namespace master::verbs
