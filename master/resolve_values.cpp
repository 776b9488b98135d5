#include "master/resolve_values.hpp"

#include "master/value_conversion.hpp"

#include <algorithm>
#include <map>

namespace master {
namespace {

bool is_parameter(const Variable& variable) {
    return variable.causality == Causality::parameter || variable.causality == Causality::structural_parameter;
}

/// Empty, or why the variable may not be set before a run.
std::string why_not_settable(const Variable& variable) {
    if (variable.variability == Variability::constant) return "is a constant";
    if (variable.causality == Causality::input || is_parameter(variable)) return {};
    if (variable.causality == Causality::independent) return "is the independent variable";
    if (variable.initial == Initial::exact || variable.initial == Initial::approx) return {};
    if (variable.causality == Causality::calculated_parameter) return "is calculated by the unit";
    return "is calculated by the unit (initial is neither exact nor approx)";
}

template <typename T>
void replace_elements(std::vector<T>& into, const std::vector<T>& values, const Part& part) {
    std::copy(values.begin(), values.end(), into.begin() + part.element);
}

class Setter {
public:
    Setter(const ssp::Description& description, const Directory& directory, Diagnostics& diagnostics)
        : description_(description),
          directory_(directory),
          diagnostics_(diagnostics),
          values_(description.components.size()) {}

    void set_parameters(std::uint32_t component);
    void set_from_command_line(const std::string& assignment);
    void fill(std::uint32_t component, PlannedUnit& unit) const;
    void report_units();

private:
    struct Given {
        Value value;
        std::string origin;
        std::uint32_t variable = 0;  // as named; aliases share one entry
    };

    void set_parameter(std::uint32_t component, const ssp::Parameter& parameter);
    [[nodiscard]] std::optional<Value> whole(std::uint32_t component, const Part& part, const Value& value) const;
    [[nodiscard]] bool settable(std::uint32_t component, std::uint32_t variable, const std::string& where) const;
    void give(std::uint32_t component, std::uint32_t variable, Value value, const std::string& origin);
    void check_range(std::uint32_t component, std::uint32_t variable, const Value& value,
                     const std::string& where) const;

