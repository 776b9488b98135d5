#pragma once

#include "fmus/common/state/instance.hpp"

#include <memory>

namespace models {
class Mechanics;
namespace kinematics {
struct Machine;
}
}  // namespace models

namespace fmus {

/// What a special unit sets in the model before its variables are declared.
using PrepareMechanics = void (*)(const models::kinematics::Machine&, models::Mechanics&);

/// The machine of the unit's resources as a mechanical system: forces of the axes in, positions and velocities out.
/// Axes that are locked have no variables beside the position they are locked at.
[[nodiscard]] std::unique_ptr<Instance> make_mechanics(PrepareMechanics prepare = nullptr);

}  // namespace fmus
