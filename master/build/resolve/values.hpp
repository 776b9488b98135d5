#pragma once

#include "master/build/resolve/names.hpp"
#include "master/build/resolve/resolve.hpp"
#include "master/core/plan.hpp"

namespace master::build {

/// Fills structural parameters, start values and effective values of the planned units from parameter sets, then from
/// the command line. Unit conversion and types are checked; what may not be set is refused by name.
void resolve_values(const ssp::Description& description, const Directory& directory, const ResolveOptions& options,
                    core::Plan& plan, base::Diagnostics& diagnostics);

}  // namespace master::build
