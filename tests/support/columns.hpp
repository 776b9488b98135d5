#pragma once

#include "master/tap.hpp"

#include <string>

namespace tests {

inline master::Column column(const std::string& name, master::Type type = master::Type::real, std::uint32_t index = 0) {
    master::Column result;
    result.name = name;
    result.type = type;
    result.index = index;
    return result;
}

}  // namespace tests
