#pragma once

#include <string_view>

namespace fmus {

/// A unit as FMI defines it: exponents of the SI base units, and value_in_SI = factor * value + offset.
struct SiUnit {
    std::string_view name;
    int kg = 0, m = 0, s = 0, A = 0, K = 0, mol = 0, cd = 0, rad = 0;
    double factor = 1, offset = 0;
};

/// The unit of that name, or nothing: then the model description states the name only.
[[nodiscard]] const SiUnit* find_unit(std::string_view name);

}  // namespace fmus
