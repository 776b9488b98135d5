#pragma once

#include "master/build/resolve/names.hpp"
#include "master/core/plan.hpp"

namespace master::build {

/// Fills wires and boundary of the plan from the description's connections.
void resolve_connections(const ssp::Description& description, const Directory& directory, core::Plan& plan,
                         base::Diagnostics& diagnostics);

/// True for a variable that may be written while a run goes on.
[[nodiscard]] bool can_be_driven(const core::Variable& variable);

}  // namespace master::build
