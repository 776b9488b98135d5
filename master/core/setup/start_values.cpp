#include "master/core/setup/start_values.hpp"

#include "master/core/node.hpp"
#include "master/core/value_text.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace master::core {
namespace {

bool same_number(double given, double found, bool single) {
    if (std::isnan(given)) return std::isnan(found);
    return single ? static_cast<float>(given) == static_cast<float>(found) : given == found;
}

bool same_value(const Variable& variable, const Value& given, const Value& found) {
    const auto* numbers = std::get_if<std::vector<double>>(&given);
    const auto* others = std::get_if<std::vector<double>>(&found);
    if (numbers == nullptr || others == nullptr) return given == found;
    const bool single = variable.declared_type == "Float32";
    return std::equal(numbers->begin(), numbers->end(), others->begin(), others->end(),
                      [single](double a, double b) { return same_number(a, b, single); });
}

/// A unit has these as they were given; of a guess (approx) it makes its own value. Clocked ones are unknown before
/// their clock ticks.
bool stays_as_given(const Variable& variable) {
    const bool exact = variable.initial == Initial::exact || variable.causality == Causality::input;
    return exact && variable.clocks.empty();
}

struct Lost {
    const Assignment* given = nullptr;
    Value found;
};

std::vector<Lost> find_lost(Node& node) {
    std::vector<Lost> lost;
    for (const Assignment& given : node.planned->start) {
        const Variable& variable = node.unit->info().variables[given.variable];
        if (!stays_as_given(variable)) continue;
        const std::optional<Value> found = node.unit->value_of(given.variable);
        if (found && !same_value(variable, given.value, *found)) lost.push_back({&given, *found});
    }
    return lost;
}

}  // namespace

void begin_initialization(Node& node, const RunWindow& run, base::Diagnostics& diagnostics) {
    node.unit->set_up(run);
    node.unit->set_start(node.planned->start);
    node.unit->enter_initialization();
    const std::string where = "unit '" + node.name + "'";
    const auto name = [&](const Lost& lost) { return node.unit->info().variables[lost.given->variable].name; };
    const std::vector<Lost> lost = find_lost(node);
    if (lost.empty()) return;
    Values again;
    for (const Lost& value : lost) again.push_back(*value.given);
    node.unit->set_start(again);
    const std::vector<Lost> refused = find_lost(node);
    for (const Lost& value : lost) {
        if (std::ranges::count(refused, value.given, &Lost::given) > 0) continue;
        diagnostics.note("start-value", where,
                         fmt::format("the unit had lost '{}' = {} (it had {}) before it was initialised; set again",
                                     name(value), value_text(value.given->value), value_text(value.found)));
    }
    for (const Lost& value : refused) {
        node.not_taken.push_back({value.given->variable, value.found});
        diagnostics.warn("start-value", where,
                         fmt::format("'{}' was given {}, but the unit keeps {}", name(value),
                                     value_text(value.given->value), value_text(value.found)));
    }
}

void confirm_parameters(Node& node, base::Diagnostics& diagnostics) {
    for (const Lost& value : find_lost(node)) {
        const Variable& variable = node.unit->info().variables[value.given->variable];
        const bool known = std::ranges::count(node.not_taken, value.given->variable, &Assignment::variable) > 0;
        if (variable.causality != Causality::parameter || known) continue;
        node.not_taken.push_back({value.given->variable, value.found});
        diagnostics.warn("start-value", "unit '" + node.name + "'",
                         fmt::format("'{}' was given {}, but after its initialisation the unit has {}", variable.name,
                                     value_text(value.given->value), value_text(value.found)));
    }
}

}  // namespace master::core
