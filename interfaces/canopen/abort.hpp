#pragma once

#include <cstdint>

namespace interfaces::canopen {

/// Why an SDO transfer ended early (CiA 301); `none` is success.
enum class Abort : std::uint32_t {
    none = 0,
    toggle = 0x05030000,
    time_out = 0x05040000,
    unknown_command = 0x05040001,
    unsupported_access = 0x06010000,
    write_only = 0x06010001,
    read_only = 0x06010002,
    no_object = 0x06020000,
    not_mappable = 0x06040041,
    pdo_too_long = 0x06040042,
    incompatible = 0x06040043,
    length = 0x06070010,
    too_long = 0x06070012,
    too_short = 0x06070013,
    no_sub_index = 0x06090011,
    value = 0x06090030,
    too_high = 0x06090031,
    too_low = 0x06090032,
    general = 0x08000000,
    cannot_store = 0x08000020,
    wrong_state = 0x08000022,
};

/// In words, for messages; a code that is not listed above is "unknown reason".
[[nodiscard]] const char* text(Abort abort);

}  // namespace interfaces::canopen
