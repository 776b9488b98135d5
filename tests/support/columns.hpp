#pragma once

#include "master/core/tap.hpp"

#include <string>

namespace tests {

inline master::core::Column column(const std::string& name, master::core::Type type = master::core::Type::real,
                                   std::uint32_t index = 0) {
    master::core::Column result;
    result.name = name;
    result.type = type;
    result.index = index;
    return result;
}

}  // namespace tests
