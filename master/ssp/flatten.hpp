#pragma once

#include "master/diagnostics.hpp"
#include "master/ssp/tree.hpp"

namespace master::ssp {

/// Dissolves nesting: fills components (with their parameters), boundary and connections of `description`.
void flatten(const Element& root, Description& description, Diagnostics& diagnostics);

}  // namespace master::ssp
