#include "master/verbs/system_options.hpp"

#include "master/core/algorithm.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace master::verbs {
namespace {

std::string algorithms() {
    std::string list;
    for (const core::AlgorithmEntry& entry : core::known_algorithms())
        list += fmt::format("{}{}: {}", list.empty() ? "" : "; ", entry.name, entry.summary);
    return list;
}

}  // namespace

void add_system_options(CLI::App& verb, build::BuildOptions& options) {
    verb.add_option("system", options.system, ".ssp, folder, .ssd or .fmu")->required()->type_name("SYSTEM");
    verb.add_option("--variant", options.variant, "Another .ssd at the root of the .ssp or folder");
    verb.add_option("--start", options.start, "Start time in s, e.g. 0")->type_name("T");
    verb.add_option("--stop", options.stop, "Stop time in s: an exact decimal or fraction")->type_name("T");
    verb.add_option("--step", options.step, "Communication step in s, e.g. 0.001 or 1/30; never rounded")
        ->type_name("H");
    verb.add_option("--algorithm", options.algorithm, algorithms())->type_name("A");
    verb.add_option("--hold", options.hold, "auto, constant, compensated or linear, for every wire")->type_name("H");
    verb.add_option("--tolerance", options.tolerance, "Relative tolerance of solvers")
        ->type_name("R")
        ->check([](const std::string& text) {
            double value = 0;
            return CLI::detail::lexical_cast(text, value) && value > 0 && value < 1
                       ? std::string{}
                       : "'" + text + "' is no number between 0 and 1";
        });
    verb.add_option("--implementation", options.implementation, "cs or me, for a single .fmu")
        ->type_name("KIND")
        ->check(CLI::IsMember({"cs", "me"}));
    verb.add_option("--set", options.set, "component.variable=value, or connector=value of the system; may be repeated")
        ->type_name("NAME=VALUE")
        ->allow_extra_args(false);
    verb.add_option("--input", options.input, "CSV table that drives inputs by name")->type_name("FILE.csv");
    verb.add_option("--threads", options.threads, "At most this many; by default decided by what the units cost")
        ->type_name("N");
}

void add_scenario_options(CLI::App& verb, build::BuildOptions& options, std::filesystem::path& scenario) {
    verb.add_option("--scenario", scenario, "Timed values and limits")->type_name("FILE.xml");
    verb.add_flag("--settle{5}", options.lead,
                  "Start from an equilibrium: run 5 s, or --settle=SECONDS, before the start");
}

runs::Scenario scenario_of(const std::filesystem::path& file, base::Diagnostics& diagnostics) {
    if (file.empty()) return {};
    runs::Scenario scenario = runs::read_scenario(file, diagnostics);
    diagnostics.throw_if_errors();
    return scenario;
}

std::string short_name(const std::filesystem::path& system) {
    const auto path = std::filesystem::absolute(system).lexically_normal();
    if (path.stem() == "SystemStructure") return path.parent_path().filename().string();
    if (path.filename().empty()) return path.parent_path().filename().string();
    return std::filesystem::is_directory(path) ? path.filename().string() : path.stem().string();
}

}  // namespace master::verbs
