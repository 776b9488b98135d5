#include "master/verbs/contracts/against.hpp"

#include "master/base/atomic_file.hpp"
#include "master/contracts/compare.hpp"
#include "master/contracts/deviations.hpp"
#include "master/contracts/findings_text.hpp"
#include "master/contracts/read_interface.hpp"

#include <CLI/CLI.hpp>
#include <chrono>

namespace master::verbs {

void add_against_options(CLI::App& verb, AgainstOptions& options) {
    CLI::Option* against =
        verb.add_option("--against", options.against,
                        "Compare its interface with this one: .fmu, .ssd, .ssp, .ssb, .dbc or a mapping of a .dbc; two "
                        "specifications are two versions")
            ->type_name("FILE");
    verb.add_option("--deviations", options.deviations, "Findings that are accepted for some time")
        ->type_name("FILE.xml")
        ->needs(against);
    verb.add_option("--junit", options.junit, "Write the findings for continuous integration")
        ->type_name("FILE.xml")
        ->needs(against);
    verb.add_flag("--json", options.json, "Findings as JSON")->needs(against);
}

base::Exit check_against(const std::filesystem::path& file, const AgainstOptions& options, Console& console,
                         base::Diagnostics& diagnostics) {
    base::refuse_to_replace(options.junit, {".xml"});
    const contracts::Interface actual = contracts::read_interface(file, diagnostics);
    const contracts::Interface expected = contracts::read_interface(options.against, diagnostics);
    contracts::Comparison comparison = contracts::compare(actual, expected);
    if (!options.deviations.empty()) {
        const auto today = std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now());
        contracts::accept_deviations(options.deviations, today, comparison, diagnostics);
    }
    console.show(diagnostics);
    if (!options.junit.empty()) base::write_atomically(options.junit, contracts::junit_of(comparison));
    print_out(options.json ? contracts::json_of(comparison) : contracts::text_of(comparison));
    return comparison.passed() ? base::Exit::ok : base::Exit::violated;
}

}  // namespace master::verbs
