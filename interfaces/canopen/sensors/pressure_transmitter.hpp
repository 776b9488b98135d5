#pragma once

#include "interfaces/canopen/slave/profile.hpp"

#include <memory>

namespace interfaces::canopen {

/// CiA 404 with one pressure in Pa, shown as a real number and as integers with decimal digits, in the unit 0x6131.
/// Objects that the dictionary lacks are left out.
[[nodiscard]] std::unique_ptr<const Profile> make_pressure_transmitter(const Dictionary& dictionary);

}  // namespace interfaces::canopen
