#pragma once

#include "models/machine/kinematics/machine.hpp"

#include <string>

namespace interfaces::machine_file {
struct Machine;
}

namespace fmus {

/// A machine file as the models want it. Throws interfaces::machine_file::Error, which names the line, if the file is
/// wrong or if a linkage does not close over its stroke or turns its joint beyond the joint's limits.
[[nodiscard]] models::kinematics::Machine read_machine(const std::string& file);

/// The same for a file that has been read.
[[nodiscard]] models::kinematics::Machine checked_machine(const interfaces::machine_file::Machine& file);

}  // namespace fmus
