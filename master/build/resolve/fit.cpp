#include "master/build/resolve/fit.hpp"

#include "master/core/value_text.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>
#include <map>

namespace master::build {
namespace {

/// Names that the system uses for connectors of each component.
std::vector<std::set<std::string>> used_connectors(const ssp::Description& description) {
    std::vector<std::set<std::string>> used(description.components.size());
    for (std::size_t i = 0; i < used.size(); ++i)
        for (const ssp::Connector& connector : description.components[i].connectors) used[i].insert(connector.name);
    for (const ssp::Connection& connection : description.connections)
        for (const ssp::Terminal* end : {&connection.from, &connection.to})
            if (end->component != ssp::Terminal::boundary) used[end->component].insert(end->connector);
    return used;
}

std::string some_of(const std::set<std::string>& names) {
    constexpr std::size_t shown = 3;
    const auto last = std::next(names.begin(), static_cast<std::ptrdiff_t>(std::min(names.size(), shown)));
    return fmt::format("{}{}", fmt::join(names.begin(), last, ", "), names.size() > shown ? ", ..." : "");
}

void check_units(const ssp::Description& description, const Directory& directory, base::Diagnostics& diagnostics) {
    const std::vector<std::set<std::string>> used = used_connectors(description);
    for (std::uint32_t i = 0; i < used.size(); ++i) {
        if (directory.info(i) == nullptr || used[i].empty()) continue;
        const bool fits = std::ranges::any_of(used[i], [&](const std::string& name) {
            base::Diagnostics unused;
            return directory.find({.component = i, .connector = name, .indices = {}}, {}, unused).has_value();
        });
        if (fits) continue;
        const ssp::Component& component = description.components[i];
        diagnostics.error(
            "unknown-name", component.where,
            fmt::format("none of the connectors of component '{}' ({}) is a variable of its unit '{}' "
                        "({}): is it the right one?",
                        component.name, some_of(used[i]), directory.info(i)->model_name, component.shown));
    }
}

/// "adjust.force" and "boom.force" end alike; a name without a part before it says nothing.
std::string last_part(const std::string& name) {
    const auto dot = name.rfind('.');
    return dot == std::string::npos ? std::string{} : name.substr(dot + 1);
}

/// Inputs of one component that nothing drives, beside connected ones of the same kind.
class ForgottenInputs {
public:
    ForgottenInputs(const core::UnitInfo& info, const core::PlannedUnit& unit) : info_(info), unit_(unit) {}

    void connected(std::uint32_t variable) {
        connected_.try_emplace(kind(variable), info_.variables[variable].name);
        driven_.insert(variable);
    }
    void free(std::uint32_t variable) {
        if (std::ranges::none_of(unit_.start, [&](const auto& given) { return given.variable == variable; }))
            free_.push_back(variable);
    }

    void report(const std::string& where, base::Diagnostics& diagnostics) const {
        std::string names, beside;
        for (const std::uint32_t index : free_) {
            const core::Variable& variable = info_.variables[index];
            const auto same = connected_.find(kind(index));
            const bool partly =
                same != connected_.end() && same->second == variable.name;  // other elements of an array
            if (same == connected_.end() || partly || last_part(variable.name).empty() || never_ticks(index)) continue;
            const std::string held = variable.start ? core::value_text(*variable.start) : "its default";
            names += fmt::format("{}'{}.{}' (holds {}{}{})", names.empty() ? "" : ", ", unit_.name, variable.name, held,
                                 variable.unit.empty() ? "" : " ", variable.unit);
            if (beside.empty()) beside = same->second;
        }
        if (!names.empty())
            diagnostics.warn("unconnected", where,
                             fmt::format("not connected: {}, while '{}.{}' is; a value in a parameter set says that it "
                                         "is meant so",
                                         names, unit_.name, beside));
    }

private:
    using Kind = std::pair<std::string, std::string>;  // last part of the name, unit

    [[nodiscard]] Kind kind(std::uint32_t variable) const {
        return {last_part(info_.variables[variable].name), info_.variables[variable].unit};
    }

    /// A clock and its variables, none of them connected: a terminal with nobody there.
    [[nodiscard]] bool never_ticks(std::uint32_t index) const {
        const core::Variable& variable = info_.variables[index];
        if (variable.type == core::Type::clock)
            return std::ranges::none_of(driven_, [&](std::uint32_t other) {
                return std::ranges::count(info_.variables[other].clocks, index) > 0;
            });
        return !variable.clocks.empty() &&
               std::ranges::none_of(variable.clocks, [&](std::uint32_t clock) { return driven_.contains(clock); });
    }

    const core::UnitInfo& info_;
    const core::PlannedUnit& unit_;
    std::map<Kind, std::string> connected_;
    std::set<std::uint32_t> driven_;
    std::vector<std::uint32_t> free_;
};

/// What a table drives is chosen for one run; what a connector of the system leads to is left open on purpose.
void check_inputs(const ssp::Description& description, const Directory& directory, const std::set<std::string>& driven,
                  const core::Plan& plan, base::Diagnostics& diagnostics) {
    std::map<std::uint32_t, ForgottenInputs> inputs;
    for (const core::PlannedWire& wire : plan.wires) {
        const std::uint32_t unit = wire.to.unit;
        if (description.components[wire.from.unit].kind == ssp::ComponentKind::table) continue;
        inputs.try_emplace(unit, *directory.info(unit), plan.units[unit]).first->second.connected(wire.to.variable);
    }
    std::set<std::string> open = driven;
    for (const ssp::Connector& connector : description.boundary) open.insert(connector.name);
    for (const core::BoundaryPort& port : plan.boundary) {
        const auto unit = inputs.find(port.inner.unit);
        const bool free = port.input && !open.contains(port.name.substr(0, port.name.find('[')));
        if (free && unit != inputs.end()) unit->second.free(port.inner.variable);
    }
    for (const auto& [unit, found] : inputs) found.report(description.components[unit].where, diagnostics);
}

}  // namespace

void check_fit(const ssp::Description& description, const Directory& directory, const std::set<std::string>& driven,
               const core::Plan& plan, base::Diagnostics& diagnostics) {
    check_units(description, directory, diagnostics);
    check_inputs(description, directory, driven, plan, diagnostics);
}

}  // namespace master::build
