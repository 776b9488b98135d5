#pragma once

#include "master/base/diagnostics.hpp"
#include "master/core/plan.hpp"
#include "master/ssp/description.hpp"

#include <set>
#include <span>
#include <string>
#include <vector>

namespace master::build {

struct ResolveOptions {
    std::vector<std::string> set;       // "component.parameter=value", as on the command line
    std::set<std::string> driven = {};  // free inputs that something outside the system writes, by name
    bool to_run = true;                 // false: components without an implementation are left out instead of refused
};

/// One per component of the description; null for a component without an implementation.
using UnitInfos = std::span<const core::UnitInfo* const>;

/// The structural parameters that the system sets, per component: array sizes in the units' infos must follow them
/// before `resolve` checks connections.
[[nodiscard]] std::vector<core::Values> structural_values(const ssp::Description& description, UnitInfos infos,
                                                          const ResolveOptions& options,
                                                          base::Diagnostics& diagnostics);

/// Turns names into indices, once: checks every connection and value, and converts units. Errors are collected in
/// `diagnostics`; with any, the plan is incomplete and must not be run.
[[nodiscard]] core::Plan resolve(const ssp::Description& description, UnitInfos infos, const ResolveOptions& options,
                                 base::Diagnostics& diagnostics);

}  // namespace master::build
