#include "master/build/resolve/values.hpp"

#include "master/build/value_conversion.hpp"
#include "master/core/value_text.hpp"

#include <algorithm>
#include <map>

namespace master::build {
namespace {

/// Empty, or why the variable may not be set before a run.
std::string why_not_settable(const core::Variable& variable) {
    if (variable.variability == core::Variability::constant) return "is a constant";
    if (variable.causality == core::Causality::input || is_parameter(variable)) return {};
    if (variable.causality == core::Causality::independent) return "is the independent variable";
    if (variable.initial == core::Initial::exact || variable.initial == core::Initial::approx) return {};
    if (variable.causality == core::Causality::calculated_parameter) return "is calculated by the unit";
    return "is calculated by the unit (initial is neither exact nor approx)";
}

template <typename T>
void replace_elements(std::vector<T>& into, const std::vector<T>& values, const Part& part) {
    std::copy(values.begin(), values.end(), into.begin() + part.element);
}

class Setter {
public:
    Setter(const ssp::Description& description, const Directory& directory, base::Diagnostics& diagnostics)
        : description_(description),
          directory_(directory),
          diagnostics_(diagnostics),
          values_(description.components.size()) {}

    void set_parameters(std::uint32_t component);
    void set_from_command_line(const std::string& text);
    void fill(std::uint32_t component, core::PlannedUnit& unit) const;
    void report_units() const { remarks_.report("the value is taken unchanged", diagnostics_); }

private:
    struct Given {
        core::Value value;
        std::string origin;
        std::uint32_t variable = 0;  // as named; aliases share one entry
        std::string through = {};    // the connector whose connection brought it
    };

    void set_parameter(std::uint32_t component, const ssp::Parameter& parameter);
    [[nodiscard]] core::PhysicalUnit unit_given(std::uint32_t component, const ssp::Parameter& parameter,
                                                const ssp::Connector* connector, const core::PhysicalUnit& own) const;
    [[nodiscard]] std::vector<std::string> settable_names() const;
    /// Where a text of the command line is to go.
    struct Assignment {
        std::string name, text, where;
    };
    [[nodiscard]] bool set_connector(const Assignment& assignment);
    void set_along(const ssp::Connection& connection, std::vector<std::uint64_t> indices,
                   const ssp::Connector& connector, const Assignment& assignment);
    void set_variable(std::uint32_t component, const Part& part, const Assignment& assignment);
    [[nodiscard]] std::optional<core::Value> whole(std::uint32_t component, const Part& part,
                                                   const core::Value& value) const;
    [[nodiscard]] bool settable(std::uint32_t component, std::uint32_t variable, const std::string& where) const;
    void report_overruled(std::uint32_t component, const Part& part, const ssp::Parameter& parameter,
                          const core::Value& value) const;
    void give(std::uint32_t component, Given given);
    void check_range(std::uint32_t component, std::uint32_t variable, const core::Value& value,
                     const std::string& where) const;

