#pragma once

#include "master/contracts/verdict.hpp"

#include <string>
#include <vector>

namespace master::report {

/// The section with a row per requirement: where it is watched, the verdict, how much of its margin was used, and what
/// was seen; empty where nothing was promised.
[[nodiscard]] std::string requirements_section(const std::vector<contracts::Verdict>& verdicts);

/// "3 passed, 1 failed, 2 not exercised".
[[nodiscard]] std::string tally(const std::vector<contracts::Verdict>& verdicts);

/// One broken promise in words: "outside its range, first at t = 0.5 s, at 12 points, worst 1.3".
[[nodiscard]] std::string text_of(const contracts::Violation& violation);

}  // namespace master::report
