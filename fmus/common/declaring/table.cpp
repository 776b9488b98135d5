#include "fmus/common/declaring/table.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>

namespace fmus {

namespace {

bool is_float(Type type) { return type == Type::float32 || type == Type::float64; }

Variability usual_variability(Causality causality, Type type) {
    switch (causality) {
        case Causality::structural_parameter:
        case Causality::parameter:
        case Causality::calculated_parameter:
            return Variability::fixed;
        default:
            return is_float(type) ? Variability::continuous : Variability::discrete;
    }
}

Initial usual_initial(Causality causality, Type type) {
    if (type == Type::clock) return Initial::none;
    switch (causality) {
        case Causality::structural_parameter:
        case Causality::parameter:
            return Initial::exact;
        case Causality::input:
        case Causality::independent:
            return Initial::none;
        default:
            return Initial::calculated;
    }
}

}  // namespace

Table::Table() { add(Causality::independent, "time", Type::float64, scalar_cell(time_), "s"); }

void Table::about(const About& facts) { about_ = facts; }

void Table::terminal(const Terminal& terminal) { terminals_.push_back(terminal); }

void Table::follows(const LayeredStandard& standard) { layered_standards_.push_back(standard); }

Declaration Table::event_indicator(std::string_view name, std::string_view unit, double& value) {
    event_indicators_.push_back(variables_.size());
    return declare(Causality::local, name, unit, value);
}

Declaration Table::declare_derivative(Declaration derivative, std::string_view state) {
    variables_.back().derivative_of = state;
    return derivative;
}

void Table::set_length(Variable& array, std::size_t length) {
    array.dimensions = {Dimension(static_cast<int>(length))};
}

void Table::add_enumeration(const void* type, const Enumeration& definition) {
    enumeration_types_.push_back(type);
    enumerations_.push_back(definition);
}

Variable& Table::add(Causality causality, std::string_view name, Type type, Cells cells, std::string_view unit) {
    Variable& variable = variables_.emplace_back();
    variable.name = name;
    variable.unit = unit;
    variable.type = type;
    variable.causality = causality;
    variable.variability = usual_variability(causality, type);
    variable.initial = usual_initial(causality, type);
    variable.cells = cells;
    return variable;
}

Declaration Table::declare_clock(Causality causality, std::string_view name, bool& active, const ClockFacts& facts) {
    Variable& variable = add(causality, name, Type::clock, scalar_cell(active), {});
    variable.clock = facts;
    return Declaration(variable);
}

std::size_t Table::enumeration_index(const void* type) const {
    const auto found = std::find(enumeration_types_.begin(), enumeration_types_.end(), type);
    if (found == enumeration_types_.end()) throw std::logic_error("enumeration<T>({...}) must stand before its use");
    return static_cast<std::size_t>(found - enumeration_types_.begin());
}

std::size_t Table::index_of(std::string_view name) const {
    for (std::size_t i = 0; i < variables_.size(); ++i)
        if (variables_[i].name == name) return i;
    throw std::logic_error("no variable is called '" + std::string(name) + "'");
}

bool Table::is_state(std::size_t variable) const {
    return std::any_of(states_.begin(), states_.end(), [&](const State& pair) { return pair.state == variable; });
}

std::vector<std::uint64_t> Table::extents(const Variable& variable) const {
    std::vector<std::uint64_t> result;
    result.reserve(variable.dimensions.size());
    for (const Dimension& dimension : variable.dimensions)
        result.push_back(dimension.parameter.empty()
                             ? dimension.size
                             : *variables_[index_of(dimension.parameter)].cells.as<std::uint64_t>());
    return result;
}

std::size_t Table::product_of_extents(const Variable& variable) const {
    std::size_t product = 1;
    for (const std::uint64_t extent : extents(variable)) product *= extent;
    return product;
}

void Table::finish() {
    std::set<std::string_view> names;
    for (std::size_t i = 0; i < variables_.size(); ++i) {
        const Variable& variable = variables_[i];
        if (!names.insert(variable.name).second)
            throw std::logic_error("two variables are called '" + variable.name + "'");
        if (!variable.derivative_of.empty()) states_.push_back({index_of(variable.derivative_of), i});
    }
    for (const Variable& variable : variables_) check(variable);
    for (const Terminal& terminal : terminals_) check(terminal);
}

void Table::check(const Terminal& terminal) const {
    for (const Terminal::Member& member : terminal.members) static_cast<void>(index_of(member.variable));
    for (const Terminal& inner : terminal.terminals) check(inner);
}

void Table::check(const Variable& variable) const {
    const auto fail = [&](const std::string& text) { throw std::logic_error(variable.name + ": " + text); };
    if (variable.variability == Variability::continuous && !is_float(variable.type))
        fail("only floating-point variables are continuous");
    if (!variable.unit.empty() && !is_float(variable.type)) fail("only floating-point variables have a unit");
    if (product_of_extents(variable) != variable.cells.count())
        fail("the dimensions give " + std::to_string(product_of_extents(variable)) + " elements, the model has " +
             std::to_string(variable.cells.count()));
    for (const auto* names : {&variable.depends, &variable.depends_at_start})
        if (names->has_value())
            for (const std::string& name : **names) static_cast<void>(index_of(name));
    for (const std::string& clock : variable.clocks)
        if (variables_[index_of(clock)].type != Type::clock) fail("'" + clock + "' is no clock");
    if (!variable.derivative_of.empty() &&
        variables_[index_of(variable.derivative_of)].cells.count() != variable.cells.count())
        fail("the state '" + variable.derivative_of + "' has another size");
}

}  // namespace fmus
