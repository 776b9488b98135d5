#include "master/contracts/watch_list.hpp"

#include "master/base/error.hpp"
#include "master/contracts/read_interface.hpp"

#include <algorithm>
#include <deque>
#include <fmt/format.h>
#include <limits>
#include <map>

namespace master::contracts {
namespace {

bool is_watched(const ssp::Contract& contract) {
    return contract.minimum || contract.maximum || contract.rate || contract.resolution || contract.period ||
           contract.maximal_age;
}

core::PhysicalUnit unit_of(const core::UnitInfo& info, const core::Variable& variable) {
    const auto found = std::ranges::find(info.units, variable.unit, &core::PhysicalUnit::name);
    return found == info.units.end() ? core::PhysicalUnit{.name = variable.unit, .exponents = {}} : *found;
}

/// The first wires of all ways from a variable on, then those behind them, until one ends where it is asked for: the
/// shortest way. In a unit everything may depend on everything.
std::vector<std::uint32_t> wires_between(const core::Plan& plan, const build::LocatedSignal& from,
                                         const build::LocatedSignal& to, const build::Parts& parts) {
    const auto is = [&](const core::Endpoint& end, const build::LocatedSignal& signal) {
        return end.unit == signal.unit && &parts.components[end.unit].info->variables[end.variable] == signal.variable;
    };
    const bool from_output = from.variable->causality == core::Causality::output;
    const bool to_input = to.variable->causality == core::Causality::input;
    constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
    std::map<std::uint32_t, std::uint32_t> before;  // of each wire
    std::deque<std::uint32_t> open;
    const auto reach = [&](std::uint32_t wire, std::uint32_t previous) {
        if (plan.wires[wire].to.unit != core::Endpoint::boundary && before.try_emplace(wire, previous).second)
            open.push_back(wire);
    };
    for (std::uint32_t i = 0; i < plan.wires.size(); ++i)
        if (from_output ? is(plan.wires[i].from, from) : plan.wires[i].from.unit == from.unit) reach(i, none);
    while (!open.empty()) {
        const std::uint32_t wire = open.front();
        open.pop_front();
        if (to_input ? is(plan.wires[wire].to, to) : plan.wires[wire].to.unit == to.unit) {
            std::vector<std::uint32_t> way{wire};
            while (before[way.back()] != none) way.push_back(before[way.back()]);
            std::ranges::reverse(way);
            return way;
        }
        for (std::uint32_t i = 0; i < plan.wires.size(); ++i)
            if (plan.wires[i].from.unit == plan.wires[wire].to.unit) reach(i, wire);
    }
    return {};
}

AgeChain chain_between(const build::LocatedSignal& from, const build::LocatedSignal& to,
                       const build::Simulation& simulation) {
    const core::Plan& plan = simulation.parts.plan;
    AgeChain chain{.links = {{.unit = from.unit, .gives = to.variable}},
                   .from_input = from.variable->causality == core::Causality::input,
                   .to_input = to.variable->causality == core::Causality::input,
                   .words = plan.units[from.unit].name};
    // From an input of a unit to what the same one makes there is no wire.
    if (from.unit == to.unit && from.variable->causality != core::Causality::output && !chain.to_input) return chain;
    const std::vector<std::uint32_t> wires = wires_between(plan, from, to, simulation.parts);
    if (wires.empty()) return {};
    for (const std::uint32_t i : wires) {
        const core::PlannedWire& wire = plan.wires[i];
        // A slow unit is given what there is when its step begins, whatever the order.
        const auto& periods = simulation.timing.periods;
        chain.links.back().gives = &simulation.parts.components[wire.from.unit].info->variables[wire.from.variable];
        chain.links.push_back({.unit = wire.to.unit,
                               .younger = simulation.system->couplings()[i].sender_first &&
                                          periods[wire.to.unit] <= periods[wire.from.unit]});
        chain.words += ", " + plan.units[wire.to.unit].name;
    }
    if (!chain.to_input) chain.links.back().gives = to.variable;
    return chain;
}

}  // namespace

WatchList::WatchList(const std::filesystem::path& specification, bool single_unit, base::Diagnostics& diagnostics)
    : specification_(specification.string()) {
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
                                .age_from = {.use = Use::observe, .name = entry.contract.age_from},
                                .where = entry.contract.where.empty() ? entry.where : entry.contract.where});
        }
    }
}

void WatchList::require_any() const {
    if (signals_.empty())
        throw base::Error(
            "other-interface", specification_,
            "it promises nothing that a run can show: no Contract with min, max, rate, resolution, period "
            "or maximalAge");
}

std::vector<build::SignalRequest*> WatchList::requests() {
    std::vector<build::SignalRequest*> requests;
    for (Watched& signal : signals_) {
        requests.push_back(&signal.request);
        if (!signal.contract.age_from.empty()) requests.push_back(&signal.age_from);
    }
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
        signal.period = simulation.timing.periods[located->unit];
        const auto& boundary = parts.description.boundary;
        const auto port = std::ranges::find(boundary, signal.subject, &ssp::Connector::name);
        // A connector of the system that says no unit has that of the variable behind it.
        const core::PhysicalUnit found = port != boundary.end() && port->unit
                                             ? *port->unit
                                             : unit_of(*parts.components[located->unit].info, *located->variable);
        const build::UnitConversion conversion = build::convert({found}, {signal.unit.value_or(found)});
        using Outcome = build::UnitConversion::Outcome;
        if (conversion.outcome == Outcome::refused || conversion.outcome == Outcome::doubtful)
            throw base::Error(
                "unit-mismatch", signal.where,
                fmt::format("'{}' of the system cannot be held against it: {}", signal.subject, conversion.text));
        signal.scale = build::Scale{located->gain, located->offset}.then(conversion.scale);
        if (signal.contract.age_from.empty()) continue;
        const build::LocatedSignal* source = signal.age_from.signal();
        if (source == nullptr)
            throw base::Error(
                "unknown-name", signal.contract.where,
                fmt::format("ageFrom names '{}', which is no variable of the system", signal.contract.age_from));
        signal.chain = chain_between(*source, *located, simulation);
        if (signal.chain.links.empty())
            throw base::Error(
                "unknown-name", signal.contract.where,
                fmt::format("no connection leads from '{}' to '{}'", signal.contract.age_from, signal.subject));
    }
}

}  // namespace master::contracts
