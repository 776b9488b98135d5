#pragma once

#include "master/base/xml/page.hpp"
#include "master/ssp/contract.hpp"

namespace master::ssp {

/// The element `Contract`. Everything in it was meant for this program, so that a slip is an error.
[[nodiscard]] Contract read_contract(pugi::xml_node node, base::Page& page);

/// The element `Requires`.
[[nodiscard]] UnitRequirements read_requires(pugi::xml_node node, base::Page& page);

}  // namespace master::ssp
