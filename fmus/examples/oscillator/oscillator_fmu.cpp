#include "fmus/examples/coupled_mass/coupled_mass_unit.hpp"

namespace {

class OscillatorFmu final : public fmus::CoupledMassUnit {
public:
    OscillatorFmu() {
        about({.description = "One half of a two-mass oscillator: displacement in, displacement out", .linear = true});
        declare_mass("x_other", "Displacement of the other mass");
    }
};

}  // namespace

std::unique_ptr<fmus::Instance> fmus::create() { return std::make_unique<OscillatorFmu>(); }
