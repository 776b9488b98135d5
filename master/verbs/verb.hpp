#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

namespace master::verbs {

/// What a verb does once its options are parsed, given also the command line as typed (verb first); returns the exit
/// code, throws `Error`.
using Action = std::function<int(const std::vector<std::string>& arguments)>;

/// Each verb adds its sub-command with options, help and an example, and sets `chosen` when it is the one.
void add_run(CLI::App& app, Action& chosen);
void add_inspect(CLI::App& app, Action& chosen);
void add_check(CLI::App& app, Action& chosen);
void add_graph(CLI::App& app, Action& chosen);
void add_converge(CLI::App& app, Action& chosen);
void add_compare(CLI::App& app, Action& chosen);
void add_new(CLI::App& app, Action& chosen);
void add_pack(CLI::App& app, Action& chosen);

}  // namespace master::verbs
