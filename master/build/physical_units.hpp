#pragma once

#include "master/core/physical_unit.hpp"

#include <cstdint>
#include <string>
#include <vector>

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
        unchanged,  // one side has no unit: the value is taken to be in the other's
        doubtful,   // two names of which one is not understood, or one name that two files define differently
        refused     // the dimensions differ
    };
    Outcome outcome = Outcome::converted;
    Scale scale;
    std::string text;                  // why it is not converted
    std::vector<std::string> assumed;  // factors that only a name told, in words
};

/// Definitions count first; what has none is understood where its name is a well-known one.
[[nodiscard]] UnitConversion convert(const UsedUnit& from, const UsedUnit& to);

/// True where the unit has a definition or a well-known name.
[[nodiscard]] bool understood(const core::PhysicalUnit& unit);

}  // namespace master::build
