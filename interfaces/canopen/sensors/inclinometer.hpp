#pragma once

#include "interfaces/canopen/slave/profile.hpp"

#include <memory>

namespace interfaces::canopen {

/// CiA 410: one or two angles in rad, shown as 16 and 32 bit numbers in steps of the resolution 0x6000. Objects that
/// the dictionary lacks are left out.
[[nodiscard]] std::unique_ptr<const Profile> make_inclinometer(const Dictionary& dictionary);

}  // namespace interfaces::canopen
