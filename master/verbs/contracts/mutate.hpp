#pragma once

#include "master/base/error.hpp"
#include "master/build/options.hpp"
#include "master/verbs/supervised.hpp"

#include <filesystem>
#include <string>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace master::verbs {

/// `check SYSTEM --against SPEC --mutate[=PATTERN]`: runs, unlike the rest of `check`.
struct MutateOptions {
    std::string outputs;  // pattern; empty: not asked for
    std::filesystem::path scenario;
    Supervision supervision;
};

void add_mutate_options(CLI::App& verb, build::BuildOptions& build, MutateOptions& options);

/// Prints which requirement of the specification catches which seeded error, and the share that is caught.
[[nodiscard]] int check_mutated(const build::BuildOptions& build, const std::filesystem::path& specification,
                                const MutateOptions& options, bool json);

}  // namespace master::verbs
