#include "master/analysis/shadow.hpp"
#include "master/results/event_rows.hpp"
#include "master/results/formats.hpp"
#include "master/runs/bond_ledger.hpp"
#include "master/runs/goals.hpp"
#include "master/runs/interrupt.hpp"
#include "master/runs/output_folder.hpp"
#include "master/runs/prepare.hpp"
#include "master/runs/real_time.hpp"
#include "master/runs/run_output.hpp"
#include "master/runs/taps/can_log.hpp"
#include "master/runs/taps/exchange.hpp"
#include "master/runs/taps/mapping_watch.hpp"
#include "master/verbs/contracts/run_contract.hpp"
#include "master/verbs/guarded.hpp"
#include "master/verbs/progress.hpp"
#include "master/verbs/run/exchange_options.hpp"
#include "master/verbs/run/long_run.hpp"
#include "master/verbs/run/recorded_view.hpp"
#include "master/verbs/run/repetition.hpp"
#include "master/verbs/run/replace_options.hpp"
#include "master/verbs/run/run_options.hpp"
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

constexpr std::size_t most_trace_slices = 1'000'000;
constexpr std::uint64_t large_result = 1ULL << 30;

/// What a run shares with the process that watches it.
struct Place {
    runs::Board& board;
    const runs::OutputFolder& folder;
    results::UnwrittenRows& rows;
    view::Channel* view = nullptr;  // null: nobody looks
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

/// The record and the report of a run that is over. What ended it is the first trouble, and the one that counts.
report::RunRecord write_end(runs::RunOutput& output, report::RunRecord record, runs::Outcome& outcome,
                            const runs::OutputFolder& folder, base::Diagnostics& diagnostics) {
    runs::add_end(output, record);
    try {
        folder.write_last(record);
    } catch (const base::Error& error) {
        if (!outcome.error) outcome.error = error;
        outcome.exit = base::Exit::failed;
        return record;
    }
    try {
        runs::write_report_of(output, record);
    } catch (const std::exception& error) {
        output.has_report = false;
        diagnostics.warn("report", folder.report().string(), std::string("there is no report: ") + error.what());
        record.findings = diagnostics.findings();
        try {
            folder.write_last(record);
        } catch (const base::Error&) {  // no room for one more line: the record stands as it was
        }
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
    take_replacements(options.replacing, options.build);
    refuse_to_replace(options, place.folder);
    if (!options.log.empty()) console.log_into(options.log);
    runs::Scenario scenario = scenario_of(options.scenario, diagnostics);
    report::ReportFile wishes = wishes_of(options.build, diagnostics);
    std::vector<std::unique_ptr<core::Tap>> owned;
    base::ArchiveCache archives;  // of all rounds of --settle
    options.build.archives = &archives;
    if (options.build.record.empty() && options.record_interval.empty())
        options.record_interval = wishes.record_interval(short_name(options.build.system));
    require_paced(options.exchange, options.build.paced, !options.build.replays.empty());
    runs::Exchange exchange(options.exchange);
    RunView view(options.view, place.view);
    std::vector<build::SignalRequest*> requests = wishes.requests();
    view.ask(options.build, requests, diagnostics);
    RecordedView recorded_view(options.format, place.view != nullptr);
    recorded_view.ask(options.build.system, requests, diagnostics);
    std::ranges::copy(exchange.requests(), std::back_inserter(requests));
    runs::RunRequest request{.build = options.build,
                             .scenario = options.scenario.empty() ? nullptr : &scenario,
                             .requests = std::move(requests)};
    const std::string no_shadow = why_no_shadow(options);
    RunContract contract(options.contract, options.build, diagnostics);
    contract.add_requests(request.requests);
    Console nowhere(Console::Verbosity::quiet);  // the units of the shadow keep it
    analysis::Shadow shadow(
        wish_of(options.shadow), options.build,
        [&](const build::BuildOptions& build, const std::vector<std::string>& corrections) {
            runs::RunRequest again = request;
            again.build = build;
            base::Diagnostics unsaid;
            return runs::prepare_with(again, corrections, unsaid, nowhere);
        },
        no_shadow);
    if (factor) request.build.journals = options.out;
    std::unique_ptr<runs::CanLog> can_log;
    const auto make_can_log = [&](const build::Simulation& made) -> core::Tap& {
        return *(can_log = runs::make_can_log(options.can_log, made));
    };
    if (!options.can_log.empty()) request.first_tap = make_can_log;
    runs::Prepared prepared = runs::prepare(request, diagnostics, console);
    request.first_tap = {};  // the shadow has none
    exchange.refuse_two_sources();
    build::Simulation& simulation = prepared.simulation;
    if (!options.can_log.empty() && !can_log) make_can_log(simulation);
    finish_replacements(options.replacing, options.build, simulation.parts, diagnostics);
    runs::note_unjudged_goals(wishes, simulation.parts, diagnostics);
    if (prepared.script) owned.push_back(std::move(prepared.script));
    if (!options.long_run) require_asked_for({simulation, options.format, options.record_interval, options.out});
    report::find_machines(wishes, simulation.parts, diagnostics);
    const build::Timing& timing = simulation.timing;
    const std::vector<core::Tap*> monitors = contract.start(simulation, diagnostics);
    report::Observer observer = observer_of(wishes, timing);
    std::optional<core::Profile> profile;
    if (options.stats || !options.trace.empty())
        profile.emplace(simulation.parts.components.size(), options.trace.empty() ? 0 : most_trace_slices);
    runs::Outcome outcome;
    runs::RunOutput output{
        simulation, options.build,     outcome, diagnostics, profile ? &*profile : nullptr, options.out,
        {},         options.arguments, wishes,  observer};
    output.scenario = options.scenario;
    output.can_log = can_log.get();
    std::optional<results::Recording> recording;
    if (!simulation.columns.empty()) {
        output.result = results::file_name(options.format);
        recording = recording_of(options, simulation, place.rows, diagnostics);
        recording->scene = recorded_view.scene(simulation, diagnostics);
    }
    report::RunRecord record = runs::record_of(output);
    if (options.build.paced)
        for (const std::string& journal : exchange.journals()) record.results.push_back({"journal", journal, ""});
    for (const std::filesystem::path& specification : options.contract.specifications)
        if (std::filesystem::is_regular_file(specification))
            record.inputs.push_back(report::hashed("contract", specification));
    place.folder.refuse_inputs(record.inputs, std::filesystem::current_path());
    refuse_shared(options, place.folder, record.inputs);
    place.folder.clear();
    place.folder.write_first(record);
    if (recording) {
        // Before the scenario, whose limits may end the run: what broke them is recorded.
        owned.insert(owned.begin(), recorder(options, simulation, std::move(*recording), diagnostics));
        std::erase_if(simulation.columns,
                      [&](const auto& column) { return !results::can_hold(options.format, column); });
    }
    std::ranges::move(exchange.taps(simulation, {request.build.journals, options.build.replays}, console, diagnostics),
                      std::back_inserter(owned));
    console.show(diagnostics);
    diagnostics.throw_if_errors();
    if (can_log) can_log->open();
    owned.push_back(std::make_unique<Progress>(Progress::Range{timing.start, timing.stop, timing.timebase},
                                               Progress::style_for(stderr, options.quiet)));
    std::vector<core::Tap*> taps;
    taps.reserve(owned.size() + 4);
    for (const auto& tap : owned) taps.push_back(tap.get());
    if (can_log) taps.push_back(can_log.get());
    if (!wishes.empty()) taps.push_back(&observer);
    taps.insert(taps.end(), monitors.begin(), monitors.end());
    runs::BondLedger ledger(simulation);
    if (!ledger.empty()) taps.push_back(&ledger);
    runs::MappingWatch mappings(simulation);
    if (!mappings.empty()) taps.push_back(&mappings);
    runs::MonotonicClock clock;
    std::optional<runs::RealTimePacer> pacer;
    std::optional<runs::RealTimePriority> priority;
    if (factor) {
        pacer.emplace(clock, timing.start, timing.timebase, *factor);
        priority.emplace();
        pacer->scheduling(priority->text());
    }
    view.begin({.simulation = simulation,
                .pacer = pacer ? &*pacer : nullptr,
                .factor = factor.value_or(0),
                .replays = options.build.replays,
                .folder = options.out,
                .board = place.board,
                .console = console,
                .diagnostics = diagnostics});
    console.show(diagnostics);
    // Before limits that may end the run: what broke them is shown with its time.
    if (core::Tap* tap = view.tap()) taps.insert(taps.begin(), tap);
    std::optional<runs::PacerTo> to_recorded_end;
    if (options.until) to_recorded_end.emplace(timing.start, timing.timebase, *options.until);
    outcome = runs::execute(simulation, taps,
                            {.profile = profile ? &*profile : nullptr,
                             .visitor = shadow.start(prepared),
                             .board = &place.board,
                             .pacer = view.pacer() != nullptr ? view.pacer()
                                      : to_recorded_end       ? static_cast<core::Pacer*>(&*to_recorded_end)
                                      : pacer                 ? &*pacer
                                                              : nullptr});
    priority.reset();
    if (view.stopped()) output.stopped_by = "the view (End or Reset)";
    if (pacer) output.pacing = pacer->pacing();
    runs::add_unit_warnings(simulation, diagnostics);
    runs::note_late_events(simulation, diagnostics);
    mappings.tell(diagnostics);
    runs::judge_goals(wishes, observer, simulation, options.build, outcome, diagnostics);
    output.requirements = contract.judge(outcome, diagnostics);
    if (outcome.floating_point_change)
        diagnostics.warn("floating-point", simulation.parts.description.name,
                         fmt::format("a unit changed the floating-point environment before t = {}; put back then, and "
                                     "at every later point",
                                     timing.timebase.seconds(*outcome.floating_point_change)));
    if (!outcome.put_back.empty())
        diagnostics.warn("process", simulation.parts.description.name,
                         "a unit changed " + outcome.put_back + "; put back after the last step");
    output.error_bar = shadow.finish(outcome);
    output.bonds = ledger.energies();
    if (!outcome.error) runs::add_steps(output);
    record.signals = runs::record_signals(simulation);
    view.add_journal(record);
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
    if (!console.first_warning().empty() && !diagnostics.has_errors())
        console.show(base::Error("fmu-warning", simulation.parts.description.name,
                                 "there was a warning while it ran (--strict): " + console.first_warning()));
    const bool doubtful =
        late || !output.error_bar.converged || diagnostics.has_errors() || !console.first_warning().empty();
    if (!doubtful) return base::Exit::ok;
    report::amend_run_record(place.folder.record(), [](report::RunRecord::Outcome& recorded) {
        recorded.exit = static_cast<int>(base::Exit::violated);
    });
    return base::Exit::violated;
}

/// A run that fails before its first step leaves a record, too.
base::Exit recorded(RunOptions& options, const Place& place, Console& console, base::Diagnostics& diagnostics) {
    const auto keep = [&](const base::Error& error) {
        try {
            if (error.exit() == base::Exit::failed)
                place.folder.write_failure(options.arguments, runs::known_inputs(options.build), error);
        } catch (const base::Error&) {  // a disk without room: the error that counts is on its way
        }
    };
    try {
        return run(options, place, console, diagnostics);
    } catch (const base::Error& error) {
        keep(error);
        throw;
    } catch (const std::exception& error) {
        if (const auto foreign = runs::foreign_exception(place.board, error.what())) keep(*foreign);
        throw;
    }
}

/// Serves the view; null where none is asked for.
std::unique_ptr<ViewHost> view_host(const RunOptions& options, Console& console) {
    if (!options.view.on() || !options.repeat.empty()) return nullptr;
    if (options.supervision.in_process)
        throw base::Error("usage", "--view", "is served by the process that watches the run: not with --in-process");
    return std::make_unique<ViewHost>(options.view, options.out, console);
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
            folder.refuse_special();
            std::optional<Repetition> repetition;
            if (!options->repeat.empty()) repetition.emplace(*options, console);
            RunOptions& asked = repetition ? repetition->options() : *options;
            std::unique_ptr<ViewHost> view = view_host(asked, console);
            int code = 0;
            do {
                results::UnwrittenRows rows;
                const auto work = [&](runs::Board& board) {
                    const Place place{board, folder, rows, view ? &view->channel() : nullptr};
                    return guarded(console, diagnostics, [&] { return recorded(asked, place, console, diagnostics); });
                };
                const RunFiles files{&folder, &rows, asked.can_log, asked.arguments, asked.build.system};
                code = supervised(asked.supervision, console, files, work, view.get());
            } while (view && view->again());
            return repetition ? repetition->judge(code, folder.record()) : code;
        };
    });
}

}  // namespace master::verbs
