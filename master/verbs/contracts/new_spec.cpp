#include "master/verbs/contracts/new_spec.hpp"

#include "master/base/atomic_file.hpp"
#include "master/base/json.hpp"
#include "master/contracts/read_interface.hpp"
#include "master/contracts/specification.hpp"
#include "master/results/foreign/foreign_result.hpp"
#include "master/verbs/guarded.hpp"
#include "master/verbs/system_options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>

namespace master::verbs {
namespace {

struct SpecOptions {
    std::filesystem::path from, out;
    double margin = 0.1;
    bool markdown = false, csv = false;
};

/// From the record beside a result of a run, for files that do not hold them.
void add_units(results::Table& table, const std::filesystem::path& file) {
    const std::filesystem::path record = file.parent_path() / "run.json";
    if (!std::filesystem::exists(record)) return;
    const base::Json run = base::read_json(record);
    const auto of = [](const base::Json& object, const char* member) {
        return object.is_object() ? object.value(member, base::Json()) : base::Json();
    };
    const auto text = [&](const base::Json& object, const char* member) {
        const base::Json found = of(object, member);
        return found.is_string() ? found.get<std::string>() : std::string();
    };
    const base::Json results = of(run, "results"), signals = of(run, "signals");
    if (std::ranges::none_of(results, [&](const base::Json& one) { return text(one, "path") == file.filename(); }))
        return;
    std::map<std::string, std::string> units;
    for (const base::Json& signal : signals) units[text(signal, "name")] = text(signal, "unit");
    for (results::TableColumn& column : table.columns)
        if (const auto found = units.find(column.name); column.unit.empty() && found != units.end())
            column.unit = found->second;
}

contracts::Interface interface_of(const SpecOptions& options, base::Diagnostics& diagnostics) {
    static constexpr std::array<std::string_view, 4> results{".csv", ".h5", ".mat", ".mcap"};
    const std::string extension = options.from.extension().string();
    if (std::ranges::find(results, extension) == results.end())
        return contracts::read_interface(options.from, diagnostics);
    results::Table result = results::read_foreign_result(options.from);
    add_units(result, options.from);
    return contracts::interface_of(result, options.from.string(), options.margin);
}

base::Exit write(const SpecOptions& options, base::Diagnostics& diagnostics) {
    const contracts::Interface interface = interface_of(options, diagnostics);
    const std::string text = options.markdown ? contracts::markdown_of(interface)
                             : options.csv    ? contracts::csv_of(interface)
                                              : contracts::specification_of(interface, short_name(options.from));
    if ((options.markdown || options.csv) && options.out.empty()) {
        print_out(text);
        return base::Exit::ok;
    }
    const std::filesystem::path out =
        options.out.empty() ? std::filesystem::path(short_name(options.from) + "_interface.ssd") : options.out;
    if (std::filesystem::exists(out))
        throw base::Error("overwrite", out.string(), "is there already; -o names another file");
    base::write_atomically(out, text);
    print_out(fmt::format("{}\n", out.string()));
    return base::Exit::ok;
}

}  // namespace

void add_new_spec(CLI::App& verb, Action& chosen) {
    auto options = std::make_shared<SpecOptions>();
    CLI::App* spec = verb.add_subcommand("spec", "An interface specification from what is there");
    spec->add_option("file", options->from, "An .fmu, a system, an .ssb, a .dbc, or a result (.csv, .h5, .mat, .mcap)")
        ->required();
    spec->add_option("-o,--out", options->out, "File to write (default NAME_interface.ssd)")->type_name("FILE");
    spec->add_option("--margin", options->margin, "Share of its span by which a range of a result is widened")
        ->type_name("X")
        ->check(CLI::NonNegativeNumber);
    CLI::Option* markdown = spec->add_flag("--markdown", options->markdown, "The interface as a table for documents");
    spec->add_flag("--csv", options->csv, "The interface as a table for spreadsheets")->excludes(markdown);
    spec->footer("Example: tandem new spec examples/two_mass --markdown");
    spec->callback([options, &chosen] {
        chosen = [options](const auto&) {
            Console console;
            base::Diagnostics diagnostics;
            return guarded(console, diagnostics, [&] { return write(*options, diagnostics); });
        };
    });
}

}  // namespace master::verbs
