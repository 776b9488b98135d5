#pragma once

#include "master/build/options.hpp"
#include "master/runs/scenario.hpp"

#include <filesystem>
#include <string>

namespace CLI {
class App;
}

namespace master::verbs {

/// The options by which every verb that builds a system is told how.
void add_system_options(CLI::App& verb, build::BuildOptions& options);

/// `--scenario` and `--settle`.
void add_scenario_options(CLI::App& verb, build::BuildOptions& options, std::filesystem::path& scenario);
/// Empty without a file; throws `Error` for what is wrong in it.
[[nodiscard]] runs::Scenario scenario_of(const std::filesystem::path& file, base::Diagnostics& diagnostics);

/// A file name for results: the system's file name without ending, or its folder's.
[[nodiscard]] std::string short_name(const std::filesystem::path& system);

}  // namespace master::verbs
