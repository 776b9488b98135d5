#pragma once

#include "interfaces/machine_file/document.hpp"

namespace interfaces::machine_file {

/// The cylinders, four-bars and direct drives of a machine whose joints are known; checks that every moving joint has
/// exactly one and that each linkage closes over its stroke.
void read_axes(const Document& document, models::kinematics::Machine& machine);

}  // namespace interfaces::machine_file
