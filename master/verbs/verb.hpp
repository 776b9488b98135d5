#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace master::verbs {

/// What a verb does once its options are parsed, given also the command line as typed (verb first); returns the exit
/// code, throws `Error`.
using Action = std::function<int(const std::vector<std::string>& arguments)>;

/// Adds a verb's sub-command with options, help and an example, and sets `chosen` when it is the one.
using AddVerb = void(CLI::App& app, Action& chosen);

/// All of them, in the order of the help.
[[nodiscard]] std::span<AddVerb* const> all_verbs();

}  // namespace master::verbs
