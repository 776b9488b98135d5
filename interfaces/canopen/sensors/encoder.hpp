#pragma once

#include "interfaces/canopen/slave/profile.hpp"

#include <memory>

namespace interfaces::canopen {

/// CiA 406: one position, an angle in rad or, for device types 6 to 9, a length in m, shown as a number of steps, with
/// preset, direction and speed. Objects that the dictionary lacks are left out.
[[nodiscard]] std::unique_ptr<const Profile> make_encoder(const Dictionary& dictionary);

}  // namespace interfaces::canopen
