#pragma once

#include "fmus/common/machine/machine.hpp"

#include <string>

namespace tests {

/// A machine of config/machines, as the units of the machine read it.
[[nodiscard]] inline models::kinematics::Machine shipped_machine(const std::string& name) {
    return fmus::read_machine(std::string(TANDEM_TEST_DATA) + "/../config/machines/" + name + ".urdf");
}

}  // namespace tests
