#pragma once

#include "master/core/physical_unit.hpp"

#include <cstdint>
#include <string>

namespace master::build {

/// y = gain * x + offset.
struct Scale {
    double gain = 1, offset = 0;

    [[nodiscard]] double operator()(double x) const { return gain * x + offset; }
    [[nodiscard]] bool identity() const { return gain == 1 && offset == 0; }
    /// First this one, then `next`.
    [[nodiscard]] Scale then(const Scale& next) const { return {next.gain * gain, next.gain * offset + next.offset}; }
};

/// A unit as one end of a connection uses it.
struct UsedUnit {
    core::PhysicalUnit unit;
    bool relative = false;  // a difference: offsets do not apply (FMI relativeQuantity)
};

/// How a value goes from one unit to another.
struct UnitConversion {
    enum class Outcome : std::uint8_t {
        converted,  // `scale` holds the conversion, which may be none
        unchanged,  // one side is not defined down to base units; `text` says which
        refused     // `text` says why
    };
    Outcome outcome = Outcome::converted;
    Scale scale;
    std::string text;
};

[[nodiscard]] UnitConversion convert(const UsedUnit& from, const UsedUnit& to);

}  // namespace master::build
