#pragma once

#include "interfaces/dbc/plan.hpp"
#include "interfaces/dbc/read.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace tests {

/// Any bytes as a DBC file; what can be read is also used.
inline void fuzz_dbc(std::span<const std::uint8_t> bytes) {
    using namespace interfaces;
    try {
        const dbc::Database database =
            dbc::read(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()), "fuzz.dbc");
        const dbc::Plans plans(database);
        for (std::size_t i = 0; i < plans.size(); ++i) {
            std::vector<std::uint8_t> data(plans[i].size(), 0xA5);
            std::vector<double> values(plans[i].signal_count());
            static_cast<void>(plans[i].decode(data, values));
            static_cast<void>(plans[i].encode(values, data));
        }
    } catch (const dbc::Error&) {
    }
}

}  // namespace tests
