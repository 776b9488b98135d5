#pragma once

#include "master/base/diagnostics.hpp"
#include "master/build/options.hpp"
#include "master/build/parts.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace master::verbs {

/// Other FMUs for components, as typed.
struct ReplaceOptions {
    std::vector<std::string> replace;  // COMPONENT=FMU[,map=MAP.csv]
    std::filesystem::path map;         // of a single replacement that names none
    std::filesystem::path write;       // the system with its adapters, as a file
};

/// `--replace`, `--map`, `--write`.
void add_replace_options(CLI::App& verb, ReplaceOptions& options);

/// Takes the texts apart. Throws `Error` for what is none.
void take_replacements(const ReplaceOptions& options, build::BuildOptions& build);

/// Notes what the replaced units hold, and writes the system where that is asked for.
void finish_replacements(const ReplaceOptions& options, const build::BuildOptions& build, const build::Parts& parts,
                         base::Diagnostics& diagnostics);

}  // namespace master::verbs
