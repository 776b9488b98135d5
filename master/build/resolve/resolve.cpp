#include "master/build/resolve/resolve.hpp"

#include "master/build/resolve/connections.hpp"
#include "master/build/resolve/fit.hpp"
#include "master/build/resolve/names.hpp"
#include "master/build/resolve/values.hpp"

#include <algorithm>
#include <cassert>

namespace master::build {
namespace {

void add_units(const ssp::Description& description, core::Plan& plan) {
    for (const ssp::Component& component : description.components) {
        core::PlannedUnit unit;
        unit.name = component.name;
        unit.step = component.step;
        unit.step_origin = component.step_origin;
        plan.units.push_back(std::move(unit));
    }
}

void check_time(const std::string& text, const std::string& where, base::Diagnostics& diagnostics) {
    if (!text.empty() && !base::exact_fraction(text))
        diagnostics.error("bad-value", where, "'" + text + "' is no time that can be kept exactly");
}

void resolve_order(const ssp::Description& description, const Directory& directory, core::Plan& plan,
                   base::Diagnostics& diagnostics) {
    for (const std::string& name : description.order) {
        const std::optional<std::uint32_t> component = directory.find_component(name);
        if (!component) {
            diagnostics.error(
                "unknown-name", description.order_where,
                "no component '" + name + "' to put in order" + base::did_you_mean(name, directory.component_names()));
            continue;
        }
        if (std::ranges::find(plan.order, *component) != plan.order.end()) {
            diagnostics.error("bad-value", description.order_where,
                              "component '" + name + "' stands twice in the order");
            continue;
        }
        plan.order.push_back(*component);
    }
    const bool incomplete = !description.order.empty() && description.order.size() != description.components.size();
    if (!incomplete) return;
    for (std::uint32_t i = 0; i < description.components.size(); ++i)
        if (std::ranges::find(plan.order, i) == plan.order.end())
            diagnostics.error("bad-value", description.order_where,
                              "component '" + description.components[i].name + "' is missing in the order");
}

void refuse_without_implementation(const ssp::Description& description, UnitInfos infos,
                                   base::Diagnostics& diagnostics) {
    for (std::size_t i = 0; i < infos.size(); ++i)
        if (infos[i] == nullptr)
            diagnostics.error("no-implementation", description.components[i].where,
                              "component '" + description.components[i].name + "' has no source and cannot be run");
}

}  // namespace

std::vector<core::Values> structural_values(const ssp::Description& description, UnitInfos infos,
                                            const ResolveOptions& options, base::Diagnostics& diagnostics) {
    assert(infos.size() == description.components.size());
    // Array sizes are not final yet, so that only structural parameters are looked at.
    ssp::Description structural;
    for (const ssp::Component& component : description.components) structural.components.push_back(component);
    const Directory directory(description, infos);
    const auto is_structural = [&](std::uint32_t component, std::string_view name) {
        if (infos[component] == nullptr) return false;
        const std::optional<std::uint32_t> index = directory.names(component).find(name);
        return index && infos[component]->variables[*index].causality == core::Causality::structural_parameter;
    };
    for (std::uint32_t i = 0; i < structural.components.size(); ++i)
        std::erase_if(structural.components[i].parameters,
                      [&](const ssp::Parameter& parameter) { return !is_structural(i, parameter.name); });
    std::ranges::copy_if(
        description.connections, std::back_inserter(structural.connections), [&](const ssp::Connection& connection) {
            const auto [from, to] = std::pair(connection.from.component, connection.to.component);
            return from == ssp::Terminal::boundary && to != from && is_structural(to, connection.to.connector);
        });
    std::ranges::copy_if(description.boundary, std::back_inserter(structural.boundary),
                         [&](const ssp::Connector& connector) {
                             return std::ranges::any_of(structural.connections, [&](const ssp::Connection& connection) {
                                 return connection.from.connector == connector.name;
                             });
                         });
    std::vector<std::string> set = options.set;
    std::erase_if(set, [&](const std::string& assignment) {
        const std::string name = assignment.substr(0, assignment.find('='));
        if (std::ranges::find(structural.boundary, name, &ssp::Connector::name) != structural.boundary.end())
            return false;
        for (std::uint32_t i = 0; i < structural.components.size(); ++i) {
            const std::string& component = structural.components[i].name;
            if (name.starts_with(component + ".") &&
                is_structural(i, std::string_view(name).substr(component.size() + 1)))
                return false;
        }
        return structural.components.size() != 1 || !is_structural(0, name);
    });
    core::Plan plan;
    add_units(structural, plan);
    resolve_values(structural, directory, set, plan, diagnostics);
    std::vector<core::Values> values;
    values.reserve(plan.units.size());
    for (core::PlannedUnit& unit : plan.units) values.push_back(std::move(unit.structural));
    return values;
}

core::Plan resolve(const ssp::Description& description, UnitInfos infos, const ResolveOptions& options,
                   base::Diagnostics& diagnostics) {
    assert(infos.size() == description.components.size());
    const Directory directory(description, infos);
    core::Plan plan;
    plan.name = description.name;
    plan.algorithm = description.algorithm;
    plan.tolerance = description.tolerance;
    check_time(description.start, description.experiment_where, diagnostics);
    check_time(description.stop, description.experiment_where, diagnostics);
    if (options.to_run) refuse_without_implementation(description, infos, diagnostics);
    add_units(description, plan);
    resolve_order(description, directory, plan, diagnostics);
    resolve_values(description, directory, options.set, plan, diagnostics);
    resolve_connections(description, directory, plan, diagnostics);
    check_fit(description, directory, options.driven, plan, diagnostics);
    return plan;
}

}  // namespace master::build
