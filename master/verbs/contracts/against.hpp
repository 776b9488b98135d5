#pragma once

#include "master/base/error.hpp"
#include "master/verbs/console.hpp"

#include <filesystem>

namespace CLI {
class App;
}

namespace master::verbs {

/// `check A --against B`.
struct AgainstOptions {
    std::filesystem::path against;  // empty: not asked for
    std::filesystem::path junit, deviations;
    bool json = false;
};

void add_against_options(CLI::App& verb, AgainstOptions& options);

/// Prints what the interface in `file` does otherwise than the one it is held against.
[[nodiscard]] base::Exit check_against(const std::filesystem::path& file, const AgainstOptions& options,
                                       Console& console, base::Diagnostics& diagnostics);

}  // namespace master::verbs
