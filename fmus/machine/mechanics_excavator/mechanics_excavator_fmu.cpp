#include "fmus/machine/mechanics/mechanics_unit.hpp"

std::unique_ptr<fmus::Instance> fmus::create() { return std::make_unique<fmus::MechanicsUnit>(); }
