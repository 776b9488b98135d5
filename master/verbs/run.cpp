#include "master/console.hpp"
#include "master/session.hpp"
#include "master/taps/csv.hpp"
#include "master/verbs/system_options.hpp"
#include "master/verbs/verb.hpp"

#include <fmt/format.h>

namespace master::verbs {
namespace {

struct RunOptions {
    BuildOptions build;
    std::filesystem::path out;
    std::string format = "csv";
    std::string record_interval;
    bool strict = false, quiet = false, stats = false;
};

int run(const RunOptions& options) {
    Console console(options.quiet ? Console::Verbosity::quiet : Console::Verbosity::normal);
    Diagnostics diagnostics;
    diagnostics.strict = options.strict;
    try {
        Simulation simulation = build(options.build, diagnostics, console);
        simulation.system->initialize(diagnostics);
        console.show(diagnostics);
        std::vector<std::unique_ptr<Tap>> owned;
        const auto out =
            options.out.empty() ? std::filesystem::path("results") / short_name(options.build.system) : options.out;
        if (!simulation.columns.empty()) {
            owned.push_back(
                taps::make_csv({.folder = out, .columns = simulation.columns, .timebase = simulation.timing.timebase}));
        }
        std::vector<Tap*> taps;
        for (const auto& tap : owned) taps.push_back(tap.get());
        Outcome outcome = execute(simulation, taps);
        console.show(diagnostics);
        if (outcome.error) {
            console.show(*outcome.error);
            return static_cast<int>(outcome.exit);
        }
        if (!options.quiet) {
            fmt::print("{}: t = {} s, {} points, {:.3f} s wall\n", simulation.parts.description.name,
                       simulation.timing.timebase.seconds(outcome.reached), outcome.points, outcome.wall.count());
        }
        return static_cast<int>(outcome.exit);
    } catch (const Error& error) {
        console.show(diagnostics);
        if (!diagnostics.has_errors()) console.show(error);
        return static_cast<int>(error.exit());
    }
}

}  // namespace

void add_run(CLI::App& app, Action& chosen) {
    auto options = std::make_shared<RunOptions>();
    CLI::App* verb = app.add_subcommand("run", "Run a system or a single FMU and record its signals");
    add_system_options(*verb, options->build);
    verb->add_option("--out", options->out, "Folder for results (default results/NAME)")->type_name("DIR");
    verb->add_option("--record", options->build.record, "Names to record, with * and ?; 'none' for nothing")
        ->type_name("PATTERN")
        ->allow_extra_args(false);
    verb->add_flag("--strict", options->strict, "What would be ignored is an error");
    verb->add_flag("--quiet", options->quiet, "Only errors");
    verb->footer("Example: tandem run examples/two_mass --stop 2 --record 'left.*'");
    verb->callback([options, &chosen] { chosen = [options] { return run(*options); }; });
}

}  // namespace master::verbs
