#include "master/build/algorithm_choice.hpp"

#include "master/core/setup/dependencies.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>

namespace master::build {
namespace {

using Role = core::PlannedWire::Role;

/// Two units that answer each other; the first is to be stepped first.
struct Pair {
    std::uint32_t first = 0, second = 0;
    std::string reason;
};

const core::Variable& variable(const Parts& parts, const core::Endpoint& end) {
    return parts.components[end.unit].info->variables[end.variable];
}

bool is_continuous(const core::Variable& variable) {
    return variable.type == core::Type::real && variable.variability == core::Variability::continuous;
}

bool is_continuous(const Parts& parts, const core::PlannedWire& wire) {
    return is_continuous(variable(parts, wire.from)) && is_continuous(variable(parts, wire.to));
}

/// What the outputs of the units of a system depend on, as far as the units say so: a missing list means "all"
/// elsewhere, and tells nothing here.
class StatedDependencies {
public:
    explicit StatedDependencies(const Parts& parts) {
        for (const Parts::Component& part : parts.components) {
            if (part.info == nullptr || !of_unit_.try_emplace(part.info).second) continue;
            auto& lists = of_unit_[part.info];
            for (const core::Unknown& output : part.info->outputs)
                if (output.dependencies) lists.try_emplace(output.variable, sorted(*output.dependencies));
        }
    }

    /// Sorted; null where the unit states none.
    [[nodiscard]] const std::vector<std::uint32_t>* of(const core::UnitInfo& info, std::uint32_t output) const {
        const auto& lists = of_unit_.at(&info);
        const auto found = lists.find(output);
        return found == lists.end() ? nullptr : &found->second;
    }

private:
    static std::vector<std::uint32_t> sorted(std::vector<std::uint32_t> list) {
        std::ranges::sort(list);
        return list;
    }

