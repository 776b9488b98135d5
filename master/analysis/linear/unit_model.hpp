#pragma once

#include "master/analysis/linear/state_space.hpp"
#include "master/core/node.hpp"
#include "master/core/system.hpp"

#include <optional>
#include <string>
#include <vector>

namespace master::analysis {

/// How one unit of a system answers over its own step, around where it stands: x(end) = a x + b u + slope s for inputs
/// u(t) = u + s t, then y = c x(end) + d u(end). Inputs and outputs are the reals of the node's slices.
struct UnitModel {
    std::vector<std::string> states;
    Matrix a, b, slope, c, d;
    double period = 0;                     // s
    std::vector<bool> told;                // by output: false where nobody can say how it answers
    std::optional<StateSpace> continuous;  // all inputs and outputs; none where the unit hides its states
    std::string origin;                    // for the report: how the model was found
    std::size_t order = 0;                 // states of the unit itself
    double doubt = 0;                      // of finite differences: what another increment changes, as a share
    std::optional<double> error;           // distance to measured pulses, as a share
    bool measured = false;                 // made of those pulses
};

/// From what the unit tells of its states, checked against what it does where it can be set back; else identified from
/// that alone. `counts` says by output which ones somebody sees. Throws `Error` where the unit offers neither, or is
/// not smooth here. Afterwards the unit may stand elsewhere.
[[nodiscard]] UnitModel model_of(core::System& system, core::Node& node, base::Time t, const std::vector<bool>& counts);

}  // namespace master::analysis
