#pragma once

namespace master::verbs {

/// Picks the verb, parses its options and does it; returns the exit code. Throws `Error`.
[[nodiscard]] int run_command_line(int argc, char** argv);

}  // namespace master::verbs
