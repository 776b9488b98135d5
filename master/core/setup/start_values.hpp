#pragma once

#include "master/base/diagnostics.hpp"
#include "master/core/unit.hpp"

namespace master::core {

struct Node;

/// Brings a unit into Initialization Mode with the start values of its plan. Units may lose values on the way (some set
/// everything back in SetupExperiment): what was given is read back, and set again where it was lost. What a unit does
/// not take is a warning, and stands in the node's `not_taken`.
void begin_initialization(Node& node, const RunWindow& run, base::Diagnostics& diagnostics);

/// After initialisation: a parameter that its unit lost on the way out is a warning, and stands in `not_taken`.
void confirm_parameters(Node& node, base::Diagnostics& diagnostics);

}  // namespace master::core
