#include "master/core/value_text.hpp"
#include "master/fmi/description/reader.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <unordered_set>

namespace master::fmi {
namespace {

bool is_parameter(core::Causality causality) {
    return causality == core::Causality::structural_parameter || causality == core::Causality::parameter ||
           causality == core::Causality::calculated_parameter;
}

enum class Verdict { legal, harmless, unusable };

/// FMI 2.0.4 and FMI 3.0.1, tables of causality and variability: which pairs exist, and which of the others can still
/// be run rightly because reading them is all that is ever done.
Verdict verdict(core::Causality causality, core::Variability variability) {
    const bool changes = variability == core::Variability::discrete || variability == core::Variability::continuous;
    if (is_parameter(causality)) {
        if (variability == core::Variability::constant) return Verdict::harmless;
        return changes ? Verdict::unusable : Verdict::legal;
    }
    switch (causality) {
        case core::Causality::input:
            return changes ? Verdict::legal : Verdict::unusable;
        case core::Causality::output:
            return changes || variability == core::Variability::constant ? Verdict::legal : Verdict::harmless;
        case core::Causality::independent:
            return variability == core::Variability::continuous ? Verdict::legal : Verdict::harmless;
        default:
            return Verdict::legal;
    }
}

/// Parameters and whatever is no real number cannot be continuous, which FMI 2 has as its default for everything.
core::Variability default_variability(const core::Variable& variable) {
    if (is_parameter(variable.causality)) return core::Variability::fixed;
    if (variable.type == core::Type::real) return core::Variability::continuous;
    return core::Variability::discrete;
}

core::Initial default_initial(const DescriptionReader& reader, const core::Variable& variable) {
    if (variable.type == core::Type::clock) return core::Initial::none;
    switch (variable.causality) {
        case core::Causality::structural_parameter:
        case core::Causality::parameter:
            return core::Initial::exact;
        case core::Causality::calculated_parameter:
            return core::Initial::calculated;
        case core::Causality::input:
            return reader.is_fmi3() ? core::Initial::exact : core::Initial::none;
        case core::Causality::output:
        case core::Causality::local:
            return variable.variability == core::Variability::constant ? core::Initial::exact
                                                                       : core::Initial::calculated;
        case core::Causality::independent:
            return core::Initial::none;
    }
    return core::Initial::none;
}

bool is_allowed(const DescriptionReader& reader, const core::Variable& variable, core::Initial initial) {
    const core::Initial usual = default_initial(reader, variable);
    if (initial == usual) return true;
    if (usual != core::Initial::calculated) return false;  // those have no choice
    const bool computed_once =
        variable.variability == core::Variability::fixed || variable.variability == core::Variability::tunable;
    return !(initial == core::Initial::exact && computed_once);
}

void apply_variability(DescriptionReader& reader, pugi::xml_node node, const Written& written,
                       core::Variable& variable) {
    variable.variability = written.variability.value_or(default_variability(variable));
    if (!written.variability && !reader.is_fmi3() && is_parameter(variable.causality)) {
        reader.remarks.deviation("missing-variability", node,
                                 "variable '" + variable.name + "' is a " + core::name_of(variable.causality) +
                                     " without variability; fixed is assumed");
    }
    if (variable.variability == core::Variability::continuous && variable.type != core::Type::real &&
        !is_parameter(variable.causality)) {
        reader.remarks.deviation(
            "variability", node,
            "variable '" + variable.name + "' is continuous and " + variable.declared_type + "; discrete is assumed");
        variable.variability = core::Variability::discrete;
    }
    const Verdict found = verdict(variable.causality, variable.variability);
    if (found == Verdict::legal) return;
    const std::string pair = "variable '" + variable.name + "' has causality " + core::name_of(variable.causality) +
                             " and variability " + core::name_of(variable.variability);
    if (found == Verdict::harmless) {
        reader.remarks.deviation("causality-variability", node, pair + ", which is no pair of FMI");
        return;
    }
    reader.remarks.error(
        "causality-variability", node,
        pair + ", which cannot be run; expected " +
            (variable.causality == core::Causality::input ? "discrete or continuous" : "fixed or tunable"));
}

core::Initial effective_initial(DescriptionReader& reader, pugi::xml_node node, const Written& written,
                                const core::Variable& variable) {
    const core::Initial usual = default_initial(reader, variable);
    if (written.initial && is_allowed(reader, variable, *written.initial)) return *written.initial;
    if (written.initial) {
        reader.remarks.deviation("initial", node,
                                 "variable '" + variable.name + "' has initial '" + core::name_of(*written.initial) +
                                     "', which a " + core::name_of(variable.variability) + " " +
                                     core::name_of(variable.causality) + " cannot have; " + core::name_of(usual) +
                                     " is used");
        return usual;
    }
    if (!variable.start || !is_allowed(reader, variable, core::Initial::approx)) return usual;
    // Settable before initialisation, but not during it: the choice that no unit can object to.
    reader.remarks.deviation("missing-initial", node,
                             "variable '" + variable.name + "' has a start value but no initial; approx is assumed");
    return core::Initial::approx;
}

void apply_initial(DescriptionReader& reader, pugi::xml_node node, const Written& written, core::Variable& variable) {
    variable.initial = effective_initial(reader, node, written, variable);
    const bool independent = variable.causality == core::Causality::independent;
    if (!variable.start || !(independent || variable.initial == core::Initial::calculated)) return;
    reader.remarks.deviation("start-not-allowed", node,
                             "variable '" + variable.name + "' is " + (independent ? "independent" : "calculated") +
                                 " and has a start value, which is ignored");
    variable.start.reset();
}

bool needs_start(const core::Variable& variable) {
    if (variable.type == core::Type::clock || variable.alias_of != core::Variable::no_alias) return false;
    return variable.causality == core::Causality::input || variable.initial == core::Initial::exact ||
           variable.initial == core::Initial::approx;
}

void check_limits(DescriptionReader& reader, pugi::xml_node node, const core::Variable& variable) {
    const double lowest = variable.minimum.value_or(-INFINITY);
    const double highest = variable.maximum.value_or(INFINITY);
    if (lowest > highest) {
        reader.remarks.deviation("limits", node, "variable '" + variable.name + "' has a min above its max");
        return;
    }
    const auto outside = [&](const auto& elements) {
        using Element = typename std::remove_cvref_t<decltype(elements)>::value_type;
        if constexpr (std::is_arithmetic_v<Element>) {
            return std::ranges::any_of(elements, [&](Element element) {
                return static_cast<double>(element) < lowest || static_cast<double>(element) > highest;
            });
        }
        return false;
    };
    if (!variable.start || (!variable.minimum && !variable.maximum)) return;
    if (std::visit(outside, *variable.start)) {
        reader.remarks.deviation("limits", node,
                                 "variable '" + variable.name + "' has a start value outside its min and max");
    }
}

void check_enumeration(DescriptionReader& reader, pugi::xml_node node, const core::Variable& variable,
                       const std::map<std::string_view, std::set<std::int64_t>>& items) {
    const auto known = items.find(variable.enumeration);
    const auto* values = std::get_if<std::vector<std::int64_t>>(&*variable.start);
    if (known == items.end() || values == nullptr) return;
    for (const std::int64_t value : *values) {
        if (known->second.contains(value)) continue;
        reader.remarks.deviation("enumeration-item", node,
                                 "variable '" + variable.name + "' starts with " + std::to_string(value) +
                                     ", which is no item of enumeration '" + variable.enumeration + "'");
        return;
    }
}

}  // namespace

void apply_rules(DescriptionReader& reader, pugi::xml_node node, const Written& written, core::Variable& variable) {
    apply_variability(reader, node, written, variable);
    apply_initial(reader, node, written, variable);
    variable.can_set_during_run =
        variable.causality == core::Causality::input ||
        (variable.causality == core::Causality::parameter && variable.variability == core::Variability::tunable);
}

void check_units_and_limits(DescriptionReader& reader) {
    std::vector<std::string> units;
    units.reserve(reader.result.info.units.size());
    for (const core::PhysicalUnit& unit : reader.result.info.units) units.push_back(unit.name);
    std::unordered_set<std::string_view> known(units.begin(), units.end());
    std::map<std::string_view, std::set<std::int64_t>> items;
    for (const core::Enumeration& enumeration : reader.result.info.enumerations) {
        for (const auto& item : enumeration.items) items[enumeration.name].insert(item.second);
    }
    for (std::size_t i = 0; i < reader.variables().size(); ++i) {
        const core::Variable& variable = reader.variables()[i];
        const pugi::xml_node node = reader.nodes[i];
        if (!variable.unit.empty() && known.insert(variable.unit).second) {
            reader.remarks.deviation("unit-undefined", node,
                                     "unit '" + variable.unit + "' of '" + variable.name +
                                         "' is not defined in this file and is taken as free text" +
                                         base::did_you_mean(variable.unit, units));
        }
        if (!variable.start && needs_start(variable)) {
            reader.remarks.deviation(
                "missing-start", node,
                "variable '" + variable.name + "' has no start value, although it is " +
                    (variable.causality == core::Causality::input ? "an input"
                                                                  : "initial " + core::name_of(variable.initial)));
        }
        check_limits(reader, node, variable);
        if (variable.start && !variable.enumeration.empty()) check_enumeration(reader, node, variable, items);
    }
}

}  // namespace master::fmi
