#pragma once

#include "master/build/options.hpp"

#include <filesystem>
#include <string>

namespace CLI {
class App;
}

namespace master::verbs {

/// The options by which every verb that builds a system is told how.
void add_system_options(CLI::App& verb, build::BuildOptions& options);

/// A file name for results: the system's file name without ending, or its folder's.
[[nodiscard]] std::string short_name(const std::filesystem::path& system);

}  // namespace master::verbs
