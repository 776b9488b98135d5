#pragma once

#include "master/build/resolve/names.hpp"
#include "master/core/plan.hpp"

#include <span>
#include <string>

namespace master::build {

/// Fills structural parameters, start values and effective values of the planned units from parameter sets, then from
/// `set` ("component.parameter=value", as on the command line). Unit conversion and types are checked; what may not be
/// set is refused by name.
void resolve_values(const ssp::Description& description, const Directory& directory, std::span<const std::string> set,
                    core::Plan& plan, base::Diagnostics& diagnostics);

}  // namespace master::build
