#pragma once

#include "master/build/resolve/names.hpp"
#include "master/core/plan.hpp"

#include <set>
#include <string>

namespace master::build {

/// Looks for what is wrong although every single name is right: a unit that is another one than the system's author
/// meant (an error), and inputs that look forgotten beside connected ones (a warning). `driven` are names of free
/// inputs that are written from outside. To be called on a resolved plan.
void check_fit(const ssp::Description& description, const Directory& directory, const std::set<std::string>& driven,
               const core::Plan& plan, base::Diagnostics& diagnostics);

}  // namespace master::build
