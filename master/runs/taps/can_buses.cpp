#include "master/runs/taps/can_buses.hpp"

#include "interfaces/ls_bus/operations.hpp"
#include "master/build/requests/locate.hpp"
#include "master/fmi/description/bus_manifest.hpp"

#include <algorithm>
#include <string_view>

namespace master::runs {
namespace {

/// Whatever release of the standard it is of.
bool carries_frames(const core::Variable& variable) {
    const std::string_view mime = interfaces::ls_bus::mime_type;
    return variable.type == core::Type::bytes && variable.mime_type.starts_with(mime.substr(0, mime.find(';')));
}

std::string without_blanks(std::string name) {
    std::ranges::replace_if(
        name, [](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }, '_');
    return name;
}

class Finder {
public:
    explicit Finder(const build::Simulation& simulation) : simulation_(simulation) {
        for (const build::Parts::Component& component : simulation.parts.components)
            simulates_.push_back(component.fmu != nullptr &&
                                 fmi::is_bus_simulation(component.fmu->folder(), component.fmu->file().string()));
    }

    std::vector<CanBus> buses() {
        for (const core::PlannedWire& wire : simulation_.parts.plan.wires)
            if (carries_frames(variable(wire.from))) wires_.push_back(&wire);
        for (const core::PlannedWire* wire : wires_) add(wire->from, wire->to);
        return std::move(buses_);
    }

private:
    [[nodiscard]] const core::Variable& variable(const core::Endpoint& end) const {
        return simulation_.parts.components[end.unit].info->variables[end.variable];
    }

    /// Hands frames on from node to node: one with a single node only takes them, to a bus outside.
    [[nodiscard]] bool connects_nodes(std::uint32_t unit) const {
        return simulates_[unit] &&
               std::ranges::count_if(wires_, [&](const auto* wire) { return wire->from.unit == unit; }) > 1;
    }

    void add(const core::Endpoint& from, const core::Endpoint& to) {
        if (connects_nodes(to.unit)) return;  // it tells when the frame is on the bus
        const core::Node& node = simulation_.system->nodes()[from.unit];
        const auto data = build::output_signal(node, from.variable);
        for (const std::uint32_t clock : variable(from).clocks) {
            const auto ticks = build::output_signal(node, clock);
            if (!data || !ticks) continue;
            CanBus& bus = connects_nodes(from.unit) ? bus_of(from.unit, from.unit) : bus_of(from.unit, to.unit);
            bus.repeats = connects_nodes(from.unit);
            bus.sources.push_back({.data = *data, .clock = *ticks, .sent = simulates_[to.unit]});
            return;
        }
    }

    /// The one between two units, or of one that simulates a bus.
    CanBus& bus_of(std::uint32_t one, std::uint32_t other) {
        const std::pair ends{std::min(one, other), std::max(one, other)};
        const auto known = std::ranges::find(ends_, ends);
        if (known != ends_.end()) return buses_[static_cast<std::size_t>(known - ends_.begin())];
        const auto& units = simulation_.parts.plan.units;
        const std::string &first = units[ends.first].name, &second = units[ends.second].name;
        ends_.emplace_back(ends);
        const std::string name = simulates_[ends.first]    ? first
                                 : simulates_[ends.second] ? second
                                                           : first + "-" + second;
        return buses_.emplace_back(CanBus{.name = without_blanks(name)});
    }

    const build::Simulation& simulation_;
    std::vector<bool> simulates_;  // by unit
    std::vector<const core::PlannedWire*> wires_;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> ends_;  // by bus
    std::vector<CanBus> buses_;
};

}  // namespace

std::vector<CanBus> can_buses(const build::Simulation& simulation) { return Finder(simulation).buses(); }

}  // namespace master::runs
