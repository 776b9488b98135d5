#include "master/core/setup/start_values.hpp"

#include "master/core/node.hpp"
#include "master/core/value_text.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <unordered_set>

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

std::vector<Lost> find_lost(Node& node, const Values& values) {
    std::vector<Lost> lost;
    for (const Assignment& given : values) {
        const Variable& variable = node.unit->info().variables[given.variable];
        if (!stays_as_given(variable)) continue;
        const std::optional<Value> found = node.unit->value_of(given.variable);
        if (found && !same_value(variable, given.value, *found)) lost.push_back({&given, *found});
    }
    return lost;
}

std::vector<Lost> find_lost(Node& node) { return find_lost(node, node.planned->start); }

/// True where a description that was written with few digits explains the difference.
bool is_written_shorter(const Value& stated, const Value& found) {
    constexpr double few_digits = 1e-6;
    const auto* numbers = std::get_if<std::vector<double>>(&stated);
    const auto* others = std::get_if<std::vector<double>>(&found);
    if (numbers == nullptr || others == nullptr) return false;
    return std::equal(numbers->begin(), numbers->end(), others->begin(), others->end(), [](double a, double b) {
        return same_number(a, b, false) || std::abs(a - b) <= few_digits * std::max(std::abs(a), std::abs(b));
    });
}

/// One value in the description of an array is that of all its elements.
void add_stated(const Node& node, std::uint32_t index, Values& values) {
    const Variable& variable = node.unit->info().variables[index];
    Value value = *variable.start;
    const bool fits = std::visit(
        [&]<class Element>(std::vector<Element>& elements) {
            if (elements.size() == 1) elements.resize(variable.size, elements.front());
            // What is beyond single precision would become infinite.
            if constexpr (std::is_same_v<Element, double>) {
                const auto is_beyond = [](double element) {
                    return std::isfinite(element) && !std::isfinite(static_cast<float>(element));
                };
                if (variable.declared_type == "Float32" && std::ranges::any_of(elements, is_beyond)) return false;
            }
            return elements.size() == variable.size;
        },
        value);
    if (fits) values.push_back({index, std::move(value)});
}

std::unordered_set<std::uint32_t> variables_of(const Values& values) {
    std::unordered_set<std::uint32_t> variables;
    for (const Assignment& value : values) variables.insert(value.variable);
    return variables;
}

/// What the description states of inputs that nobody sets in this run.
Values stated_inputs(const Node& node) {
    Values values;
    const std::unordered_set<std::uint32_t> given = variables_of(node.planned->start);
    const std::vector<Variable>& variables = node.unit->info().variables;
    for (std::uint32_t i = 0; i < variables.size(); ++i) {
        const Variable& variable = variables[i];
        const bool is_plain = variable.causality == Causality::input && variable.type != Type::clock &&
                              variable.alias_of == Variable::no_alias;
        if (!is_plain || !variable.start || node.inputs.find(i) != nullptr) continue;
        if (!given.contains(i)) add_stated(node, i, values);
    }
    return values;
}

/// What the description states of parameters that nobody gave.
Values stated_parameters(const Node& node) {
    Values values;
    for (const EffectiveValue& value : node.planned->effective) {
        const Variable& variable = node.unit->info().variables[value.variable];
        if (value.origin == from_description && variable.causality == Causality::parameter && variable.start)
            add_stated(node, value.variable, values);
    }
    return values;
}

/// "'a' = 0 (stated: 42), ...".
std::string list_of(const Node& node, const std::vector<Lost>& values) {
    constexpr std::size_t most_named = 4;
    std::string list;
    for (std::size_t i = 0; i < std::min(most_named, values.size()); ++i) {
        list += fmt::format("{}'{}' = {} (stated: {})", i == 0 ? "" : ", ",
                            node.unit->info().variables[values[i].given->variable].name, value_text(values[i].found),
                            value_text(values[i].given->value));
    }
    return values.size() <= most_named ? list : list + fmt::format(" and {} more", values.size() - most_named);
}

/// An input that nobody drives has the start value of its description; a unit that begins with another is given it.
void set_stated_inputs(Node& node, base::Diagnostics& diagnostics) {
    const Values stated = stated_inputs(node);
    std::vector<Lost> other = find_lost(node, stated);
    std::erase_if(other, [](const Lost& value) { return is_written_shorter(value.given->value, value.found); });
    if (other.empty()) return;
    Values again;
    for (const Lost& value : other) again.push_back(*value.given);
    node.unit->set_start(again);
    diagnostics.note("start-value", "unit '" + node.name + "'",
                     "nobody drives inputs that begin with other values than its description states, and they were "
                     "set to those: " +
                         list_of(node, other));
}

/// What a run says of parameters is what the unit has.
void note_other_parameters(Node& node, base::Diagnostics& diagnostics) {
    const Values stated = stated_parameters(node);
    std::vector<Lost> other = find_lost(node, stated);
    for (const Lost& value : other) node.not_taken.push_back({value.given->variable, value.found});
    std::erase_if(other, [](const Lost& value) { return is_written_shorter(value.given->value, value.found); });
    if (other.empty()) return;
    diagnostics.note(
        "start-value", "unit '" + node.name + "'",
        "parameters that nobody set have other values than its description states: " + list_of(node, other));
}

}  // namespace

void begin_initialization(Node& node, const RunWindow& run, base::Diagnostics& diagnostics) {
    node.unit->set_up(run);
    node.unit->set_start(node.planned->start);
    node.unit->enter_initialization();
    const std::string where = "unit '" + node.name + "'";
    const auto name = [&](const Lost& lost) { return node.unit->info().variables[lost.given->variable].name; };
    set_stated_inputs(node, diagnostics);
    const std::vector<Lost> lost = find_lost(node);
    if (lost.empty()) return;
    Values again;
    for (const Lost& value : lost) again.push_back(*value.given);
    node.unit->set_start(again);
    const std::vector<Lost> refused = find_lost(node);
    std::unordered_set<const Assignment*> is_refused;
    for (const Lost& value : refused) is_refused.insert(value.given);
    for (const Lost& value : lost) {
        if (is_refused.contains(value.given)) continue;
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
    const std::unordered_set<std::uint32_t> known = variables_of(node.not_taken);
    for (const Lost& value : find_lost(node)) {
        const Variable& variable = node.unit->info().variables[value.given->variable];
        if (variable.causality != Causality::parameter || known.contains(value.given->variable)) continue;
        node.not_taken.push_back({value.given->variable, value.found});
        diagnostics.warn("start-value", "unit '" + node.name + "'",
                         fmt::format("'{}' was given {}, but after its initialisation the unit has {}", variable.name,
                                     value_text(value.given->value), value_text(value.found)));
    }
    note_other_parameters(node, diagnostics);
}

}  // namespace master::core
