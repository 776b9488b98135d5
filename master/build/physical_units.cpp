#include "master/build/physical_units.hpp"

#include <array>

namespace master::build {
namespace {

std::string dimension_of(const std::array<int, 8>& exponents) {
    static constexpr std::array<const char*, 8> names{"kg", "m", "s", "A", "K", "mol", "cd", "rad"};
    std::string text;
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (exponents[i] == 0) continue;
        text += (text.empty() ? "" : " ") + std::string(names[i]);
        if (exponents[i] != 1) text += "^" + std::to_string(exponents[i]);
    }
    return text.empty() ? "1" : text;
}

std::string quoted(const core::PhysicalUnit& unit) {
    return unit.name.empty() ? "no unit" : "unit '" + unit.name + "'";
}

}  // namespace

UnitConversion convert(const UsedUnit& from, const UsedUnit& to) {
    using Outcome = UnitConversion::Outcome;
    if (!from.unit.exponents || !to.unit.exponents) {
        // Equal names mean the same thing even where nobody says what.
        if (from.unit.name == to.unit.name) return {.outcome = Outcome::converted, .scale = {}, .text = {}};
        return {.outcome = Outcome::unchanged,
                .scale = {},
                .text = quoted(from.unit) + " to " + quoted(to.unit) + " without base units on both sides"};
    }
    if (*from.unit.exponents != *to.unit.exponents)
        return {.outcome = Outcome::refused,
                .scale = {},
                .text = quoted(from.unit) + " (" + dimension_of(*from.unit.exponents) + ") does not fit " +
                        quoted(to.unit) + " (" + dimension_of(*to.unit.exponents) + ")"};
    const bool shifts = from.unit.offset != 0 || to.unit.offset != 0;
    if (shifts && from.relative != to.relative)
        return {.outcome = Outcome::refused,
                .scale = {},
                .text = "a difference (relativeQuantity) in " + quoted(from.relative ? from.unit : to.unit) +
                        " does not fit an absolute value in " + quoted(from.relative ? to.unit : from.unit)};
    Scale scale{.gain = from.unit.factor / to.unit.factor, .offset = 0};
    if (!from.relative) scale.offset = (from.unit.offset - to.unit.offset) / to.unit.factor;
    return {.outcome = Outcome::converted, .scale = scale, .text = {}};
}

}  // namespace master::build
