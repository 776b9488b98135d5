#include "master/build/physical_units.hpp"

#include "master/build/resolve/well_known_units.hpp"

#include <array>
#include <fmt/format.h>

namespace master::build {
namespace {

using Outcome = UnitConversion::Outcome;

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

/// A unit by its definition, or by its name alone.
struct Meaning {
    const core::PhysicalUnit* unit = nullptr;  // null where it is not understood
    bool assumed = false;

    explicit Meaning(const core::PhysicalUnit& named)
        : unit(named.exponents ? &named : well_known_unit(named.name)), assumed(!named.exponents && unit != nullptr) {}
};

std::string in_words(const core::PhysicalUnit& named, const core::PhysicalUnit& meaning) {
    const std::string offset = meaning.offset == 0 ? "" : fmt::format(" + {:.6g}", meaning.offset);
    return fmt::format("'{}' has no definition and is taken as the well-known unit ({:.6g} {}{} in SI)", named.name,
                       meaning.factor, dimension_of(*meaning.exponents), offset);
}

/// Between two units of one dimension.
UnitConversion scaled(const UsedUnit& from, const UsedUnit& to) {
    const bool shifts = from.unit.offset != 0 || to.unit.offset != 0;
    if (shifts && from.relative != to.relative)
        return {.outcome = Outcome::refused,
                .scale = {},
                .text = "a difference (relativeQuantity) in " + quoted(from.relative ? from.unit : to.unit) +
                        " does not fit an absolute value in " + quoted(from.relative ? to.unit : from.unit),
                .assumed = {}};
    Scale scale{.gain = from.unit.factor / to.unit.factor, .offset = 0};
    if (!from.relative) scale.offset = (from.unit.offset - to.unit.offset) / to.unit.factor;
    return {.outcome = Outcome::converted, .scale = scale, .text = {}, .assumed = {}};
}

}  // namespace

bool understood(const core::PhysicalUnit& unit) { return Meaning(unit).unit != nullptr; }

UnitConversion convert(const UsedUnit& from, const UsedUnit& to) {
    Meaning first(from.unit);
    Meaning second(to.unit);
    const bool defined = from.unit.exponents && to.unit.exponents;
    // Equal names mean the same thing even where nobody says what.
    if (!defined && from.unit.name == to.unit.name) return {};
    if (first.unit == nullptr || second.unit == nullptr) {
        const bool nameless = from.unit.name.empty() || to.unit.name.empty();
        return {.outcome = nameless ? Outcome::unchanged : Outcome::doubtful,
                .scale = {},
                .text = quoted(from.unit) + " to " + quoted(to.unit) + " without base units on both sides",
                .assumed = {}};
    }
    // Files define angles with and without the radian: where one side is known by its name, names decide for both.
    if (!defined && *first.unit->exponents != *second.unit->exponents)
        for (auto* side : {&first, &second})
            if (const core::PhysicalUnit* known = well_known_unit(side->unit->name)) side->unit = known;
    // One of two definitions of a name is a slip; the name is meant.
    const bool same_name = from.unit.name == to.unit.name;
    if (*first.unit->exponents != *second.unit->exponents)
        return {.outcome = same_name ? Outcome::doubtful : Outcome::refused,
                .scale = {},
                .text = quoted(from.unit) + " (" + dimension_of(*first.unit->exponents) + ") does not fit " +
                        quoted(to.unit) + " (" + dimension_of(*second.unit->exponents) + ")",
                .assumed = {}};
    UnitConversion conversion = scaled({*first.unit, from.relative}, {*second.unit, to.relative});
    const auto add = [&](const Meaning& meaning, const core::PhysicalUnit& unit) {
        const bool coherent = meaning.unit->factor == 1 && meaning.unit->offset == 0;
        if (meaning.assumed && !coherent) conversion.assumed.push_back(in_words(unit, *meaning.unit));
    };
    add(first, from.unit);
    add(second, to.unit);
    return conversion;
}

}  // namespace master::build
