#include "master/core/unit.hpp"

#include <algorithm>
#include <numeric>

namespace master::core {

const Layout::Slot* Layout::find(std::uint32_t variable) const {
    const auto variable_of = [&](std::uint32_t slot) { return slots[slot].variable; };
    const auto found = std::ranges::lower_bound(by_variable, variable, {}, variable_of);
    return found == by_variable.end() || variable_of(*found) != variable ? nullptr : &slots[*found];
}

Layout layout(const UnitInfo& info, std::span<const std::uint32_t> variables) {
    Layout result;
    result.slots.reserve(variables.size());
    for (const std::uint32_t index : variables) {
        const Variable& variable = info.variables[index];
        result.slots.push_back({.variable = index,
                                .type = variable.type,
                                .group = group_of(info, variable),
                                .count = static_cast<std::uint32_t>(variable.size)});
    }
    std::ranges::stable_sort(result.slots, [](const Layout::Slot& a, const Layout::Slot& b) {
        return a.type != b.type ? a.type < b.type : a.group.index < b.group.index;
    });
    for (Layout::Slot& slot : result.slots) {
        std::uint32_t& count = result.counts[index_of(slot.type)];
        slot.offset = count;
        count += slot.count;
    }
    result.by_variable.resize(result.slots.size());
    std::iota(result.by_variable.begin(), result.by_variable.end(), 0U);
    std::ranges::sort(result.by_variable, {}, [&](std::uint32_t slot) { return result.slots[slot].variable; });
    return result;
}

Group group_of(const UnitInfo& info, const Variable& variable) {
    if (variable.clocks.empty()) return {};
    std::vector<const std::vector<std::uint32_t>*> sets;
    for (const Variable& other : info.variables) {
        if (other.clocks.empty()) continue;
        const bool known = std::ranges::any_of(sets, [&](const auto* set) { return *set == other.clocks; });
        if (!known) sets.push_back(&other.clocks);
        if (other.clocks == variable.clocks) break;
    }
    return {static_cast<std::uint32_t>(sets.size())};
}

}  // namespace master::core
