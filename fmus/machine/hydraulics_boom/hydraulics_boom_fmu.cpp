#include "fmus/machine/hydraulics/hydraulics_unit.hpp"

std::unique_ptr<fmus::Instance> fmus::create() {
    return std::make_unique<HydraulicsUnit>(models::hydraulics::boom_axis());
}
