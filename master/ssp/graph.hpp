#pragma once

#include "master/core/plan.hpp"

#include <filesystem>
#include <string>

namespace master::ssp {

/// Units as boxes, wires as arrows; wires between the same two units share one arrow.
[[nodiscard]] std::string dot_graph(const core::Plan& plan);

/// Writes the text, or a picture made from it by the `dot` program if the file name ends with .svg.
void write_graph(const std::string& dot, const std::filesystem::path& file);

}  // namespace master::ssp
