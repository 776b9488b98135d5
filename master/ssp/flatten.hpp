#pragma once

#include "master/base/diagnostics.hpp"
#include "master/ssp/tree.hpp"

namespace master::ssp {

/// Dissolves nesting: fills components (with their parameters), boundary and connections of `description`.
void flatten(const Element& root, const KindOf& kind_of, Description& description, base::Diagnostics& diagnostics);

}  // namespace master::ssp
