#include "master/build/resolve/names.hpp"

#include "master/base/xml/values.hpp"

#include <algorithm>

namespace master::build {
namespace {

std::string with_indices(const std::string& name, const std::vector<std::uint64_t>& indices) {
    std::string text = name + "[";
    for (std::size_t i = 0; i < indices.size(); ++i) text += (i == 0 ? "" : ",") + std::to_string(indices[i]);
    return text + "]";
}

/// Leading indices choose a contiguous part, since arrays are stored row by row.
std::optional<Part> narrowed(const core::Variable& variable, std::uint32_t index,
                             const std::vector<std::uint64_t>& indices) {
    if (indices.size() > variable.dimensions.size()) return std::nullopt;
    std::uint64_t element = 0;
    std::uint64_t count = variable.size;
    for (std::size_t i = 0; i < indices.size(); ++i) {
        const std::uint64_t extent = variable.dimensions[i];
        if (indices[i] == 0 || indices[i] > extent) return std::nullopt;
        count /= extent;
        element += (indices[i] - 1) * count;
    }
    return Part{
        .variable = index, .element = static_cast<std::uint32_t>(element), .count = static_cast<std::uint32_t>(count)};
}

std::string dimensions_text(const core::Variable& variable) {
    if (variable.dimensions.empty()) return "no array";
    std::string text;
    for (const std::uint64_t extent : variable.dimensions) text += (text.empty() ? "" : " x ") + std::to_string(extent);
    return "an array of " + text;
}

}  // namespace

std::optional<Indexed> split_indices(std::string_view name) {
    const auto open = name.rfind('[');
    if (!name.ends_with(']') || open == std::string_view::npos || open == 0) return std::nullopt;
    Indexed result{.name = name.substr(0, open), .indices = {}};
    std::string_view rest = name.substr(open + 1, name.size() - open - 2);
    while (true) {
        const auto comma = rest.find(',');
        const std::optional<std::uint64_t> index = base::parse_natural(rest.substr(0, comma));
        if (!index || *index == 0) return std::nullopt;
        result.indices.push_back(*index);
        if (comma == std::string_view::npos) return result;
        rest = rest.substr(comma + 1);
    }
}

VariableNames::VariableNames(const core::UnitInfo& info) : info_(info) {
    by_name_.reserve(info.variables.size());
    for (std::uint32_t i = 0; i < info.variables.size(); ++i) by_name_.try_emplace(info.variables[i].name, i);
    for (std::uint32_t i = 0; i < info.variables.size(); ++i)
        for (const std::string& alias : info.variables[i].alias_names) by_name_.try_emplace(alias, i);
}

std::optional<std::uint32_t> VariableNames::find(std::string_view name) const {
    const auto found = by_name_.find(name);
    if (found == by_name_.end()) return std::nullopt;
    return found->second;
}

std::string VariableNames::hint(std::string_view name) const {
    std::vector<std::string> names;
    names.reserve(info_.variables.size());
    for (const core::Variable& variable : info_.variables) names.push_back(variable.name);
    return base::did_you_mean(name, names);
}

Directory::Directory(const ssp::Description& description, std::span<const core::UnitInfo* const> infos)
    : description_(description), infos_(infos.begin(), infos.end()) {
    for (const core::UnitInfo* info : infos_) {
        std::unique_ptr<VariableNames>& names = all_names_[info];
        if (info != nullptr && names == nullptr) names = std::make_unique<VariableNames>(*info);
        names_.push_back(names.get());
    }
    for (std::uint32_t i = 0; i < description.components.size(); ++i)
        component_of_.emplace(description.components[i].name, i);
}

std::optional<std::uint32_t> Directory::find_component(std::string_view name) const {
    const auto found = component_of_.find(name);
    if (found == component_of_.end()) return std::nullopt;
    return found->second;
}

std::vector<std::string> Directory::component_names() const {
    std::vector<std::string> names;
    names.reserve(description_.components.size());
    for (const ssp::Component& component : description_.components) names.push_back(component.name);
    return names;
}

std::optional<Part> Directory::find(const ssp::Terminal& terminal, const std::string& where,
                                    base::Diagnostics& diagnostics) const {
    const core::UnitInfo& info = *infos_[terminal.component];
    const VariableNames& names = *names_[terminal.component];
    std::vector<std::uint64_t> indices = terminal.indices;
    std::optional<std::uint32_t> index = names.find(terminal.connector);
    if (!index && !indices.empty()) {
        index = names.find(with_indices(terminal.connector, indices));
        if (index) indices.clear();
    }
    if (const std::optional<Indexed> split = index ? std::nullopt : split_indices(terminal.connector)) {
        index = names.find(split->name);
        indices.insert(indices.begin(), split->indices.begin(), split->indices.end());
    }
    const std::string& component = description_.components[terminal.component].name;
    if (!index) {
        diagnostics.error("unknown-name", where,
                          "no variable '" + terminal.connector + "' in component '" + component + "'" +
                              names.hint(terminal.connector));
        return std::nullopt;
    }
    const core::Variable& variable = info.variables[*index];
    const std::optional<Part> part = narrowed(variable, *index, indices);
    if (!part)
        diagnostics.error("bad-value", where,
                          "'" + with_indices(component + "." + variable.name, indices) + "' does not exist; '" +
                              variable.name + "' is " + dimensions_text(variable));
    return part;
}

core::PhysicalUnit Directory::defined(std::uint32_t component, const core::PhysicalUnit& unit) const {
    if (unit.exponents) return unit;
    for (const auto* units : {&infos_[component]->units, &description_.units}) {
        const auto found = std::ranges::find(*units, unit.name, &core::PhysicalUnit::name);
        if (found != units->end() && found->exponents) return *found;
    }
    return unit;
}

UsedUnit Directory::unit_of(std::uint32_t component, std::uint32_t variable, const ssp::Connector* connector) const {
    const core::Variable& described = infos_[component]->variables[variable];
    UsedUnit used{.unit = defined(component, {.name = described.unit, .exponents = {}}),
                  .relative = described.relative_quantity};
    if (used.unit.exponents || connector == nullptr || !connector->unit) return used;
    // The file may define a name that the FMU only uses; a name that everybody knows is not replaced by another one.
    if (connector->unit->name == described.unit || !understood(used.unit))
        used.unit = defined(component, *connector->unit);
    return used;
}

const core::Enumeration* Directory::enumeration_of(std::uint32_t component, std::uint32_t variable,
                                                   const ssp::Connector* connector) const {
    const core::UnitInfo& info = *infos_[component];
    const auto found =
        std::ranges::find(info.enumerations, info.variables[variable].enumeration, &core::Enumeration::name);
    if (found != info.enumerations.end()) return &*found;
    if (connector != nullptr && connector->enumeration && !connector->enumeration->items.empty())
        return &*connector->enumeration;
    return nullptr;
}

std::string Directory::label(std::uint32_t component, const Part& part) const {
    const core::Variable& variable = infos_[component]->variables[part.variable];
    std::string text = description_.components[component].name + "." + variable.name;
    if (variable.dimensions.empty() || part.count == variable.size) return text;
    std::vector<std::uint64_t> indices;
    std::uint64_t below = variable.size;
    std::uint64_t rest = part.element;
    for (const std::uint64_t extent : variable.dimensions) {
        below /= std::max<std::uint64_t>(extent, 1);
        if (below < part.count) break;
        indices.push_back(rest / below + 1);
        rest %= below;
    }
    return with_indices(text, indices);
}

std::uint32_t canonical(const core::UnitInfo& info, std::uint32_t variable) {
    const std::uint32_t alias = info.variables[variable].alias_of;
    return alias == core::Variable::no_alias ? variable : alias;
}

}  // namespace master::build
