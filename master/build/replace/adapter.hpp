#pragma once

#include "master/base/diagnostics.hpp"
#include "master/build/physical_units.hpp"
#include "master/build/replace/adapter_map.hpp"
#include "master/core/unit.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace master::build {

/// A unit as an adapter sees it.
struct AdaptedUnit {
    const core::UnitInfo& info;
    std::string file;  // for messages
    /// The unit of measure that the system's file states for a variable whose FMU states none; may be empty.
    std::function<std::optional<core::PhysicalUnit>(const std::string& variable)> stated = {};
};

/// A variable, or an element of an array (indices counted from 1).
struct VariablePart {
    std::uint32_t variable = 0;
    std::vector<std::uint64_t> indices;

    bool operator==(const VariablePart&) const = default;
};

/// Two variables that stand for each other: old = gain * (new, converted) + offset.
struct Partner {
    VariablePart before, after;
    double gain = 1, offset = 0;
    Scale to_old;            // the whole way from the new to the old value, units included
    Scale to_new;            // and back
    Scale transform_to_new;  // what is left of `to_new` after the conversion of units
    core::PhysicalUnit old_unit;
    std::optional<core::PhysicalUnit> stated_unit;  // of the new variable, where only the map knows it
    bool by_name = false;                           // nobody said so: the names are the same
    std::string where;
};

/// What the map says about a variable that has no partner.
struct Lonely {
    VariablePart part;
    MapRow row;
};

/// How one unit stands for another.
struct Adapter {
    std::vector<Partner> partners;
    std::vector<Lonely> old_without, new_without;

    [[nodiscard]] const Lonely* said_of_old(std::uint32_t variable) const;
    [[nodiscard]] const Lonely* said_of_new(std::uint32_t variable) const;
    [[nodiscard]] bool keeps_old_unit() const;
};

/// Names become variables; variables of equal names and causalities that no row names are partners. Reports unknown and
/// doubled names, directions that do not fit and units that cannot be converted.
[[nodiscard]] Adapter make_adapter(std::span<const MapRow> rows, const AdaptedUnit& before, const AdaptedUnit& after,
                                   base::Diagnostics& diagnostics);

/// "y", "y[2,1]".
[[nodiscard]] std::string name_of(const core::UnitInfo& info, const VariablePart& part);

/// What the unit of measure of a variable is: its FMU's definition, or only a name.
[[nodiscard]] core::PhysicalUnit unit_of_measure(const core::UnitInfo& info, const core::Variable& variable);

/// The value of a variable's start with its unit, for messages; "0" where none is stated.
[[nodiscard]] std::string start_text(const core::Variable& variable);

}  // namespace master::build
