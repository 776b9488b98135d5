#pragma once

#include "tests/support/fmi3_unit.hpp"

#include <catch2/catch.hpp>
#include <vector>

namespace tests {

/// The point cloud that a unit gives.
inline std::vector<std::uint8_t> points(const Fmi3Unit& unit) {
    const fmi3ValueReference reference = unit.fmu()["points.data"].reference;
    fmi3Binary data = nullptr;
    std::size_t size = 0;
    REQUIRE(unit.call<fmi3GetBinaryTYPE>("fmi3GetBinary")(unit.instance(), &reference, 1, &size, &data, 1) == fmi3OK);
    return {data, data + size};
}

}  // namespace tests
