#pragma once

#include "master/plan.hpp"
#include "master/resolve.hpp"
#include "master/resolve_names.hpp"

namespace master {

/// Fills structural parameters, start values and effective values of the planned units from parameter sets, then from
/// the command line. Unit conversion and types are checked; what may not be set is refused by name.
void resolve_values(const ssp::Description& description, const Directory& directory, const ResolveOptions& options,
                    Plan& plan, Diagnostics& diagnostics);

}  // namespace master
