#include "master/core/setup/step_order.hpp"

#include "master/core/setup/dependencies.hpp"

#include <algorithm>
#include <iterator>
#include <set>

namespace master::core {
namespace {

using Graph = std::vector<std::vector<std::uint32_t>>;  // targets of each unit

/// One loop, or a unit that is in none. `waiting` counts the senders of the same loop that a unit still waits for.
void append_part(const std::vector<std::uint32_t>& part, const Graph& through, std::vector<std::uint32_t>& waiting,
                 std::vector<std::uint32_t>& order) {
    std::set<std::uint32_t> left(part.begin(), part.end()), free;
    std::ranges::copy_if(part, std::inserter(free, free.end()), [&](auto unit) { return waiting[unit] == 0; });
    while (!left.empty()) {
        // Feedthrough all around the loop: cut it before the first unit of the file.
        const std::uint32_t chosen = *(free.empty() ? left : free).begin();
        left.erase(chosen);
        free.erase(chosen);
        order.push_back(chosen);
        for (const std::uint32_t target : through[chosen])
            if (--waiting[target] == 0 && left.contains(target)) free.insert(target);
    }
}

}  // namespace

std::vector<std::uint32_t> step_order(const Plan& plan, const FeedthroughMap& feedthrough) {
    const std::size_t count = plan.units.size();
    Graph all(count);
    for (const PlannedWire& wire : plan.wires) all[wire.from.unit].push_back(wire.to.unit);
    const auto parts = components(all);
    std::vector<std::size_t> part_of(count);
    for (std::size_t i = 0; i < parts.size(); ++i)
        for (const std::uint32_t unit : parts[i]) part_of[unit] = i;
    Graph through(count);
    std::vector<std::uint32_t> waiting(count);
    const auto add = [&](std::uint32_t first, std::uint32_t then) {
        through[first].push_back(then);
        ++waiting[then];
    };
    for (const auto& [first, then] : plan.before)
        if (part_of[first] == part_of[then]) add(first, then);
    const std::set<std::pair<std::uint32_t, std::uint32_t>> before(plan.before.begin(), plan.before.end());
    for (const PlannedWire& wire : plan.wires) {
        if (part_of[wire.from.unit] != part_of[wire.to.unit] || !feedthrough.reaches_wire(wire)) continue;
        if (!before.contains({wire.to.unit, wire.from.unit})) add(wire.from.unit, wire.to.unit);
    }
    std::vector<std::uint32_t> order;
    for (const auto& part : parts) append_part(part, through, waiting, order);
    return order;
}

}  // namespace master::core