    const ssp::Description& description_;
    const Directory& directory_;
    base::Diagnostics& diagnostics_;
    std::vector<std::map<std::uint32_t, Given>> values_;  // per component, by the variable that holds the value
    UnitRemarks remarks_;
};

void Setter::set_parameters(std::uint32_t component) {
    if (directory_.info(component) == nullptr) return;
    for (const ssp::Parameter& parameter : description_.components[component].parameters)
        set_parameter(component, parameter);
}

void Setter::set_parameter(std::uint32_t component, const ssp::Parameter& parameter) {
    const core::UnitInfo& info = *directory_.info(component);
    const std::string label = description_.components[component].name + "." + parameter.name;
    const VariableNames& names = directory_.names(component);
    const std::optional<Indexed> element = split_indices(parameter.name);
    if (!names.find(parameter.name) && !(element && names.find(element->name)) && parameter.indices.empty()) {
        const std::string text = "no variable '" + parameter.name + "' in component '" +
                                 description_.components[component].name + "', the value is ignored" +
                                 names.hint(parameter.name);
        if (parameter.mapped)
            diagnostics_.warn("unmatched-parameter", parameter.hops.front().where, text);
        else
            diagnostics_.note("unmatched-parameter", parameter.where, text);
        return;
    }
    const std::optional<Part> part =
        directory_.find({component, parameter.name, parameter.indices}, parameter.where, diagnostics_);
    if (!part || !settable(component, part->variable, parameter.where)) return;
    core::Variable variable = info.variables[part->variable];
    variable.size = part->count;
    const ssp::Connector* connector = description_.components[component].connectors.find(parameter.name);

    const UsedUnit to = directory_.unit_of(component, part->variable, connector);
    const UsedUnit from{.unit = unit_given(component, parameter, connector, to.unit), .relative = to.relative};
    const std::optional<Chain> chain = variable.type == core::Type::real
                                           ? chain_of(parameter.hops, from, to, label, remarks_, diagnostics_)
                                           : chain_without_units(parameter.hops, label, diagnostics_);
    if (!chain) return;
    Converted converted =
        convert_value(parameter, *chain, variable, directory_.enumeration_of(component, part->variable, connector));
    if (const auto* problem = std::get_if<std::string>(&converted)) {
        diagnostics_.error("bad-value", parameter.where, "'" + label + "': " + *problem);
        return;
    }
    std::optional<core::Value> value = whole(component, *part, std::get<core::Value>(converted));
    if (!value) {
        diagnostics_.error("array-size", parameter.where,
                           "'" + label + "': " + std::to_string(size_of(std::get<core::Value>(converted))) +
                               " values for " + std::to_string(part->count) + " elements");
        return;
    }
    check_range(component, part->variable, *value, parameter.where);
    if (!parameter.through.empty()) report_overruled(component, *part, parameter, *value);
    give(component, {std::move(*value), parameter.where, part->variable, parameter.through});
}

/// A connection is above a value that is given to its end.
void Setter::report_overruled(std::uint32_t component, const Part& part, const ssp::Parameter& parameter,
                              const core::Value& value) const {
    const auto before = values_[component].find(canonical(*directory_.info(component), part.variable));
    if (before == values_[component].end() || before->second.value == value) return;
    if (before->second.through == parameter.through) return;  // a later value for the same connector
    diagnostics_.note("overruled", before->second.origin,
                      "the value " + core::value_text(before->second.value) + " of '" +
                          directory_.label(component, {part.variable, 0, part.count}) + "' is overruled by " +
                          core::value_text(value) + ", which the connection from '" + parameter.through + "' brings (" +
                          parameter.where + ")");
}

/// A value without a unit is in that of the first connector on its way, and in the variable's own where none has one.
core::PhysicalUnit Setter::unit_given(std::uint32_t component, const ssp::Parameter& parameter,
                                      const ssp::Connector* connector, const core::PhysicalUnit& own) const {
    if (parameter.unit) return directory_.defined(component, *parameter.unit);
    for (const ssp::Hop& hop : parameter.hops)
        if (hop.unit) return directory_.defined(component, *hop.unit);
    return connector != nullptr && connector->unit ? directory_.defined(component, *connector->unit) : own;
}

/// The value of the whole variable, where a part of an array was given.
std::optional<core::Value> Setter::whole(std::uint32_t component, const Part& part, const core::Value& value) const {
    if (size_of(value) != part.count) return std::nullopt;
    const core::UnitInfo& info = *directory_.info(component);
    const core::Variable& variable = info.variables[part.variable];
    if (part.count == variable.size) return value;
    const auto given = values_[component].find(canonical(info, part.variable));
    core::Value base = given != values_[component].end() ? given->second.value : variable.start.value_or(value);
    return std::visit(
        [&]<typename T>(std::vector<T> all) -> std::optional<core::Value> {
            const auto* elements = std::get_if<std::vector<T>>(&value);
            if (elements == nullptr) return std::nullopt;
            all.resize(variable.size);
            replace_elements(all, *elements, part);
            return core::Value(std::move(all));
        },
        std::move(base));
}

bool Setter::settable(std::uint32_t component, std::uint32_t variable, const std::string& where) const {
    const core::Variable& described = directory_.info(component)->variables[variable];
    const std::string why_not = why_not_settable(described);
    if (why_not.empty()) return true;
    diagnostics_.error(
        "start-value", where,
        "'" + description_.components[component].name + "." + described.name + "' " + why_not + " and cannot be set");
    return false;
}

void Setter::give(std::uint32_t component, Given given) {
    const std::uint32_t holder = canonical(*directory_.info(component), given.variable);
    values_[component].insert_or_assign(holder, std::move(given));
}

void Setter::check_range(std::uint32_t component, std::uint32_t variable, const core::Value& value,
                         const std::string& where) const {
    const core::Variable& described = directory_.info(component)->variables[variable];
    const auto* reals = std::get_if<std::vector<double>>(&value);
    if (reals == nullptr) return;
    const auto outside = [&](double real) {
        return (described.minimum && real < *described.minimum) || (described.maximum && real > *described.maximum);
    };
    if (std::ranges::any_of(*reals, outside))
        diagnostics_.warn("out-of-range", where,
                          "the value of '" + description_.components[component].name + "." + described.name +
                              "' is outside the range that the unit declares");
}

void Setter::set_from_command_line(const std::string& text) {
    const std::string where = "--set " + text;
    const auto equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
        return diagnostics_.error("bad-value", where, "expected component.parameter=value or connector=value");
    const Assignment assignment{.name = text.substr(0, equals), .text = text.substr(equals + 1), .where = where};
    if (set_connector(assignment)) return;

    // Names of components and of variables may both hold dots: the longest component name that fits is meant.
    const std::string& name = assignment.name;
    std::optional<std::uint32_t> component;
    std::string variable_name;
    for (auto dot = name.rfind('.'); dot != std::string::npos && dot != 0 && !component;
         dot = name.rfind('.', dot - 1)) {
        component = directory_.find_component(std::string_view(name).substr(0, dot));
        variable_name = name.substr(dot + 1);
    }
    if (!component && description_.components.size() == 1) {
        component = 0;
        variable_name = name;
    }
    if (component && directory_.info(*component) == nullptr) return;
    base::Diagnostics unknown;
    const std::optional<Part> part =
        component ? directory_.find({*component, variable_name, {}}, where, unknown) : std::nullopt;
    if (part) return set_variable(*component, *part, assignment);
    const auto bad_index = std::ranges::find(unknown.findings(), "bad-index", &base::Finding::code);
    if (bad_index != unknown.findings().end()) return diagnostics_.error(bad_index->code, where, bad_index->text);
    diagnostics_.error("unknown-name", where,
                       "'" + name + "' is neither a connector of the system nor a variable of a component" +
                           base::did_you_mean(name, settable_names()));
}

/// All that `--set` reaches, as it is typed.
std::vector<std::string> Setter::settable_names() const {
    std::vector<std::string> names;
    for (const ssp::Connection& connection : description_.connections)
        if (connection.from.component == ssp::Terminal::boundary) names.push_back(connection.from.connector);
    for (std::uint32_t i = 0; i < description_.components.size(); ++i) {
        if (directory_.info(i) == nullptr) continue;
        for (const core::Variable& variable : directory_.info(i)->variables)
            if (why_not_settable(variable).empty())
                names.push_back(description_.components[i].name + "." + variable.name);
    }
    return names;
}

/// False where the root system has no connector of that name. Its value goes to all that it leads to.
bool Setter::set_connector(const Assignment& assignment) {
    const auto find = [&](std::string_view name) {
        return std::ranges::find(description_.boundary, name, &ssp::Connector::name);
    };
    std::vector<std::uint64_t> indices;
    auto connector = find(assignment.name);
    if (connector == description_.boundary.end()) {
        const std::optional<Indexed> split = split_indices(assignment.name);
        if (!split) return false;
        connector = find(split->name);
        indices = split->indices;
    }
    if (connector == description_.boundary.end()) return false;

    bool reached = false;
    for (const ssp::Connection& connection : description_.connections) {
        const ssp::Terminal& from = connection.from;
        if (from.component != ssp::Terminal::boundary || from.connector != connector->name) continue;
        if (connection.to.component == ssp::Terminal::boundary) continue;
        const auto [wanted, part] = std::ranges::mismatch(indices, from.indices);
        if (part != from.indices.end() && wanted != indices.end()) continue;  // another element
        reached = true;
        if (part == from.indices.end()) {
            set_along(connection, {wanted, indices.end()}, *connector, assignment);
            continue;
        }
        diagnostics_.error("start-value", assignment.where,
                           "connector '" + connector->name + "' leads on element by element, set '" + connector->name +
                               "[1]' and so on");
    }
    if (!reached)
        diagnostics_.error(
            "start-value", assignment.where,
            "connector '" + assignment.name + "' of the system gives no value to a component and cannot be set");
    return true;
}

/// The text is a value of the connector: its type and its unit, and what the connection does to it, count.
void Setter::set_along(const ssp::Connection& connection, std::vector<std::uint64_t> indices,
                       const ssp::Connector& connector, const Assignment& assignment) {
    const std::uint32_t component = connection.to.component;
    if (directory_.info(component) == nullptr) return;
    ssp::Parameter parameter;
    parameter.name = connection.to.connector;
    parameter.indices = connection.to.indices;
    parameter.indices.insert(parameter.indices.end(), indices.begin(), indices.end());
    parameter.unit = connector.unit;
    parameter.hops = connection.hops;
    parameter.where = assignment.where;
    const std::optional<Part> part =
        directory_.find({component, parameter.name, parameter.indices}, assignment.where, diagnostics_);
    if (!part) return;
    parameter.type =
        connector.type.empty() ? directory_.info(component)->variables[part->variable].declared_type : connector.type;
    // Items of an enumeration have names and numbers.
    if (parameter.type == "Enumeration" && std::holds_alternative<core::Value>(parse_value(assignment.text, "Int64")))
        parameter.type = "Int64";
    Converted parsed = parse_value(assignment.text, parameter.type);
    if (const auto* problem = std::get_if<std::string>(&parsed))
        return diagnostics_.error("bad-value", assignment.where, *problem);
    parameter.value = std::move(std::get<core::Value>(parsed));
    set_parameter(component, parameter);
}

void Setter::set_variable(std::uint32_t component, const Part& part, const Assignment& assignment) {
    if (!settable(component, part.variable, assignment.where)) return;
    core::Variable element = directory_.info(component)->variables[part.variable];
    element.size = part.count;
    const Converted converted =
        parse_value(assignment.text, element, directory_.enumeration_of(component, part.variable, nullptr));
    if (const auto* problem = std::get_if<std::string>(&converted))
        return diagnostics_.error("bad-value", assignment.where, *problem);
    std::optional<core::Value> value = whole(component, part, std::get<core::Value>(converted));
    if (!value)
        return diagnostics_.error("array-size", assignment.where, "the value does not fit '" + assignment.name + "'");
    check_range(component, part.variable, *value, assignment.where);
    give(component, {std::move(*value), "--set", part.variable});
}

void Setter::fill(std::uint32_t component, core::PlannedUnit& unit) const {
    const core::UnitInfo* info = directory_.info(component);
    if (info == nullptr) return;
    for (const auto& [variable, given] : values_[component]) {
        core::Values& values = info->variables[given.variable].causality == core::Causality::structural_parameter
                                   ? unit.structural
                                   : unit.start;
        values.push_back({given.variable, given.value});
        unit.effective.push_back({given.variable, given.value, given.origin});
    }
    for (std::uint32_t i = 0; i < info->variables.size(); ++i) {
        const core::Variable& variable = info->variables[i];
        if (!is_parameter(variable) || !variable.start || values_[component].contains(canonical(*info, i))) continue;
        unit.effective.push_back({i, *variable.start, core::from_description});
    }
    std::ranges::sort(unit.effective, {}, &core::EffectiveValue::variable);
}

}  // namespace

void resolve_values(const ssp::Description& description, const Directory& directory, std::span<const std::string> set,
                    core::Plan& plan, base::Diagnostics& diagnostics) {
    Setter setter(description, directory, diagnostics);
    for (std::uint32_t i = 0; i < description.components.size(); ++i) setter.set_parameters(i);
    for (const std::string& assignment : set) setter.set_from_command_line(assignment);
    for (std::uint32_t i = 0; i < description.components.size(); ++i) setter.fill(i, plan.units[i]);
    setter.report_units();
}

}  // namespace master::build
