#pragma once

#include "fmus/common/declaring/instance_of.hpp"
#include "models/examples/coupled_mass/coupled_mass.hpp"

#include <string>

namespace fmus {

/// What the units of a coupled mass have in common; they differ in what they show of the coupling spring.
class CoupledMassUnit : public InstanceOf<models::CoupledMass> {
protected:
    /// `other` is the name of the input: the displacement of the spring's other end.
    void declare_mass(const std::string& other, const std::string& description) {
        parameter("m", "kg", model_.parameters.m).min(0).describe("Mass");
        parameter("k", "N/m", model_.parameters.k).describe("Stiffness of the wall spring");
        parameter("k12", "N/m", model_.parameters.k12).describe("Stiffness of the coupling spring");
        parameter("x0", "m", model_.parameters.x0).describe("Displacement at the start");
        parameter("v0", "m/s", model_.parameters.v0).describe("Velocity at the start");
        input(other, "m", model_.inputs.x_other).describe(description);
        output("x", "m", model_.state.x).describe("Displacement");
        derivative("der(x)", "m/s", model_.rates.x, "x").depends_on({"v"});
        local("v", "m/s", model_.state.v).describe("Velocity");
        derivative("der(v)", "m/s2", model_.rates.v, "v").depends_on({"x", other});
    }
};

}  // namespace fmus
