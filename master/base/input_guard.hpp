#pragma once

#include "master/base/error.hpp"

#include <filesystem>
#include <span>

namespace master::base {

/// Throws `Error` where `out` is one of the files that are read, by whatever name or link.
inline void refuse_to_replace_input(const std::filesystem::path& out, std::span<const std::filesystem::path> inputs) {
    for (const std::filesystem::path& input : inputs) {
        std::error_code missing;
        if (std::filesystem::equivalent(out, input, missing))
            throw Error("overwrite", out.string(), "this file is read and would be replaced; name another one with -o");
    }
}

}  // namespace master::base
