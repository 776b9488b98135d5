#include "master/analysis/shadow.hpp"
#include "master/base/sha256.hpp"
#include "master/results/compare.hpp"
#include "master/results/event_rows.hpp"
#include "master/results/foreign/foreign_result.hpp"
#include "master/results/formats.hpp"
#include "master/results/result_file.hpp"
#include "master/runs/bond_ledger.hpp"
#include "master/runs/goals.hpp"
#include "master/runs/output_folder.hpp"
#include "master/runs/prepare.hpp"
#include "master/runs/real_time.hpp"
#include "master/runs/run_output.hpp"
#include "master/verbs/contracts/run_contract.hpp"
#include "master/verbs/guarded.hpp"
#include "master/verbs/long_run.hpp"
#include "master/verbs/progress.hpp"
#include "master/verbs/supervised.hpp"
#include "master/verbs/system_options.hpp"
#include "master/verbs/verb.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <iterator>

namespace master::verbs {
namespace {

struct RunOptions {
    build::BuildOptions build;
    std::filesystem::path out, scenario, trace, repeat, log;
    std::string format = "csv";
    std::string record_interval;
    std::string shadow = "auto";
    std::string realtime;    // factor as typed; empty: as fast as possible
    std::string event_rows;  // on, off; empty: on where every point is a row
    bool strict = false, quiet = false, stats = false, csv_units = false, overwrite = false, long_run = false;
    Supervision supervision;
    ContractOptions contract;
    std::vector<std::string> arguments;
};

constexpr std::size_t most_trace_slices = 1'000'000;
constexpr std::uint64_t large_result = 1ULL << 30;

void add_options(CLI::App& verb, RunOptions& options) {
    add_system_options(verb, options.build);
    add_scenario_options(verb, options.build, options.scenario);
    verb.get_option("system")->required(false);  // it may stand behind patterns, or in the record of a run
    verb.add_option("--out", options.out, "Folder for results (default results/NAME)")->type_name("DIR");
    verb.add_option("--record", options.build.record, "Names to record, with * and ?; 'none' for nothing")
        ->type_name("PATTERN")
        ->expected(1, -1);
    verb.add_option("--record-interval", options.record_interval, "Seconds between rows")->type_name("H");
    verb.add_option("--event-rows", options.event_rows,
                    "Two rows of equal time around an event: on (default) or off (with --record-interval)")
        ->type_name("on|off")
        ->check(CLI::IsMember({"on", "off"}));
    verb.add_option("--format", options.format, "csv, hdf5 or mat")->type_name("F");
    verb.add_flag("--csv-units", options.csv_units, "A second header row with the units");
    verb.add_option("--log", options.log, "Every message of every FMU: time, unit, level, category, text")
        ->type_name("FILE");
    verb.add_flag("--long", options.long_run, "Allow more than 10^9 points, or more bytes than the disk has free");
    verb.add_option("--trace", options.trace, "Chrome trace of every step")->type_name("FILE");
    verb.add_option("--shadow", options.shadow,
                    "on, off or auto: a second run at another step beside this one, for the error bar")
        ->type_name("WHEN")
        ->envname("TANDEM_SHADOW")
        ->check(CLI::IsMember({"on", "off", "auto"}));
    verb.add_flag("--realtime{1}", options.realtime,
                  "Hold simulated time to the clock; --realtime=2 is twice as fast as it");
    add_supervision_options(verb, options.supervision);
    add_contract_options(verb, options.contract);
    verb.add_flag("--overwrite", options.overwrite,
                  "Replace files in the folder for results also where no run.json there names them");
    verb.add_flag("--stats", options.stats, "Wall time per unit");
    verb.add_flag("--strict", options.strict, "Warnings are errors, and so is what would be ignored");
    verb.add_flag("--quiet", options.quiet, "Only errors");
}

/// In `run --record A B SYSTEM` the last word is the system.
void take_system_after_patterns(build::BuildOptions& build) {
    if (!build.system.empty() || build.record.size() < 2) return;
    build.system = build.record.back();
    build.record.pop_back();
}

/// What a run shares with the process that watches it.
struct Place {
    runs::Board& board;
    const runs::OutputFolder& folder;
    results::UnwrittenRows& rows;
};

/// What is asked for, checked before anything is written.
results::Recording recording_of(const RunOptions& options, const build::Simulation& simulation,
                                results::UnwrittenRows& unwritten, base::Diagnostics& diagnostics) {
    results::Recording recording{.folder = options.out,
                                 .columns = simulation.columns,
                                 .timebase = simulation.timing.timebase,
                                 .unit_row = options.csv_units,
                                 .constants = simulation.constants,
                                 .unwritten = &unwritten};
    if (!options.record_interval.empty()) {
        recording.interval = base::exact_fraction(options.record_interval);
        if (!recording.interval || recording.interval->numerator <= 0) {
            throw base::Error("usage", "--record-interval",
                              fmt::format("'{}' is no positive decimal or fraction", options.record_interval));
        }
    }
    const build::Timing& timing = simulation.timing;
    const double spacing = recording.interval ? recording.interval->value()
                                              : timing.timebase.seconds(*std::ranges::min_element(timing.periods));
    const auto rows = static_cast<std::uint64_t>(timing.timebase.seconds(timing.stop - timing.start) / spacing);
    const std::uint64_t bytes = results::expected_bytes(options.format, simulation.columns, rows);
    if (bytes > large_result) {
        diagnostics.note("size", options.out.string(),
                         fmt::format("about {:.1f} GB will be written; --record and --record-interval select less",
                                     static_cast<double>(bytes) / 1e9));
    }
    if (recording.interval && options.event_rows == "on")
        throw base::Error("usage", "--event-rows",
                          "'on' needs a row at every point: it does not go with --record-interval");
    return recording;
}

std::unique_ptr<core::Tap> recorder(const RunOptions& options, const build::Simulation& simulation,
                                    results::Recording recording, base::Diagnostics& diagnostics) {
    const bool thinned = recording.interval.has_value();
    std::unique_ptr<core::Tap> recorder = results::make_recorder(options.format, std::move(recording), diagnostics);
    if (thinned || options.event_rows == "off") return recorder;
    return results::with_event_rows(std::move(recorder), simulation.columns, *simulation.system);
}

/// What the system's report file would like to show; the signals of its plots are recorded too.
report::ReportFile wishes_of(build::BuildOptions& build, base::Diagnostics& diagnostics) {
    report::ReportFile wishes = report::report_file_of(build.system, diagnostics);
    diagnostics.throw_if_errors();
    build.also_record = wishes.recorded();
    return wishes;
}

report::Observer observer_of(report::ReportFile& wishes, const build::Timing& timing) {
    report::Observer observer({timing.start, timing.stop, timing.timebase});
    for (const report::WishedFact& fact : wishes.facts) observer.watch(fact);
    for (const build::SignalRequest* array : wishes.arrays()) observer.picture(*array);
    for (const build::SignalRequest* value : wishes.values()) observer.take_last(*value);
    return observer;
}

analysis::Shadow::Wish wish_of(const std::string& shadow) {
    using Wish = analysis::Shadow::Wish;
    return shadow == "on" ? Wish::on : shadow == "off" ? Wish::off : Wish::automatic;
}

/// Simulated over real time; nothing: as fast as possible.
std::optional<double> real_time_factor(const std::string& realtime) {
    if (realtime.empty()) return {};
    const auto factor = base::exact_fraction(realtime);
    if (!factor || factor->numerator <= 0)
        throw base::Error("usage", "--realtime", fmt::format("'{}' is no positive decimal or fraction", realtime));
    return factor->value();
}

/// The record and the report of a run that is over. What ended it is the first trouble, and the one that counts.
report::RunRecord write_end(runs::RunOutput& output, report::RunRecord record, runs::Outcome& outcome,
                            const runs::OutputFolder& folder, base::Diagnostics& diagnostics) {
    runs::add_end(output, record);
    try {
        report::write_run_record(folder.record(), record);
    } catch (const base::Error& error) {
        if (!outcome.error) outcome.error = error;
        outcome.exit = base::Exit::failed;
        return record;
    }
    try {
        runs::write_report_of(output, record);
    } catch (const std::exception& error) {
        diagnostics.warn("report", folder.report().string(), std::string("there is no report: ") + error.what());
    }
    return record;
}

/// Work that is left when everything is written: what goes wrong there costs the exit code, and the record says it.
base::Exit afterwards(const Place& place, Console& console, base::Exit exit, const std::function<void()>& work) {
    const auto tell = [&](const base::Error& error) {
        console.show(base::Error(error.code(), error.where(),
                                 std::string(error.what()) + "; results, run.json and the report are complete"));
        report::amend_run_record(place.folder.record(), [&](report::RunRecord::Outcome& outcome) {
            outcome.exit = static_cast<int>(base::Exit::failed);
            outcome.ended += "; then " + error.where() + ": " + error.what();
        });
        return base::Exit::failed;
    };
    try {
        work();
        return exit;
    } catch (const base::Error& error) {
        return tell(error);
    } catch (const std::exception& error) {
        const std::optional<base::Error> foreign = runs::foreign_exception(place.board, error.what());
        if (!foreign) throw;
        return tell(*foreign);
    }
}

base::Exit run(RunOptions& options, const Place& place, Console& console, base::Diagnostics& diagnostics) {
    place.folder.repair();
    if (!options.overwrite) place.folder.refuse_strangers();
    diagnostics.strict = options.strict;
    const std::optional<double> factor = real_time_factor(options.realtime);
    options.build.paced = factor.has_value();
    if (!options.log.empty()) console.log_into(options.log);
    runs::Scenario scenario = scenario_of(options.scenario, diagnostics);
    report::ReportFile wishes = wishes_of(options.build, diagnostics);
    std::vector<std::unique_ptr<core::Tap>> owned;
    base::ArchiveCache archives;  // of all rounds of --settle
    options.build.archives = &archives;
    if (options.build.record.empty() && options.record_interval.empty())
        options.record_interval = wishes.record_interval(short_name(options.build.system));
    runs::RunRequest request{.build = options.build,
                             .scenario = options.scenario.empty() ? nullptr : &scenario,
                             .requests = wishes.requests()};
    RunContract contract(options.contract, options.build, diagnostics);
    contract.add_requests(request.requests);
    analysis::Shadow shadow(wish_of(options.shadow), options.build,
                            [&](const build::BuildOptions& build, const std::vector<std::string>& corrections) {
                                runs::RunRequest again = request;
                                again.build = build;
                                base::Diagnostics unsaid;
                                Console nowhere(Console::Verbosity::quiet);
                                return runs::prepare_with(again, corrections, unsaid, nowhere);
                            });
    if (factor) request.build.journals = options.out;
    runs::Prepared prepared = runs::prepare(request, diagnostics, console);
    build::Simulation& simulation = prepared.simulation;
    if (prepared.script) owned.push_back(std::move(prepared.script));
    if (!options.long_run) require_asked_for({simulation, options.format, options.record_interval, options.out});
    report::find_machines(wishes, simulation.parts, diagnostics);
    const build::Timing& timing = simulation.timing;
    core::Tap* const monitor = contract.start(simulation);
    report::Observer observer = observer_of(wishes, timing);
    std::optional<core::Profile> profile;
    if (options.stats || !options.trace.empty())
        profile.emplace(simulation.parts.components.size(), options.trace.empty() ? 0 : most_trace_slices);
    runs::Outcome outcome;
    runs::RunOutput output{
        simulation, options.build,     outcome, diagnostics, profile ? &*profile : nullptr, options.out,
        {},         options.arguments, wishes,  observer};
    output.scenario = options.scenario;
    std::optional<results::Recording> recording;
    if (!simulation.columns.empty()) {
        output.result = results::file_name(options.format);
        recording = recording_of(options, simulation, place.rows, diagnostics);
    }
    report::RunRecord record = runs::record_of(output);
    if (monitor != nullptr && std::filesystem::is_regular_file(options.contract.specification))
        record.inputs.push_back(report::hashed("contract", options.contract.specification));
    place.folder.refuse_inputs(record.inputs, std::filesystem::current_path());
    place.folder.clear();
    report::write_run_record(place.folder.record(), record);
    if (recording) {
        // Before the scenario, whose limits may end the run: what broke them is recorded.
        owned.insert(owned.begin(), recorder(options, simulation, std::move(*recording), diagnostics));
        std::erase_if(simulation.columns,
                      [&](const auto& column) { return !results::can_hold(options.format, column); });
    }
    console.show(diagnostics);
    diagnostics.throw_if_errors();
    owned.push_back(std::make_unique<Progress>(Progress::Range{timing.start, timing.stop, timing.timebase},
                                               Progress::style_for(stderr, options.quiet)));
    std::vector<core::Tap*> taps;
    taps.reserve(owned.size() + 3);
    for (const auto& tap : owned) taps.push_back(tap.get());
    if (!wishes.empty()) taps.push_back(&observer);
    if (monitor != nullptr) taps.push_back(monitor);
    runs::BondLedger ledger(simulation);
    if (!ledger.empty()) taps.push_back(&ledger);
    runs::MonotonicClock clock;
    std::optional<runs::RealTimePacer> pacer;
    std::optional<runs::RealTimePriority> priority;
    if (factor) {
        pacer.emplace(clock, timing.start, timing.timebase, *factor);
        priority.emplace();
        pacer->scheduling(priority->text());
    }
    outcome = runs::execute(simulation, taps,
                            {.profile = profile ? &*profile : nullptr,
                             .visitor = shadow.start(prepared),
                             .board = &place.board,
                             .pacer = pacer ? &*pacer : nullptr});
    priority.reset();
    if (pacer) output.pacing = pacer->pacing();
    runs::judge_goals(wishes, observer, simulation, options.build, outcome, diagnostics);
    output.requirements = contract.judge(outcome, diagnostics);
    if (outcome.floating_point_change)
        diagnostics.warn("floating-point", simulation.parts.description.name,
                         fmt::format("a unit changed the floating-point environment before t = {}; put back then, and "
                                     "at every later point",
                                     timing.timebase.seconds(*outcome.floating_point_change)));
    output.error_bar = shadow.finish(outcome);
    output.bonds = ledger.energies();
    if (!outcome.error) runs::add_steps(output);
    record.signals = runs::record_signals(simulation);
    write_end(output, std::move(record), outcome, place.folder, diagnostics);
    place.board.enter(runs::Board::Phase::complete);
    console.show(diagnostics);
    if (outcome.error) console.show(*outcome.error);
    const auto then = [&](const std::function<void()>& work) {
        outcome.exit = afterwards(place, console, outcome.exit, work);
    };
    then([&] {
        if (!options.quiet) print_out(runs::summary_of(output));
        if (options.stats) print_out(runs::statistics_table(runs::statistics_of(output)));
    });
    if (!options.trace.empty())
        then([&] {
            std::vector<std::string> names;
            for (const core::Node& node : simulation.system->nodes()) names.push_back(node.name);
            runs::write_trace(options.trace, *profile, names, timing.timebase);
        });
    if (!outcome.error) then([&] { simulation.system->terminate(); });
    then([&] { console.finish_log(); });
    if (!options.strict || outcome.exit != base::Exit::ok) return outcome.exit;
    if (!output.error_bar.converged)
        console.show(base::Error("converge", simulation.parts.description.name, report::verdict(output.error_bar)));
    const bool late = output.pacing && output.pacing->missed != 0;
    if (late) console.show(base::Error("late", simulation.parts.description.name, report::misses(*output.pacing)));
    const bool doubtful = late || !output.error_bar.converged || diagnostics.has_errors() || console.warned();
    return doubtful ? base::Exit::violated : base::Exit::ok;
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

/// A folder that is not there yet.
std::filesystem::path folder_of_repeat(const std::filesystem::path& wished, const std::filesystem::path& record) {
    if (!wished.empty() && std::filesystem::exists(wished))
        throw base::Error("usage", wished.string(), "is there already; --repeat writes only into a new folder");
    if (!wished.empty()) return std::filesystem::absolute(wished);
    std::filesystem::path free = record.parent_path() / "repeat";
    for (int number = 2; std::filesystem::exists(free); ++number)
        free = record.parent_path() / fmt::format("repeat-{}", number);
    return free;
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

/// The run of a run.json again, with its own options, from its own folder; then the bits are compared. Only FMUs with
/// the recorded content are run, and everything is written into a new folder.
base::Exit repeat(const RunOptions& wish, const Place& place, Console& console, base::Diagnostics& diagnostics) {
    const auto where = std::filesystem::absolute(wish.repeat);
    const report::RunRecord record = report::read_run_record(where);
    for (const std::string& change : report::changes_since(record)) console.note(change);
    RunOptions options;
    options.quiet = wish.quiet;
    options.overwrite = wish.overwrite;
    CLI::App parser;
    add_options(parser, options);
    std::vector<std::string> arguments(record.arguments.rbegin(), record.arguments.rend() - 1);
    const std::filesystem::path out = std::filesystem::absolute(place.folder.path());
    std::error_code failure;
    std::filesystem::current_path(record.folder, failure);
    if (failure)
        throw base::Error("bad-record", where.string(),
                          "its folder '" + record.folder + "' cannot be used: " + failure.message());
    try {
        parser.parse(arguments);
    } catch (const CLI::ParseError& error) {
        throw base::Error("bad-record", where.string(),
                          std::string("its command line cannot be used: ") + error.what());
    }
    take_system_after_patterns(options.build);
    if (!options.log.empty()) options.log = out / options.log.filename();
    if (!options.trace.empty()) options.trace = out / options.trace.filename();
    options.build.accepted_units.emplace();
    for (const report::RunRecord::File& input : record.inputs) options.build.accepted_units->insert(input.sha256);
    options.out = out;
    options.realtime.clear();  // the clock decides about nothing that is computed
    options.build.replays = journals_of(record, where.parent_path());
    options.arguments = record.arguments;
    announce(record, options, console);
    const base::Exit exit = run(options, place, console, diagnostics);
    bool same = exit != base::Exit::failed;
    for (const report::RunRecord::File& result : record.results) {
        if (result.role == "journal") continue;
        const auto before = where.parent_path() / result.path;
        const bool untouched = base::sha256_of(before) == result.sha256;
        // HDF5 files with the same values may differ in their bytes.
        if (untouched &&
            results::compare_bits(results::read_result(out / result.path), results::read_foreign_result(before))
                .passed())
            continue;
        same = false;
        print_out(fmt::format("{}: different bits (tandem compare shows where)\n", result.path));
    }
    if (same) print_out(fmt::format("{}: same bits\n", wish.repeat.string()));
    return same ? exit : base::Exit::violated;
}

std::filesystem::path folder_for(const RunOptions& options) {
    if (!options.repeat.empty()) return folder_of_repeat(options.out, std::filesystem::absolute(options.repeat));
    return options.out.empty() ? std::filesystem::path("results") / short_name(options.build.system) : options.out;
}

}  // namespace

void add_run(CLI::App& app, Action& chosen) {
    auto options = std::make_shared<RunOptions>();
    CLI::App* verb = app.add_subcommand("run", "Run a system or a single FMU and record its signals");
    add_options(*verb, *options);
    verb->add_option("--repeat", options->repeat, "The run of a run.json again; its bits are compared")
        ->type_name("RUN.json");
    verb->footer("Example: tandem run examples/two_mass --stop 2 --record 'left.*'");
    verb->callback([options, &chosen] {
        chosen = [options](const std::vector<std::string>& arguments) {
            if (options->repeat.empty()) take_system_after_patterns(options->build);
            if (options->build.system.empty() && options->repeat.empty()) {
                throw base::Error("usage", "",
                                  "tandem run needs a SYSTEM (.ssp, folder, .ssd or .fmu) or --repeat RUN.json");
            }
            options->arguments = arguments;
            Console console(options->quiet ? Console::Verbosity::quiet : Console::Verbosity::normal);
            base::Diagnostics diagnostics;
            static_cast<void>(results::file_name(options->format));  // an unknown one is refused first
            options->out = folder_for(*options);
            const runs::OutputFolder folder(options->out);
            results::UnwrittenRows rows;
            return supervised(options->supervision, console, {&folder, &rows}, [&](runs::Board& board) {
                const Place place{board, folder, rows};
                return guarded(console, diagnostics, [&] {
                    return options->repeat.empty() ? run(*options, place, console, diagnostics)
                                                   : repeat(*options, place, console, diagnostics);
                });
            });
        };
    });
}

}  // namespace master::verbs
