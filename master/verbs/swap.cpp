#include "master/analysis/linear/linearize.hpp"
#include "master/analysis/swap/propose.hpp"
#include "master/analysis/swap/swap_report.hpp"
#include "master/base/atomic_file.hpp"
#include "master/verbs/guarded.hpp"
#include "master/verbs/run/replace_options.hpp"
#include "master/verbs/supervised.hpp"
#include "master/verbs/system_options.hpp"
#include "master/verbs/verb.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace master::verbs {
namespace {

struct SwapOptions {
    build::BuildOptions build;
    std::filesystem::path scenario, out, fmu, map, write, propose;
    std::string component, new_step, at;
    std::vector<std::string> new_set, bode;
    double transient = 0;
    std::size_t most = 20;
    bool json = false, rest_of_old = false;
    Supervision supervision;
};

analysis::SwapRequest request_of(const SwapOptions& options) {
    analysis::SwapRequest request{
        .before = options.build, .after = options.build, .scenario = options.scenario, .transient = options.transient};
    request.after.replace = {{.component = options.component, .fmu = options.fmu, .map = options.map}};
    if (!options.new_step.empty()) request.after.step = options.new_step;
    request.after.set.insert(request.after.set.end(), options.new_set.begin(), options.new_set.end());
    return request;
}

/// The interface is checked, and the system written, before any unit runs.
void check(const SwapOptions& options, const analysis::SwapRequest& request) {
    base::Diagnostics diagnostics;
    const build::Parts parts = build::read_parts(request.after, diagnostics);
    if (options.write.empty()) return;
    finish_replacements({.replace = {}, .map = {}, .write = options.write}, request.after, parts, diagnostics);
}

base::Exit swap(const SwapOptions& options, Console& console, base::Diagnostics& diagnostics, runs::Board& board) {
    const analysis::SwapRequest request = request_of(options);
    // What cannot be linearised is found before the long runs.
    std::optional<analysis::SwappedResponse> response;
    if (!options.bode.empty()) {
        const auto linear = [&](const build::BuildOptions& build) {
            return analysis::linearize({.build = build,
                                        .scenario = options.scenario,
                                        .at = options.at,
                                        .input = options.bode[0],
                                        .output = options.bode[1],
                                        .broken = {},
                                        .sine = {}},
                                       diagnostics, console, &board);
        };
        response = {linear(request.before), linear(request.after)};
    }
    analysis::Swap result = analysis::swap_units(request, diagnostics, console, &board);
    result.response = std::move(response);
    const analysis::SwapTitle title{.system = short_name(options.build.system),
                                    .old_unit = options.component,
                                    .new_unit = options.fmu.filename().string()};
    base::write_atomically(options.out / "swap.json", analysis::swap_json(result, title));
    base::write_atomically(options.out / "report.html", analysis::swap_html(result, title));
    print_out(options.json ? analysis::swap_json(result, title) : analysis::swap_text(result, title, options.most));
    if (!options.json) print_out(fmt::format("report     {}\n", (options.out / "report.html").string()));
    return base::Exit::ok;
}

/// Measures a map and writes it; what stayed open is said, and is for the user to decide.
base::Exit propose(const SwapOptions& options, Console& console, base::Diagnostics& diagnostics, runs::Board& board) {
    base::refuse_to_replace(options.propose, {".csv"});
    const analysis::Proposal proposal = analysis::propose_map({.build = options.build,
                                                               .scenario = options.scenario,
                                                               .component = options.component,
                                                               .fmu = options.fmu,
                                                               .rest_of_old = options.rest_of_old},
                                                              diagnostics, console, &board);
    base::write_atomically(options.propose, proposal.text());
    print_out(proposal.text());
    print_out(fmt::format("{} rows in {}, {} open\n", proposal.rows.size(), options.propose.string(),
                          proposal.ambiguous.size()));
    return base::Exit::ok;
}

}  // namespace

void add_swap(CLI::App& app, Action& chosen) {
    auto options = std::make_shared<SwapOptions>();
    CLI::App* verb =
        app.add_subcommand("swap", "Exchange a unit: what differs, and whether that is physics or coupling");
    add_system_options(*verb, options->build);
    add_scenario_options(*verb, options->build, options->scenario);
    verb->add_option("component", options->component, "The component whose unit is exchanged")
        ->required()
        ->type_name("COMPONENT");
    verb->add_option("fmu", options->fmu, "The new unit")->required()->type_name("FMU");
    verb->add_option("--map", options->map, "How the two units stand for each other: old,new,gain,offset,unit")
        ->type_name("MAP.csv");
    CLI::Option* proposing = verb->add_option("--propose", options->propose,
                                              "Measure such a map on both units, write it, and do nothing else")
                                 ->type_name("MAP.csv");
    verb->add_flag("--rest-of-old", options->rest_of_old,
                   "The proposed map leaves what has no partner to the old unit, which runs on beside the new one")
        ->needs(proposing);
    verb->add_option("--write", options->write, "The system with the new unit and its adapter, as a plain SSP file")
        ->type_name("NEW.ssd");
    verb->add_option("--new-step", options->new_step, "Another communication step for the run with the new unit")
        ->type_name("H");
    verb->add_option("--new-set", options->new_set, "A value for the run with the new unit alone; may be repeated")
        ->type_name("NAME=VALUE")
        ->allow_extra_args(false);
    verb->add_option("--transient", options->transient, "Seconds after the start that are judged apart")
        ->type_name("S")
        ->check(CLI::NonNegativeNumber);
    verb->add_option("--bode", options->bode, "Overlay the frequency responses of both from an input to an output")
        ->type_name("INPUT OUTPUT")
        ->expected(2);
    verb->add_option("--at", options->at, "Time in s of those responses (default: the start)")->type_name("T");
    verb->add_option("--record", options->build.record, "Signals to compare, with * and ?")
        ->type_name("PATTERN")
        ->allow_extra_args(false);
    verb->add_option("--out", options->out, "Folder for the report (default results/NAME-swap)")->type_name("DIR");
    verb->add_option("--most", options->most, "Signals to print")->type_name("N");
    verb->add_flag("--json", options->json, "Print the result as JSON");
    add_supervision_options(*verb, options->supervision);
    verb->footer("Example: tandem swap examples/two_mass left build/release/fmus/oscillator_fmi2.fmu");
    verb->callback([options, &chosen] {
        chosen = [options](const auto&) {
            if (options->out.empty())
                options->out = std::filesystem::path("results") / (short_name(options->build.system) + "-swap");
            Console console(options->json ? Console::Verbosity::quiet : Console::Verbosity::normal);
            base::Diagnostics diagnostics;
            return supervised(options->supervision, console, {}, [&](runs::Board& board) {
                return guarded(console, diagnostics, [&] {
                    if (!options->propose.empty()) return propose(*options, console, diagnostics, board);
                    check(*options, request_of(*options));
                    return swap(*options, console, diagnostics, board);
                });
            });
        };
    });
}

}  // namespace master::verbs
