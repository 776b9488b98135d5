#pragma once

#include "master/analysis/linear/linearization.hpp"

#include <filesystem>
#include <string>

namespace master::analysis {

/// Modes, margins and how the models came about, for a terminal.
[[nodiscard]] std::string linear_text(const Linearization& found, const std::string& system);
/// Everything, with all matrices.
[[nodiscard]] std::string linear_json(const Linearization& found, const std::string& system);
/// A page with Bode diagram, modes, margins and matrices.
[[nodiscard]] std::string linear_html(const Linearization& found, const std::string& system);
/// A MAT file (level 5): A, B, C, D, h, names, frequency responses; the continuous ones as Ac, Bc, Cc, Dc.
void write_linear_mat(const Linearization& found, const std::filesystem::path& file);

/// Two linearisations of the same question on one page: before and after a unit was exchanged.
[[nodiscard]] std::string bode_overlay(const Linearization& before, const Linearization& after);
/// Where the two responses differ most up to a tenth of the rate, in words.
[[nodiscard]] std::string bode_difference(const Linearization& before, const Linearization& after);

}  // namespace master::analysis
