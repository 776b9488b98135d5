#pragma once

#include "interfaces/can_mapping/mapping.hpp"

#include <cstdint>
#include <span>
#include <string_view>

namespace tests {

/// Any bytes as a mapping file for that database.
inline void fuzz_mapping(const interfaces::dbc::Database& database, std::span<const std::uint8_t> bytes) {
    try {
        static_cast<void>(interfaces::can_mapping::read(
            std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()), "fuzz.xml", database));
    } catch (const interfaces::can_mapping::Error&) {
    }
}

}  // namespace tests
