#pragma once

#include "fmus/common/declaring/instance_of.hpp"
#include "models/machine/hydraulics/machines.hpp"
#include "models/machine/hydraulics/plant.hpp"

namespace fmus {

/// A hydraulic plant with the axes of a machine: command, position and velocity of each axis in, force out.
class HydraulicsUnit final : public InstanceOf<models::hydraulics::Plant> {
public:
    explicit HydraulicsUnit(const models::hydraulics::Machine& machine);

private:
    void declare_axis(std::size_t i, const std::string& name, bool rotary);
    void declare_axis_parameters(std::size_t i, const std::string& name, bool rotary);
    void declare_supply();
    void declare_common_parameters();
    void declare_energies();
    [[nodiscard]] std::vector<std::string> all_states() const;
};

}  // namespace fmus
