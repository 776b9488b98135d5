#pragma once

#include "master/verbs/verb.hpp"

namespace master::verbs {

/// `new spec FMU|SYSTEM|RESULT`, a sub-command of `new`.
void add_new_spec(CLI::App& verb, Action& chosen);

}  // namespace master::verbs
