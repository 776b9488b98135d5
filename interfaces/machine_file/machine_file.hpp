#pragma once

#include "interfaces/machine_file/error.hpp"
#include "interfaces/machine_file/machine.hpp"

#include <string>
#include <string_view>

/// A machine as a URDF file with a few more elements below <robot>, which other readers of URDF ignore:
///
///   <cylinder name joint base rod closed_length stroke [lower] sign/>
///       a cylinder from the pin `base` on the joint's parent link to the pin `rod` on its child link; pin-to-pin
///       length = closed_length + position; the position runs from `lower` (0) to `stroke`; sign: which of the two
///       assemblies
///   <four_bar name joint base rocker rod rocker_length rod_length closed_length stroke [lower] sign/>
///       a cylinder that works through a rocker and a rod (the H link of an excavator bucket): it ends in a pin J; the
///       rocker joins J with the pin `rocker` on the parent link, the rod joins J with the pin `rod` on the child link
///   <drive name joint [ratio]/>
///       position = ratio x joint coordinate, within the joint's limits
///   <tool link><origin/><box size/></tool>
///       the tool point and the chamber around it
///   <touches_wall link [while]/>
///       a link whose contact with the wall is no collision: always, or while the axis `while` extends
///   <tilt link/>
///       the link that pitch and roll turn; the root if there is none
///
/// Link collision shapes: box, and cylinder, which is taken as a capsule of the same length over all. Meshes are for
/// pictures only. Read with pugixml and not with urdfdom, because a wrong file must be answered with its line.
namespace interfaces::machine_file {

/// Throws Error. Whether a linkage closes over its stroke is left to the models of linkages.
[[nodiscard]] Machine read(const std::string& file);
/// `shown` is the name of the file in messages.
[[nodiscard]] Machine parse(std::string_view text, const std::string& shown);

}  // namespace interfaces::machine_file
