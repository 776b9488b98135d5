#pragma once

#include "master/ssp/common.hpp"
#include "master/ssp/place.hpp"
#include "master/ssp/tree.hpp"

namespace master::ssp {

/// The entries below a `SignalDictionary` element; units and enumerations of `outer` count after its own.
[[nodiscard]] Connectors read_entries(pugi::xml_node dictionary, const Definitions& outer, base::Page& page);

/// An .ssb file. Throws `Error` for what is none.
[[nodiscard]] Connectors read_dictionary(const Located& file, const Definitions& outer, base::Diagnostics& diagnostics);

}  // namespace master::ssp
