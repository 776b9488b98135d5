#include "master/build/requests/record_selection.hpp"

#include "master/base/patterns.hpp"
#include "master/build/physical_units.hpp"
#include "master/build/requests/locate.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace master::build {
namespace {

constexpr std::size_t largest_recorded_array = 16;

std::string element_name(const std::string& base, const core::Variable& variable, std::size_t element) {
    if (variable.dimensions.empty()) return base;
    std::string indices;
    for (std::size_t d = variable.dimensions.size(); d-- > 0;) {
        const std::uint64_t extent = std::max<std::uint64_t>(1, variable.dimensions[d]);
        indices.insert(0, fmt::format("{}{}", element % extent + 1, indices.empty() ? "" : ","));
        element /= extent;
    }
    return base + "[" + indices + "]";
}

bool is_fixed(const core::Variable& variable) {
    return variable.variability == core::Variability::constant || variable.variability == core::Variability::fixed ||
           variable.variability == core::Variability::tunable;
}

/// As a double, and whether that is another one.
struct Number {
    double value = 0;
    bool rounded = false;
};

/// None for what is no number.
std::vector<Number> numbers_of(const core::Value& value) {
    std::vector<Number> numbers;
    std::visit(
        [&]<class Element>(const std::vector<Element>& elements) {
            if constexpr (std::is_arithmetic_v<Element>) {
                for (const Element element : elements) {
                    const auto number = static_cast<double>(element);
                    // A long double holds all integers of 64 bits.
                    const bool rounded = std::is_integral_v<Element> &&
                                         static_cast<long double>(number) != static_cast<long double>(element);
                    numbers.push_back({number, rounded});
                }
            }
        },
        value);
    return numbers;
}

}  // namespace

results::ShownUnit shown_unit(const core::UnitInfo& info, const core::Variable& variable) {
    if (variable.display_unit.empty() || variable.display_unit == variable.unit) return {};
    const auto own = std::ranges::find(info.units, variable.unit, &core::PhysicalUnit::name);
    if (own != info.units.end()) {
        const auto defined = std::ranges::find(own->displays, variable.display_unit, &core::DisplayUnit::name);
        if (defined != own->displays.end())
            return {.name = defined->name,
                    .gain = defined->factor,
                    .offset = variable.relative_quantity ? 0 : defined->offset};
    }
    const core::PhysicalUnit unit =
        own != info.units.end() ? *own : core::PhysicalUnit{.name = variable.unit, .exponents = {}};
    const UnitConversion conversion =
        convert({unit, variable.relative_quantity},
                {core::PhysicalUnit{.name = variable.display_unit, .exponents = {}}, variable.relative_quantity});
    if (conversion.outcome != UnitConversion::Outcome::converted) return {};
    return {.name = variable.display_unit, .gain = conversion.scale.gain, .offset = conversion.scale.offset};
}

RecordSelection::RecordSelection(const Parts& parts, const BuildOptions& options)
    : parts_(parts), options_(options), single_(options.single_fmu()), connected_(parts.components.size()) {
    for (const core::PlannedWire& wire : parts.plan.wires) connected_[wire.to.unit].insert(wire.to.variable);
    options.record.empty() ? select_default() : select_patterns();
}

std::vector<std::vector<std::uint32_t>> RecordSelection::variables() const {
    std::vector<std::vector<std::uint32_t>> result(parts_.components.size());
    for (const auto& [unit, variable] : chosen_) {
        if (!connected_[unit].contains(variable)) result[unit].push_back(variable);
    }
    return result;
}

std::vector<results::Column> RecordSelection::columns(core::System& system) const {
    std::vector<results::Column> result;
    for (const auto& [unit, variable] : chosen_) {
        const core::Node& node = system.nodes()[unit];
        const core::Variable& v = parts_.components[unit].info->variables[variable];
        const core::SignalRef first =
            connected_[unit].contains(variable) ? *input_signal(node, variable) : *output_signal(node, variable);
        for (std::uint32_t i = 0; i < v.size; ++i) {
            result.push_back({.name = element_name(name(unit, v), v, i),
                              .unit = unit_name(unit, v),
                              .description = v.description,
                              .signal = first.element(i),
                              .fixed = is_fixed(v),
                              .shown = shown_unit(*parts_.components[unit].info, v)});
        }
    }
    return result;
}

std::vector<results::Constant> RecordSelection::constants() const {
    std::vector<results::Constant> result;
    for (std::size_t unit = 0; unit < parts_.components.size(); ++unit) {
        for (const core::EffectiveValue& given : parts_.plan.units[unit].effective) {
            const core::Variable& v = parts_.components[unit].info->variables[given.variable];
            const std::vector<Number> numbers = numbers_of(given.value);
            if (numbers.size() > largest_recorded_array) continue;
            for (std::size_t i = 0; i < numbers.size(); ++i)
                result.push_back({.name = element_name(name(unit, v), v, i),
                                  .unit = unit_name(unit, v),
                                  .description = v.description,
                                  .value = numbers[i].value,
                                  .rounded = numbers[i].rounded});
        }
    }
    return result;
}

/// Where the FMU states none, the system's file may.
std::string RecordSelection::unit_name(std::size_t unit, const core::Variable& variable) const {
    if (!variable.unit.empty()) return variable.unit;
    const ssp::Connector* connector = parts_.description.components[unit].connectors.find(variable.name);
    return connector != nullptr && connector->unit ? connector->unit->name : std::string{};
}

std::string RecordSelection::name(std::size_t unit, const core::Variable& variable) const {
    return single_ && unit == 0 ? variable.name : parts_.plan.units[unit].name + "." + variable.name;
}

void RecordSelection::select_default() {
    for (std::uint32_t unit = 0; unit < parts_.components.size(); ++unit) {
        if (parts_.components[unit].table && single_) continue;
        const auto& variables = parts_.components[unit].info->variables;
        for (std::uint32_t v = 0; v < variables.size(); ++v) {
            const core::Variable& variable = variables[v];
            if (variable.size > largest_recorded_array) continue;
            if (variable.type == core::Type::bytes || variable.type == core::Type::clock) continue;
            const auto wished = [&](const std::string& pattern) {
                return base::matches(pattern, name(unit, variable));
            };
            if (variable.causality != core::Causality::output && std::ranges::none_of(options_.also_record, wished))
                continue;
            chosen_.emplace_back(unit, v);
        }
    }
}

void RecordSelection::select_patterns() {
    std::vector<std::string> names;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> candidates;
    for (std::uint32_t unit = 0; unit < parts_.components.size(); ++unit) {
        const auto& variables = parts_.components[unit].info->variables;
        for (std::uint32_t v = 0; v < variables.size(); ++v) {
            if (variables[v].type == core::Type::clock || variables[v].causality == core::Causality::independent)
                continue;
            names.push_back(name(unit, variables[v]));
            candidates.emplace_back(unit, v);
        }
    }
    for (const std::size_t index : base::select(names, options_.record)) chosen_.push_back(candidates[index]);
}

}  // namespace master::build
