#include "master/results/compare.hpp"

#include "master/analysis/compare_page.hpp"
#include "master/base/atomic_file.hpp"
#include "master/base/error.hpp"
#include "master/build/physical_units.hpp"
#include "master/results/foreign/foreign_result.hpp"
#include "master/verbs/console.hpp"
#include "master/verbs/verb.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace master::verbs {
namespace {

struct Options {
    std::filesystem::path result, reference, map, html;
    std::vector<std::filesystem::path> more;  // results beside the first
    results::CompareOptions compare;
    bool bits = false;
};

void take_units(results::Table& table, const std::map<std::string, std::string>& units) {
    for (results::TableColumn& column : table.columns)
        if (const auto unit = units.find(column.name); unit != units.end()) column.unit = unit->second;
}

/// What was found when units were converted.
struct UnitRemarks {
    std::vector<std::string> notes;
    std::map<std::string, std::string> misfits;  // why a signal cannot be the same thing, by its name in the reference
};

/// Puts the result's signals into the units of the reference, where both files or the map tell them.
UnitRemarks convert_units(results::Table& result, const results::Table& reference,
                          const std::map<std::string, std::string>& names) {
    UnitRemarks remarks;
    for (results::TableColumn& column : result.columns) {
        const auto mapped = names.find(column.name);
        const results::TableColumn* expected = reference.find(mapped == names.end() ? column.name : mapped->second);
        auto* values = std::get_if<std::vector<double>>(&column.values);
        if (expected == nullptr || values == nullptr || column.unit.empty() || expected->unit.empty()) continue;
        const build::UnitConversion conversion =
            build::convert({{.name = column.unit, .exponents = {}}}, {{.name = expected->unit, .exponents = {}}});
        if (conversion.outcome == build::UnitConversion::Outcome::refused) {
            remarks.misfits[expected->name] = conversion.text;
            continue;
        }
        if (conversion.outcome != build::UnitConversion::Outcome::converted) {
            remarks.notes.push_back(
                fmt::format("'{}' is compared without conversion: {}", expected->name, conversion.text));
            continue;
        }
        if (conversion.scale.identity()) continue;
        for (double& value : *values) value = conversion.scale(value);
        remarks.notes.push_back(
            fmt::format("'{}' is converted from {} to {}", expected->name, column.unit, expected->unit));
    }
    return remarks;
}

/// One result against the reference, in its units.
analysis::ComparedResult compared(const std::filesystem::path& file, const Options& options,
                                  const results::NameMap& map, const results::Table& reference) {
    analysis::ComparedResult one{
        .label = file.string(), .table = results::read_foreign_result(file), .names = map.names, .comparison = {}};
    take_units(one.table, map.result_units);
    if (options.bits) {
        one.comparison = results::compare_bits(one.table, reference);
        return one;
    }
    const UnitRemarks remarks = convert_units(one.table, reference, map.names);
    one.comparison = results::compare(one.table, reference, options.compare);
    one.comparison.notes.insert(one.comparison.notes.end(), remarks.notes.begin(), remarks.notes.end());
    for (const results::SignalDeviation& signal : one.comparison.signals)
        if (const auto misfit = remarks.misfits.find(signal.name); misfit != remarks.misfits.end())
            one.comparison.problems.push_back(fmt::format("'{}' cannot agree: {}", signal.name, misfit->second));
    return one;
}

int compare_results(Options options) {
    results::NameMap map;
    if (!options.map.empty()) map = results::read_name_map(options.map);
    options.compare.names = map.names;
    results::Table reference = results::read_foreign_result(options.reference);
    take_units(reference, map.expected_units);
    std::vector<std::filesystem::path> files{options.result};
    base::refuse_to_replace(options.html, {});
    files.insert(files.end(), options.more.begin(), options.more.end());
    std::vector<analysis::ComparedResult> results;
    for (const std::filesystem::path& file : files) {
        results.push_back(compared(file, options, map, reference));
        if (files.size() > 1) print_out(file.string() + ":\n");
        print_out(results.back().comparison.text());
    }
    if (!options.html.empty())
        base::write_atomically(options.html, analysis::compare_html(options.reference.string(), reference, results));
    const bool passed = std::ranges::all_of(results, [](const auto& one) { return one.comparison.passed(); });
    return static_cast<int>(passed ? base::Exit::ok : base::Exit::violated);
}

}  // namespace

void add_compare(CLI::App& app, Action& chosen) {
    auto options = std::make_shared<Options>();
    CLI::App* verb = app.add_subcommand("compare", "Two results, or a result and a measurement, within tolerances");
    verb->add_option("result", options->result, "Result: .csv, .h5, .mat, .mcap")->required();
    verb->add_option("reference", options->reference, "What it should be")->required();
    verb->add_option("more", options->more, "Further results to compare with the reference");
    verb->add_option("--html", options->html, "A page with overlays of all signals and a table of the differences")
        ->type_name("FILE.html");
    verb->add_option("--tol", options->compare.relative, "Of a signal's largest magnitude (default 1e-6)");
    verb->add_option("--absolute", options->compare.absolute, "In the signal's unit (default 1e-9)");
    verb->add_option("--time", options->compare.time, "Seconds by which the reference may be early or late");
    verb->add_option("--map", options->map,
                     "CSV: name in the result, name in the reference, and if wanted the units of both")
        ->type_name("NAMES.csv");
    verb->add_option("--only", options->compare.only, "Names in the reference, with * and ?");
    verb->add_flag("--bits", options->bits, "Every value must have the same bits");
    verb->footer(
        "Example: tandem compare results/two_mass/results.csv measured.csv --tol 0.01 --time 0.002\n"
        "Exit code 3 if a tolerance is exceeded.");
    verb->callback([options, &chosen] { chosen = [options](const auto&) { return compare_results(*options); }; });
}

}  // namespace master::verbs
