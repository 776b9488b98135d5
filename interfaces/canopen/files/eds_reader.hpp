#pragma once

#include "interfaces/canopen/dictionary.hpp"
#include "interfaces/canopen/files/error.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace interfaces::canopen {

/// An EDS or a DCF (CiA 306): objects with their initial values, and where a DCF puts the device.
struct DataSheet {
    Dictionary dictionary;
    std::string vendor_name, product_name;
    std::optional<std::uint8_t> node_id;    // of a DCF
    std::optional<std::uint32_t> bit_rate;  // of a DCF, bit/s
    std::optional<std::uint32_t> serial;    // of a DCF
    std::vector<std::string> notes;         // what was left out or corrected, each with file:line
};

/// What is not there for a device, or cannot be meant, is an Error; slips that vendors make are notes. `shown` is the
/// file's name in messages.
[[nodiscard]] DataSheet parse_data_sheet(std::string_view text, const std::string& shown);

}  // namespace interfaces::canopen
