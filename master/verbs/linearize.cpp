#include "master/analysis/linear/linearize.hpp"

#include "master/analysis/linear/linear_report.hpp"
#include "master/base/atomic_file.hpp"
#include "master/base/error.hpp"
#include "master/verbs/guarded.hpp"
#include "master/verbs/supervised.hpp"
#include "master/verbs/system_options.hpp"
#include "master/verbs/verb.hpp"

#include <CLI/CLI.hpp>
#include <charconv>
#include <fmt/format.h>

namespace master::verbs {
namespace {

struct LinearizeOptions {
    analysis::LinearRequest request;
    std::string sine;
    analysis::Sweep sweep;
    std::filesystem::path out;
    bool json = false;
    Supervision supervision;
};

/// "f1..f2" in Hz.
void read_sweep(const std::string& text, analysis::Sweep& sweep) {
    const auto number = [](std::string_view part) {
        double value = 0;
        const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
        return error == std::errc{} && end == part.data() + part.size() ? value : -1;
    };
    const std::size_t dots = text.find("..");
    if (dots != std::string::npos) {
        sweep.from = number(std::string_view(text).substr(0, dots));
        sweep.to = number(std::string_view(text).substr(dots + 2));
    }
    if (!(sweep.from > 0) || !(sweep.to > sweep.from))
        throw base::Error("usage", "--sine",
                          fmt::format("'{}' is no range of frequencies; expected F1..F2 in Hz with 0 < F1 < F2", text));
}

void check(LinearizeOptions& options) {
    analysis::LinearRequest& request = options.request;
    if (!options.sine.empty()) {
        read_sweep(options.sine, options.sweep);
        request.sine = options.sweep;
    }
    const bool input = !request.input.empty(), output = !request.output.empty();
    if (input != output || (input && !request.broken.empty()))
        throw base::Error(
            "usage", input ? "--input" : "--output",
            "expected --input with --output, or --break alone, which looks from one end of the wire to the "
            "other, or none of them for the modes alone");
    if (request.sine && !input)
        throw base::Error("usage", "--sine", "nothing is said to be turned; expected --input and --output");
}

base::Exit linearize(LinearizeOptions& options, Console& console, base::Diagnostics& diagnostics, runs::Board& board) {
    check(options);
    const analysis::Linearization found = analysis::linearize(options.request, diagnostics, console, &board);
    const std::string system = short_name(options.request.build.system);
    base::write_atomically(options.out / "linear.json", analysis::linear_json(found, system));
    base::write_atomically(options.out / "report.html", analysis::linear_html(found, system));
    analysis::write_linear_mat(found, options.out / "linear.mat");
    print_out(options.json ? analysis::linear_json(found, system) : analysis::linear_text(found, system));
    if (!options.json) print_out(fmt::format("report     {}\n", (options.out / "report.html").string()));
    return base::Exit::ok;
}

}  // namespace

void add_linearize(CLI::App& app, Action& chosen) {
    auto options = std::make_shared<LinearizeOptions>();
    analysis::LinearRequest& request = options->request;
    CLI::App* verb = app.add_subcommand("linearize", "Poles, frequency response and margins around a time of a run");
    add_system_options(*verb, request.build);
    // The signal has the name here; a table that drives inputs has another one.
    verb->remove_option(verb->get_option("--input"));
    verb->add_option("--table", request.build.input, "CSV table that drives inputs by name")->type_name("FILE.csv");
    add_scenario_options(*verb, request.build, request.scenario);
    verb->add_option("--at", request.at, "Time in s to linearise at (default: the start)")->type_name("T");
    verb->add_option("--input", request.input, "The input: a free input or a connector of the system")
        ->type_name("NAME");
    verb->add_option("--output", request.output, "The output: a variable that a unit computes")->type_name("NAME");
    verb->add_option("--break", request.broken,
                     "Open the loop at this connection, \"a.x -> b.u\" or b.u: gain, phase and delay margin")
        ->type_name("WIRE");
    verb->add_option("--sine", options->sine, "Measure too, by stepped sines from F1 to F2 Hz at two amplitudes")
        ->type_name("F1..F2");
    verb->add_option("--points", options->sweep.points, "Frequencies of the measurement (default 20)")
        ->type_name("N")
        ->check(CLI::Range(1, 1000));
    verb->add_option("--amplitude", options->sweep.amplitude, "Of the input; the second run has half of it")
        ->type_name("A")
        ->check(CLI::PositiveNumber);
    verb->add_option("--wait", options->sweep.wait, "Seconds to wait at each frequency, at least")
        ->type_name("S")
        ->check(CLI::NonNegativeNumber);
    verb->add_option("--out", options->out, "Folder for report, JSON and MAT (default results/NAME-linear)")
        ->type_name("DIR");
    verb->add_flag("--json", options->json, "Print the result as JSON");
    add_supervision_options(*verb, options->supervision);
    verb->footer(
        "Example: tandem linearize examples/boom_coupling --at 1 --input boom.command --output "
        "mechanics.boom.velocity");
    verb->callback([options, &chosen] {
        chosen = [options](const auto&) {
            if (options->out.empty())
                options->out =
                    std::filesystem::path("results") / (short_name(options->request.build.system) + "-linear");
            Console console(options->json ? Console::Verbosity::quiet : Console::Verbosity::normal);
            base::Diagnostics diagnostics;
            return supervised(options->supervision, console, {}, [&](runs::Board& board) {
                return guarded(console, diagnostics, [&] { return linearize(*options, console, diagnostics, board); });
            });
        };
    });
}

}  // namespace master::verbs
