#pragma once

#include "master/base/diagnostics.hpp"
#include "master/ssp/description.hpp"

#include <filesystem>
#include <string>

namespace master::ssp {

struct ReadOptions {
    std::string variant;    // name of another .ssd at the root; empty = SystemStructure.ssd
    bool confined = false;  // sources may not leave the folder, as is always so in an .ssp
    KindOf kind_of = {};    // asked for the direction at a signal dictionary where the file declares none
};

/// Reads an .ssp, a folder with SystemStructure.ssd, or a bare .ssd and dissolves its nesting. Throws `Error` for what
/// is no system at all; other errors are collected in `diagnostics`, and the caller decides when to stop.
[[nodiscard]] Description read(const std::filesystem::path& system, const ReadOptions& options,
                               base::Diagnostics& diagnostics);

/// A system of one: the component is called like the file, and all its inputs are free.
[[nodiscard]] Description describe_fmu(const std::filesystem::path& fmu, const std::string& implementation);

}  // namespace master::ssp
