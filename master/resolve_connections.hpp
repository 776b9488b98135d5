#pragma once

#include "master/plan.hpp"
#include "master/resolve_names.hpp"

namespace master {

/// Fills wires and boundary of the plan from the description's connections.
void resolve_connections(const ssp::Description& description, const Directory& directory, Plan& plan,
                         Diagnostics& diagnostics);

/// True for a variable that may be written while a run goes on.
[[nodiscard]] bool can_be_driven(const Variable& variable);

}  // namespace master
