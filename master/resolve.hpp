#pragma once

#include "master/diagnostics.hpp"
#include "master/plan.hpp"
#include "master/ssp/description.hpp"

#include <span>
#include <string>
#include <vector>

namespace master {

struct ResolveOptions {
    std::vector<std::string> set;  // "component.parameter=value", as on the command line
    bool to_run = true;            // false: components without an implementation are left out instead of refused
};

/// One per component of the description; null for a component without an implementation.
using UnitInfos = std::span<const UnitInfo* const>;

/// The structural parameters that the system sets, per component: array sizes in the units' infos must follow them
/// before `resolve` checks connections.
[[nodiscard]] std::vector<Values> structural_values(const ssp::Description& description, UnitInfos infos,
                                                    const ResolveOptions& options, Diagnostics& diagnostics);

/// Turns names into indices, once: checks every connection and value, and converts units. Errors are collected in
/// `diagnostics`; with any, the plan is incomplete and must not be run.
[[nodiscard]] Plan resolve(const ssp::Description& description, UnitInfos infos, const ResolveOptions& options,
                           Diagnostics& diagnostics);

}  // namespace master