    const ssp::Description& description_;
    const Directory& directory_;
    Diagnostics& diagnostics_;
    std::vector<std::map<std::uint32_t, Given>> values_;  // per component, by the variable that holds the value
    UnitRemarks remarks_;
};

void Setter::set_parameters(std::uint32_t component) {
    if (directory_.info(component) == nullptr) return;
    for (const ssp::Parameter& parameter : description_.components[component].parameters)
        set_parameter(component, parameter);
}

void Setter::set_parameter(std::uint32_t component, const ssp::Parameter& parameter) {
    const UnitInfo& info = *directory_.info(component);
    const std::string label = description_.components[component].name + "." + parameter.name;
    if (!directory_.names(component).find(parameter.name) && parameter.indices.empty()) {
        const std::string text = "no variable '" + parameter.name + "' in component '" +
                                 description_.components[component].name + "', the value is ignored" +
                                 directory_.names(component).hint(parameter.name);
        if (parameter.mapped)
            diagnostics_.warn("unmatched-parameter", parameter.hops.front().where, text);
        else
            diagnostics_.note("unmatched-parameter", parameter.where, text);
        return;
    }
    const std::optional<Part> part =
        directory_.find({component, parameter.name, parameter.indices}, parameter.where, diagnostics_);
    if (!part || !settable(component, part->variable, parameter.where)) return;
    const Variable& variable = info.variables[part->variable];
    const ssp::Connector* connector = description_.components[component].connector(parameter.name);

    // A value without a unit is in the variable's own.
    const UsedUnit to = directory_.unit_of(component, part->variable, connector);
    UsedUnit from = to;
    if (parameter.unit) from.unit = *parameter.unit;
    if (!from.unit.exponents) {
        const auto known = std::ranges::find(info.units, from.unit.name, &PhysicalUnit::name);
        if (known != info.units.end()) from.unit = *known;
    }
    const std::optional<Chain> chain = variable.type == Type::real
                                           ? chain_of(parameter.hops, from, to, label, remarks_, diagnostics_)
                                           : chain_without_units(parameter.hops, label, diagnostics_);
    if (!chain) return;
    Converted converted =
        convert_value(parameter, *chain, variable, directory_.enumeration_of(component, part->variable, connector));
    if (const auto* problem = std::get_if<std::string>(&converted)) {
        diagnostics_.error("bad-value", parameter.where, "'" + label + "': " + *problem);
        return;
    }
    std::optional<Value> value = whole(component, *part, std::get<Value>(converted));
    if (!value) {
        diagnostics_.error("array-size", parameter.where,
                           "'" + label + "': " + std::to_string(size_of(std::get<Value>(converted))) + " values for " +
                               std::to_string(part->count) + " elements");
        return;
    }
    check_range(component, part->variable, *value, parameter.where);
    give(component, part->variable, std::move(*value), parameter.where);
}

/// The value of the whole variable, where a part of an array was given.
std::optional<Value> Setter::whole(std::uint32_t component, const Part& part, const Value& value) const {
    if (size_of(value) != part.count) return std::nullopt;
    const UnitInfo& info = *directory_.info(component);
    const Variable& variable = info.variables[part.variable];
    if (part.count == variable.size) return value;
    const auto given = values_[component].find(canonical(info, part.variable));
    Value base = given != values_[component].end() ? given->second.value : variable.start.value_or(value);
    return std::visit(
        [&]<typename T>(std::vector<T> all) -> std::optional<Value> {
            const auto* elements = std::get_if<std::vector<T>>(&value);
            if (elements == nullptr) return std::nullopt;
            all.resize(variable.size);
            replace_elements(all, *elements, part);
            return Value(std::move(all));
        },
        std::move(base));
}

bool Setter::settable(std::uint32_t component, std::uint32_t variable, const std::string& where) const {
    const Variable& described = directory_.info(component)->variables[variable];
    const std::string why_not = why_not_settable(described);
    if (why_not.empty()) return true;
    diagnostics_.error(
        "not-settable", where,
        "'" + description_.components[component].name + "." + described.name + "' " + why_not + " and cannot be set");
    return false;
}

void Setter::give(std::uint32_t component, std::uint32_t variable, Value value, const std::string& origin) {
    values_[component].insert_or_assign(canonical(*directory_.info(component), variable),
                                        Given{std::move(value), origin, variable});
}

void Setter::check_range(std::uint32_t component, std::uint32_t variable, const Value& value,
                         const std::string& where) const {
    const Variable& described = directory_.info(component)->variables[variable];
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

void Setter::set_from_command_line(const std::string& assignment) {
    const std::string where = "--set " + assignment;
    const auto equals = assignment.find('=');
    if (equals == std::string::npos || equals == 0)
        return diagnostics_.error("bad-set", where, "expected component.parameter=value");
    const std::string name = assignment.substr(0, equals);
    const std::string text = assignment.substr(equals + 1);

    // Names of components and of variables may both hold dots: the longest component name that fits is meant.
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
    if (!component)
        return diagnostics_.error("unknown-component", where,
                                  "no component of '" + name + "'" +
                                      did_you_mean(name.substr(0, name.rfind('.')), directory_.component_names()));
    if (directory_.info(*component) == nullptr) return;
    const std::optional<Part> part = directory_.find({*component, variable_name, {}}, where, diagnostics_);
    if (!part || !settable(*component, part->variable, where)) return;
    const Variable& variable = directory_.info(*component)->variables[part->variable];
    Variable element = variable;
    element.size = part->count;
    const Converted converted =
        parse_value(text, element, directory_.enumeration_of(*component, part->variable, nullptr));
    if (const auto* problem = std::get_if<std::string>(&converted))
        return diagnostics_.error("bad-value", where, *problem);
    std::optional<Value> value = whole(*component, *part, std::get<Value>(converted));
    if (!value) return diagnostics_.error("array-size", where, "the value does not fit '" + name + "'");
    check_range(*component, part->variable, *value, where);
    give(*component, part->variable, std::move(*value), "--set");
}

void Setter::fill(std::uint32_t component, PlannedUnit& unit) const {
    const UnitInfo* info = directory_.info(component);
    if (info == nullptr) return;
    for (const auto& [variable, given] : values_[component]) {
        Values& values =
            info->variables[given.variable].causality == Causality::structural_parameter ? unit.structural : unit.start;
        values.push_back({given.variable, given.value});
        unit.effective.push_back({given.variable, given.value, given.origin});
    }
    for (std::uint32_t i = 0; i < info->variables.size(); ++i) {
        const Variable& variable = info->variables[i];
        if (!is_parameter(variable) || !variable.start || values_[component].contains(canonical(*info, i))) continue;
        unit.effective.push_back({i, *variable.start, "modelDescription"});
    }
    std::ranges::sort(unit.effective, {}, &EffectiveValue::variable);
}

void Setter::report_units() {
    if (remarks_.unchanged == 0) return;
    const std::string others =
        remarks_.unchanged == 1 ? "" : " (and " + std::to_string(remarks_.unchanged - 1) + " more)";
    diagnostics_.note("unit-undefined", remarks_.where, remarks_.text + ": the value is taken unchanged" + others);
}

}  // namespace

void resolve_values(const ssp::Description& description, const Directory& directory, const ResolveOptions& options,
                    Plan& plan, Diagnostics& diagnostics) {
    Setter setter(description, directory, diagnostics);
    for (std::uint32_t i = 0; i < description.components.size(); ++i) setter.set_parameters(i);
    for (const std::string& assignment : options.set) setter.set_from_command_line(assignment);
    for (std::uint32_t i = 0; i < description.components.size(); ++i) setter.fill(i, plan.units[i]);
    setter.report_units();
}

}  // namespace master
