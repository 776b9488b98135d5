#include "fmus/machine/mechanics/mechanics_unit.hpp"

std::unique_ptr<fmus::Instance> fmus::create() { return fmus::make_mechanics(); }
