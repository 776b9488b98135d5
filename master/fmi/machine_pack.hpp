#pragma once

#include "master/base/diagnostics.hpp"

#include <filesystem>

namespace master::fmi {

/// Writes `target`, an FMU like `unit` for another machine: the URDF lies in its resources, and the unit's own library
/// writes the model description from it, in a process of its own. Throws `Error`, and writes nothing, when the unit
/// takes no machine or the machine does not fit.
void pack_machine(const std::filesystem::path& unit, const std::filesystem::path& machine,
                  const std::filesystem::path& target);

/// The same for a unit made from a mapping of CAN signals: the mapping, and the DBC file or the data sheets of CANopen
/// nodes beside it that it names. What is odd in those files is a warning or a note.
void pack_mapping(const std::filesystem::path& unit, const std::filesystem::path& mapping,
                  const std::filesystem::path& target, base::Diagnostics& diagnostics);

}  // namespace master::fmi
