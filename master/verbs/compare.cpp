#include "master/results/compare.hpp"

#include "master/base/error.hpp"
#include "master/results/result_file.hpp"
#include "master/verbs/verb.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace master::verbs {
namespace {

struct Options {
    std::filesystem::path result, reference, map;
    results::CompareOptions compare;
    bool bits = false;
};

int compare_results(Options options) {
    if (!options.map.empty()) options.compare.names = results::read_name_map(options.map);
    const results::Table result = results::read_result(options.result);
    const results::Table reference = results::read_result(options.reference);
    const results::Comparison comparison =
        options.bits ? results::compare_bits(result, reference) : results::compare(result, reference, options.compare);
    fmt::print("{}", comparison.text());
    return static_cast<int>(comparison.passed() ? base::Exit::ok : base::Exit::violated);
}

}  // namespace

void add_compare(CLI::App& app, Action& chosen) {
    auto options = std::make_shared<Options>();
    CLI::App* verb = app.add_subcommand("compare", "Two results, or a result and a measurement, within tolerances");
    verb->add_option("result", options->result, "Result: .csv, .h5, .mat")->required();
    verb->add_option("reference", options->reference, "What it should be")->required();
    verb->add_option("--tol", options->compare.relative, "Of a signal's largest magnitude (default 1e-6)");
    verb->add_option("--absolute", options->compare.absolute, "In the signal's unit (default 1e-9)");
    verb->add_option("--time", options->compare.time, "Seconds by which the reference may be early or late");
    verb->add_option("--map", options->map, "CSV: name in the result, name in the reference")->type_name("NAMES.csv");
    verb->add_option("--only", options->compare.only, "Names in the reference, with * and ?")->allow_extra_args(false);
    verb->add_flag("--bits", options->bits, "Every value must have the same bits");
    verb->footer(
        "Example: tandem compare results/two_mass/results.csv measured.csv --tol 0.01 --time 0.002\n"
        "Exit code 3 if a tolerance is exceeded.");
    verb->callback([options, &chosen] { chosen = [options](const auto&) { return compare_results(*options); }; });
}

}  // namespace master::verbs
