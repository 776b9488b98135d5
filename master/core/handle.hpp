#pragma once

#include "master/core/signals.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace master::core {

/// A value, or an array of them, that a scenario, a view or an operator may write, or that somebody looks at.
struct Handle {
    std::string name;
    Type type = Type::real;
    bool input = true;  // in Signals::inputs, else in Signals::outputs
    std::uint32_t index = 0;
    double gain = 1, offset = 0;            // from the handle's unit to the variable's
    std::vector<std::uint64_t> dimensions;  // of the whole variable, from `index` on; empty: one value
};

/// The number at a handle, `element` places after the first; 0 for what is no number.
[[nodiscard]] double value_at(const Handle& handle, const Signals& signals, std::uint32_t element = 0);

}  // namespace master::core
