#include "fmus/machine/mechanics/mechanics_unit.hpp"
#include "models/machine/mechanics/mechanics.hpp"

#include <array>
#include <numbers>

namespace {

/// The excavator with only its boom moving, in the pose in which the reference runs of the boom axis start.
void lock_all_but_boom(const models::kinematics::Machine& machine, models::Mechanics& model) {
    constexpr double degree = std::numbers::pi / 180;
    constexpr std::array angles{20 * degree, -80 * degree, 100 * degree};  // boom, arm, bucket
    for (std::size_t i = 0; i < machine.axes.size(); ++i) {
        auto& axis = model.parameters.axes[i];
        axis.initial_position = models::kinematics::Linkage(machine, i).position(angles.at(i));
        axis.locked = machine.axes[i].name != "boom";
    }
}

}  // namespace

std::unique_ptr<fmus::Instance> fmus::create() { return make_mechanics(lock_all_but_boom); }
