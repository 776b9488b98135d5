#pragma once

#include "master/base/diagnostics.hpp"
#include "master/build/options.hpp"
#include "master/build/parts.hpp"

#include <string>
#include <vector>

namespace master::build {

/// The kind of the terminal by which a unit says that it talks to the world outside: sockets, devices, other programs.
/// Its members are parameters of the unit:
///   network  Boolean: the unit opens nothing while it is off
///   journal  text: the file in which it keeps what came from outside, with the point at which it came in; none if
///   empty replay   text: the journal that it plays instead of what comes from outside; none if empty
inline constexpr const char* outside_terminal = "io.tandem.cosim.outside";

/// The kind of the terminal by which a unit says that it is the machine's end of teleoperation. Its members are
/// parameters of the unit: `network` as above; `address`, text: where operators find it; `link`, text: how bad the link
/// is.
inline constexpr const char* teleoperation_terminal = "io.tandem.cosim.teleoperation";

/// Gives the one unit that is the machine's end of teleoperation what the options ask for. Throws `Error` where the
/// system has no such unit, or several.
void set_up_teleoperation(Parts& parts, const BuildOptions& options);

/// The origin of parameters that `set_up_outside` switches in a repeat.
inline constexpr const char* repeat_origin = "--repeat";

/// Gives the units that talk to the outside their journals, or plays them; refuses a run in which what they send could
/// be sent twice or at the wrong time. Returns the names of the components whose network is on.
std::vector<std::string> set_up_outside(Parts& parts, const BuildOptions& options, base::Diagnostics& diagnostics);

/// Of a component.
[[nodiscard]] std::string journal_name(const std::string& component);

}  // namespace master::build