    std::map<const core::UnitInfo*, std::unordered_map<std::uint32_t, std::vector<std::uint32_t>>> of_unit_;
};

/// Exponents of kg, m, s, A.
using Dimension = std::array<int, 4>;

std::optional<Dimension> dimension(const Parts& parts, const core::Endpoint& end) {
    const std::string& name = variable(parts, end).unit;
    const auto& units = parts.components[end.unit].info->units;
    const auto unit = std::ranges::find(units, name, &core::PhysicalUnit::name);
    if (name.empty() || unit == units.end() || !unit->exponents) return std::nullopt;
    return Dimension{(*unit->exponents)[0], (*unit->exponents)[1], (*unit->exponents)[2], (*unit->exponents)[3]};
}

/// Force and velocity, torque and angular velocity, pressure and volume flow, voltage and current.
struct Conjugate {
    Dimension effort, flow;
};
constexpr std::array<Conjugate, 4> conjugates{{{{1, 1, -2, 0}, {0, 1, -1, 0}},
                                               {{1, 2, -2, 0}, {0, 0, -1, 0}},
                                               {{1, -1, -2, 0}, {0, 3, -1, 0}},
                                               {{1, 2, -3, -1}, {0, 0, 0, 1}}}};

void pair_declared_bonds(core::Plan& plan, base::Diagnostics& diagnostics) {
    std::map<std::string, std::array<std::vector<std::uint32_t>, 2>> halves;  // efforts and flows
    for (std::uint32_t w = 0; w < plan.wires.size(); ++w) {
        const core::PlannedWire& wire = plan.wires[w];
        if (wire.role != Role::none) halves[wire.bond][wire.role == Role::effort ? 0 : 1].push_back(w);
    }
    for (const auto& [name, both] : halves) {
        const auto& [efforts, flows] = both;
        const core::PlannedWire& any = plan.wires[efforts.empty() ? flows.front() : efforts.front()];
        if (efforts.size() != 1 || flows.size() != 1) {
            diagnostics.warn(
                "bond", any.where,
                fmt::format("power bond '{}' has {} connections of role effort and {} of role flow, expected "
                            "one of each: it is not watched",
                            name, efforts.size(), flows.size()));
            continue;
        }
        const core::PlannedWire &effort = plan.wires[efforts.front()], &flow = plan.wires[flows.front()];
        if (effort.from.unit != flow.to.unit || effort.to.unit != flow.from.unit) {
            diagnostics.warn(
                "bond", any.where,
                fmt::format("power bond '{}': effort '{}' and flow '{}' do not join the same two components "
                            "in opposite directions: it is not watched",
                            name, effort.label, flow.label));
            continue;
        }
        plan.bonds.push_back({name, efforts.front(), flows.front()});
    }
}

std::vector<Pair> declared_bonds(const core::Plan& plan) {
    std::vector<Pair> pairs;
    for (const core::PlannedBond& bond : plan.bonds) {
        const core::PlannedWire& effort = plan.wires[bond.effort];
        pairs.push_back({effort.to.unit, effort.from.unit,
                         fmt::format("power bond '{}' between '{}' and '{}'", bond.name,
                                     plan.units[effort.to.unit].name, plan.units[effort.from.unit].name)});
    }
    return pairs;
}

/// Continuous wires between two units, by what they carry.
using Carriers = std::map<std::tuple<std::uint32_t, std::uint32_t, Dimension>, std::vector<const core::PlannedWire*>>;

Carriers carriers(const Parts& parts) {
    Carriers found;
    for (const core::PlannedWire& wire : parts.plan.wires) {
        if (!is_continuous(parts, wire)) continue;
        if (const auto carried = dimension(parts, wire.from))
            found[{wire.from.unit, wire.to.unit, *carried}].push_back(&wire);
    }
    return found;
}

/// An effort that depends on the flow without a step is damped by it, and no delay makes that unstable so soon.
std::vector<Pair> recognised_bonds(const Parts& parts, const StatedDependencies& stated) {
    std::vector<Pair> pairs;
    const Carriers flows = carriers(parts);
    for (const core::PlannedWire& effort : parts.plan.wires) {
        if (!is_continuous(parts, effort) || effort.from.unit == effort.to.unit) continue;
        const auto force = dimension(parts, effort.from);
        if (!force) continue;
        const auto* dependencies = stated.of(*parts.components[effort.from.unit].info, effort.from.variable);
        if (dependencies == nullptr) continue;
        const core::PlannedWire* first = nullptr;  // in the order of the file
        for (const Conjugate& both : conjugates) {
            if (both.effort != *force) continue;
            const auto back = flows.find({effort.to.unit, effort.from.unit, both.flow});
            if (back == flows.end()) continue;
            const auto flow = std::ranges::find_if(back->second, [&](const core::PlannedWire* wire) {
                return !std::ranges::binary_search(*dependencies, wire->to.variable);
            });
            if (flow != back->second.end() && (first == nullptr || *flow < first)) first = *flow;
        }
        if (first != nullptr)
            pairs.push_back({effort.to.unit, effort.from.unit,
                             fmt::format("'{}' and '{}' exchange power", effort.label, first->label)});
    }
    return pairs;
}

/// Wires that depend on themselves without a step in between.
std::vector<std::uint32_t> feedthrough_loop(const Parts& parts, const StatedDependencies& stated) {
    const core::Plan& plan = parts.plan;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::uint32_t>> into;  // by unit and input
    for (std::uint32_t w = 0; w < plan.wires.size(); ++w)
        if (is_continuous(parts, plan.wires[w])) into[{plan.wires[w].to.unit, plan.wires[w].to.variable}].push_back(w);
    std::vector<std::vector<std::uint32_t>> successors(plan.wires.size());
    for (std::uint32_t w = 0; w < plan.wires.size(); ++w) {
        const core::PlannedWire& next = plan.wires[w];
        if (!is_continuous(parts, next)) continue;
        const auto* dependencies = stated.of(*parts.components[next.from.unit].info, next.from.variable);
        if (dependencies == nullptr) continue;
        for (const std::uint32_t input : *dependencies) {
            const auto previous = into.find({next.from.unit, input});
            if (previous == into.end()) continue;
            for (const std::uint32_t wire : previous->second) successors[wire].push_back(w);
        }
    }
    for (auto& part : core::components(successors))
        if (part.size() > 1) return part;
    return {};
}

void hold_constant(core::Plan& plan, const std::set<std::pair<std::uint32_t, std::uint32_t>>& pairs) {
    for (core::PlannedWire& wire : plan.wires) {
        const bool paired =
            pairs.contains({wire.from.unit, wire.to.unit}) || pairs.contains({wire.to.unit, wire.from.unit});
        if (paired && wire.hold == core::Hold::automatic) wire.hold = core::Hold::constant;
    }
}

}  // namespace

AlgorithmChoice choose_algorithm(Parts& parts, const BuildOptions& options, base::Diagnostics& diagnostics) {
    core::Plan& plan = parts.plan;
    pair_declared_bonds(plan, diagnostics);
    if (!options.algorithm.empty()) return {options.algorithm, "--algorithm", {}};
    if (!plan.algorithm.empty()) return {plan.algorithm, parts.description.algorithm_where, {}};
    std::vector<Pair> pairs = declared_bonds(plan);
    const StatedDependencies stated(parts);
    if (pairs.empty()) pairs = recognised_bonds(parts, stated);
    const auto loop = pairs.empty() ? feedthrough_loop(parts, stated) : std::vector<std::uint32_t>{};
    if (pairs.empty() && loop.empty()) return {.name = "jacobi", .where = {}, .reason = {}};
    const std::string reason = pairs.empty()
                                   ? fmt::format("'{}' feeds through to itself", plan.wires[loop.front()].label)
                                   : pairs.front().reason;
    if (options.threads != 0) {
        diagnostics.warn("algorithm", "--threads",
                         fmt::format("keeps jacobi, where {}: gauss-seidel is stable at longer steps", reason));
        return {.name = "jacobi", .where = {}, .reason = {}};
    }
    std::set<std::pair<std::uint32_t, std::uint32_t>> ordered;
    for (const Pair& pair : pairs)
        if (ordered.emplace(pair.first, pair.second).second) plan.before.emplace_back(pair.first, pair.second);
    hold_constant(plan, ordered);
    for (const std::uint32_t wire : loop)
        if (plan.wires[wire].hold == core::Hold::automatic) plan.wires[wire].hold = core::Hold::constant;
    return {.name = "gauss-seidel", .where = {}, .reason = "chosen, since " + reason};
}

}  // namespace master::build
