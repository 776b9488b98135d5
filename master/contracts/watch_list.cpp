#include "master/contracts/watch_list.hpp"

#include "master/base/error.hpp"
#include "master/contracts/read_interface.hpp"

#include <algorithm>
#include <deque>
#include <fmt/format.h>
#include <map>

namespace master::contracts {
namespace {

bool is_watched(const ssp::Contract& contract) {
    return contract.minimum || contract.maximum || contract.rate || contract.resolution || contract.period ||
           contract.maximal_age;
}

/// A variable of a system by its name there.
struct Place {
    std::uint32_t unit = 0;
    const core::Variable* variable = nullptr;
};

std::optional<Place> find_variable(const build::Parts& parts, const std::string& name) {
    const bool single = parts.components.size() == 1;
    for (std::uint32_t i = 0; i < parts.components.size(); ++i) {
        const core::UnitInfo* info = parts.components[i].info;
        if (info == nullptr) continue;
        const std::string prefix = parts.plan.units[i].name + ".";
        for (const core::Variable& variable : info->variables)
            if (prefix + variable.name == name || (single && variable.name == name)) return Place{i, &variable};
    }
    return std::nullopt;
}

core::PhysicalUnit unit_of(const core::UnitInfo& info, const core::Variable& variable) {
    const auto found = std::ranges::find(info.units, variable.unit, &core::PhysicalUnit::name);
    return found == info.units.end() ? core::PhysicalUnit{.name = variable.unit, .exponents = {}} : *found;
}

/// The shortest way over connections from one unit to another, both included; empty where there is none.
std::vector<std::uint32_t> chain_between(const core::Plan& plan, std::uint32_t from, std::uint32_t to) {
    std::map<std::uint32_t, std::uint32_t> reached_from{{from, from}};
    std::deque<std::uint32_t> open{from};
    while (!open.empty() && !reached_from.contains(to)) {
        const std::uint32_t unit = open.front();
        open.pop_front();
        for (const core::PlannedWire& wire : plan.wires)
            if (wire.from.unit == unit && wire.to.unit != core::Endpoint::boundary &&
                reached_from.try_emplace(wire.to.unit, unit).second)
                open.push_back(wire.to.unit);
    }
    if (!reached_from.contains(to)) return {};
    std::vector<std::uint32_t> chain{to};
    while (chain.back() != from) chain.push_back(reached_from[chain.back()]);
    std::ranges::reverse(chain);
    return chain;
}

void find_chain(Watched& signal, const build::Parts& parts, const Place& place) {
    const std::optional<Place> source = find_variable(parts, signal.contract.age_from);
    if (!source)
        throw base::Error(
            "unknown-name", signal.contract.where,
            fmt::format("ageFrom names '{}', which is no variable of the system", signal.contract.age_from));
    signal.chain = chain_between(parts.plan, source->unit, place.unit);
    signal.input = place.variable->causality == core::Causality::input;
    if (signal.chain.empty())
        throw base::Error(
            "unknown-name", signal.contract.where,
            fmt::format("no connection leads from '{}' to '{}'", signal.contract.age_from, signal.subject));
}

}  // namespace

WatchList::WatchList(const std::filesystem::path& specification, bool single_unit, base::Diagnostics& diagnostics) {
    const Interface interface = read_interface(specification, diagnostics);
    for (const Element& element : interface.elements) {
        const bool bare = element.name.empty() || interface.form == Interface::Form::bus || single_unit;
        for (const Entry& entry : element.entries) {
            if (!is_watched(entry.contract) || (entry.implemented && entry.contract.where.empty())) continue;
            const std::string name = bare ? entry.name : element.name + "." + entry.name;
            using Use = build::SignalRequest::Use;
            signals_.push_back({.subject = name,
                                .contract = entry.contract,
                                .unit = entry.unit,
                                .request = {.use = entry.dimensions.empty() ? Use::watch : Use::observe,
                                            .name = name,
                                            .where = entry.where},
                                .where = entry.contract.where.empty() ? entry.where : entry.contract.where});
        }
    }
    if (signals_.empty())
        throw base::Error(
            "other-interface", specification.string(),
            "it promises nothing that a run can show: no Contract with min, max, rate, resolution, period "
            "or maximalAge");
}

std::vector<build::SignalRequest*> WatchList::requests() {
    std::vector<build::SignalRequest*> requests;
    for (Watched& signal : signals_) requests.push_back(&signal.request);
    return requests;
}

void WatchList::resolve(const build::Simulation& simulation) {
    const build::Parts& parts = simulation.parts;
    for (Watched& signal : signals_) {
        const build::LocatedSignal* located = signal.request.signal();
        if (located == nullptr)
            throw base::Error("unknown-name", signal.where,
                              fmt::format("'{}' is no variable of the system", signal.subject));
        if (!core::is_number(located->first.type))
            throw base::Error("type-mismatch", signal.where,
                              fmt::format("'{}' of the system is no number, expected one: nothing else can be watched",
                                          signal.subject));
        // Small steps of the master are below what the signal can do.
        signal.period = simulation.timing.hyperperiod;
        const std::optional<Place> place = find_variable(parts, signal.subject);
        core::PhysicalUnit found;
        if (place) {
            found = unit_of(*parts.components[place->unit].info, *place->variable);
            signal.period = simulation.timing.periods[place->unit];
        } else {
            const auto& boundary = parts.description.boundary;
            const auto port = std::ranges::find(boundary, signal.subject, &ssp::Connector::name);
            if (port != boundary.end() && port->unit) found = *port->unit;
            signal.period = *std::ranges::min_element(simulation.timing.periods);
        }
        if (simulation.method->name == "variable-step") signal.period = {0};
        const build::UnitConversion conversion = build::convert({found}, {signal.unit.value_or(found)});
        using Outcome = build::UnitConversion::Outcome;
        if (conversion.outcome == Outcome::refused || conversion.outcome == Outcome::doubtful)
            throw base::Error(
                "unit-mismatch", signal.where,
                fmt::format("'{}' of the system cannot be held against it: {}", signal.subject, conversion.text));
        signal.scale = build::Scale{located->gain, located->offset}.then(conversion.scale);
        if (signal.contract.age_from.empty()) continue;
        if (!place)
            throw base::Error("unknown-name", signal.where,
                              "ageFrom stands at a connector of the system, expected a component's");
        find_chain(signal, parts, *place);
    }
}

}  // namespace master::contracts
