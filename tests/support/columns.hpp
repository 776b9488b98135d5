#pragma once

#include "master/results/column.hpp"

#include <string>

namespace tests {

inline master::results::Column column(const std::string& name, master::core::Type type = master::core::Type::real,
                                      std::uint32_t index = 0) {
    return {.name = name, .unit = {}, .description = {}, .signal = {.type = type, .input = false, .index = index}};
}

}  // namespace tests
