#pragma once

#include "master/base/diagnostics.hpp"
#include "master/core/unit.hpp"

namespace master::core {

struct Node;

/// Brings a unit into Initialization Mode with the start values of its plan. Units may lose values on the way (some set
/// everything back in SetupExperiment): what was given is read back, and set again where it was lost. What a unit does
/// not take is a warning, and stands in the node's `not_taken`. Inputs that nobody drives get the start values of the
/// description where the unit has others.
void begin_initialization(Node& node, const RunWindow& run, base::Diagnostics& diagnostics);

/// After initialisation: a parameter that its unit lost on the way out is a warning, and stands in `not_taken`. So does
/// one that nobody gave and that is not what the description states, which is a note.
void confirm_parameters(Node& node, base::Diagnostics& diagnostics);

}  // namespace master::core
