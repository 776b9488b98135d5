#include "fmus/machine/mechanics/mechanics_unit.hpp"

namespace {

/// The excavator with only its boom moving, at the start of the hydraulic plant's reference runs (6.2).
class MechanicsBoomFmu final : public fmus::MechanicsUnit {
    void prepare(const Machine& machine) override {
        constexpr double degree = std::numbers::pi / 180;
        constexpr std::array angles{20 * degree, -80 * degree, 100 * degree};  // boom, arm, bucket
        for (std::size_t i = 0; i < machine.axes.size(); ++i) {
            auto& axis = model_.parameters.axes[i];
            axis.initial_position = models::kinematics::Linkage(machine, i).position(angles.at(i));
            axis.locked = machine.axes[i].name != "boom";
        }
    }
};

}  // namespace

std::unique_ptr<fmus::Instance> fmus::create() { return std::make_unique<MechanicsBoomFmu>(); }
