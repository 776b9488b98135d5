#include "master/build/resolve/connections.hpp"

#include "master/build/native_types.hpp"
#include "master/build/resolve/chain.hpp"
#include "master/build/resolve/driven_parts.hpp"
#include "master/build/resolve/mime_type.hpp"
#include "master/core/value_text.hpp"
#include "master/ssp/common.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <ranges>
#include <set>

namespace master::build {
namespace {

using Form = ssp::Transformation::Form;
using Family = NativeType::Family;

std::string_view to_string(core::Causality causality) {
    static constexpr std::array<std::string_view, 7> names{
        "structural parameter", "parameter", "calculated parameter", "input", "output", "local", "independent"};
    return names[static_cast<std::size_t>(causality)];
}

bool gives(const core::Variable& variable) {
    return variable.causality != core::Causality::input || core::is_time_based(variable);
}

/// Only what cannot be meant: files call parameters, locals and outputs by each other's kinds.
bool contradicts(ssp::Kind kind, const core::Variable& variable) {
    return (kind == ssp::Kind::input && variable.causality == core::Causality::output) ||
           (kind == ssp::Kind::output && !gives(variable));
}

/// One end of a connection, looked up. On the root's boundary there is only what the connector declares.
struct End {
    std::uint32_t component = ssp::Terminal::boundary;
    const ssp::Connector* connector = nullptr;
    const core::Variable* variable = nullptr;  // null on the boundary
    Part part;
    std::string label;

    [[nodiscard]] bool boundary() const { return component == ssp::Terminal::boundary; }
};

class ConnectionResolver {
public:
    ConnectionResolver(const ssp::Description& description, const Directory& directory, core::Plan& plan,
                       base::Diagnostics& diagnostics)
        : description_(description), directory_(directory), plan_(plan), diagnostics_(diagnostics) {}

    void run() {
        check_declared_connectors();
        for (const ssp::Connection& connection : description_.connections) connect(connection);
        add_free_inputs();
        check_boundary();
        remarks_.report("the value passes unchanged", diagnostics_);
    }

private:
    void check_declared_connectors();
    void check_declared(std::uint32_t component, const ssp::Connector& connector, bool connected);
    [[nodiscard]] bool misdeclared(const ssp::Terminal& terminal) const;
    void connect(ssp::Connection connection);
    [[nodiscard]] bool known(const ssp::Terminal& terminal) const;
    [[nodiscard]] std::optional<End> find(const ssp::Terminal& terminal, const std::string& where) const;
    [[nodiscard]] bool check_causality(const End& from, const End& to, const std::string& where) const;
    [[nodiscard]] bool check_clocks(const End& from, const End& to, const std::string& where) const;
    [[nodiscard]] bool check_size(const End& from, const End& to, const std::string& where) const;
    [[nodiscard]] bool check_type(const End& from, const End& to, const Chain& chain, const std::string& where) const;
    void check_hops(const ssp::Connection& connection, const End& from, const End& to, const Chain& chain) const;
    [[nodiscard]] std::optional<Chain> chain(const ssp::Connection& connection, const End& from, const End& to);
    [[nodiscard]] bool claim(const End& to, const std::string& label, const std::string& where);
    void add_wire(const ssp::Connection& connection, const End& from, const End& to, const Chain& chain);
    void overrule(const core::PlannedWire& wire);
    [[nodiscard]] bool is_given(std::uint32_t component, std::uint32_t input);
    void add_port(const ssp::Connection& connection, const End& from, const End& to, const Chain& chain);
    void add_free_inputs();
    void check_boundary();
    [[nodiscard]] std::optional<NativeType> type_of(const End& end) const;
    [[nodiscard]] UsedUnit unit_of(const End& end, const End& other, const ssp::Connection& connection) const;

    const ssp::Description& description_;
    const Directory& directory_;
    core::Plan& plan_;
    base::Diagnostics& diagnostics_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, DrivenParts> driven_;
    std::map<std::uint32_t, std::set<std::uint32_t>> given_;  // inputs of a component that a set gives a value
    std::set<std::string> joined_boundary_;
    std::set<std::pair<std::uint32_t, std::string>> misdeclared_;  // connectors whose kind is wrong
    UnitRemarks remarks_;
};

void ConnectionResolver::check_declared_connectors() {
    std::set<std::pair<std::uint32_t, std::string>> connected;
    for (const ssp::Connection& connection : description_.connections)
        for (const ssp::Terminal* terminal : {&connection.from, &connection.to})
            connected.emplace(terminal->component, terminal->connector);
    for (std::uint32_t i = 0; i < description_.components.size(); ++i) {
        if (directory_.info(i) == nullptr) continue;
        for (const ssp::Connector& connector : description_.components[i].connectors)
            check_declared(i, connector, connected.contains({i, connector.name}));
    }
}

/// What a file declares must be what the FMU has. Connectors that nothing uses are only warned about, unless strict.
void ConnectionResolver::check_declared(std::uint32_t component, const ssp::Connector& connector, bool connected) {
    const auto report = [&](const std::string& code, const std::string& text) {
        const std::string full =
            "connector '" + description_.components[component].name + "." + connector.name + "' " + text;
        if (connected)
            diagnostics_.error(code, connector.where, full);
        else
            diagnostics_.warn(code, connector.where, full);
    };
    const core::UnitInfo& info = *directory_.info(component);
    base::Diagnostics unused;  // a connected one is reported where it is used
    const std::optional<Part> part =
        directory_.find({.component = component, .connector = connector.name, .indices = {}}, connector.where, unused);
    if (!part) {
        if (!connected)
            report("unknown-name", "has no variable behind it" + directory_.names(component).hint(connector.name));
        return;
    }
    const core::Variable& variable = info.variables[part->variable];
    if (contradicts(connector.kind, variable)) {
        misdeclared_.emplace(component, connector.name);
        diagnostics_.error("causality", connector.where,
                           "connector '" + description_.components[component].name + "." + connector.name +
                               "' is declared as " + std::string(ssp::to_string(connector.kind)) +
                               ", the variable is an " + std::string(to_string(variable.causality)));
    }
    // An element of an array has the type and unit of the whole.
    const std::optional<NativeType> declared = native_type(connector.type);
    const std::optional<NativeType> actual = native_type(variable.declared_type);
    const bool enumeration_as_integer = declared && actual && declared->family != actual->family &&
                                        widens(*declared, *actual) && widens(*actual, *declared);
    if (declared && actual && *declared != *actual && !enumeration_as_integer)
        report("type-mismatch", "is declared as " + connector.type + ", the variable is " + variable.declared_type);
    bool fits = connector.dimensions.empty() || connector.dimensions.size() == variable.dimensions.size();
    for (std::size_t i = 0; fits && i < connector.dimensions.size(); ++i)
        fits = !connector.dimensions[i].size || *connector.dimensions[i].size == variable.dimensions[i];
    if (!fits) report("array-size", "has dimensions that differ from the variable's");
    if (!connector.unit) return;
    const UsedUnit stated{.unit = directory_.defined(component, *connector.unit),
                          .relative = variable.relative_quantity};
    const UsedUnit own{.unit = directory_.defined(component, {.name = variable.unit, .exponents = {}}),
                       .relative = variable.relative_quantity};
    const UnitConversion conversion = convert(stated, own);
    const bool differs = conversion.outcome == UnitConversion::Outcome::refused || !conversion.scale.identity();
    if (differs)
        report("unit-mismatch",
               "is declared in '" + connector.unit->name + "', the variable has '" + variable.unit + "'");
    else if (conversion.outcome == UnitConversion::Outcome::doubtful)
        remarks_.add(conversion, "connector '" + description_.components[component].name + "." + connector.name + "'",
                     connector.where);
}

bool ConnectionResolver::known(const ssp::Terminal& terminal) const {
    return terminal.component == ssp::Terminal::boundary || directory_.info(terminal.component) != nullptr;
}

bool ConnectionResolver::misdeclared(const ssp::Terminal& terminal) const {
    return misdeclared_.contains({terminal.component, terminal.connector});
}

void ConnectionResolver::connect(ssp::Connection connection) {
    if (!known(connection.from) || !known(connection.to)) return;
    // The declared kinds gave the connection its direction: what follows from a wrong one is not worth a message.
    if (misdeclared(connection.from) || misdeclared(connection.to)) return;
    std::optional<End> from = find(connection.from, connection.where);
    std::optional<End> to = find(connection.to, connection.where);
    if (!from || !to) return;
    if (from->boundary() && to->boundary()) {
        diagnostics_.ignored(
            "ignored", connection.where,
            "'" + from->label + "' of the system leads straight to '" + to->label + "' and to no component");
        return;
    }
    const bool reversed = !connection.oriented && !can_be_driven(*to->variable) && can_be_driven(*from->variable);
    if (reversed) {
        std::swap(connection.from, connection.to);
        std::swap(from, to);
    }
    if (!check_clocks(*from, *to, connection.where)) return;
    if (!check_causality(*from, *to, connection.where)) return;
    const std::optional<Chain> chained = chain(connection, *from, *to);
    if (!chained) return;
    // Both are checked, so that a user sees both.
    const bool sizes = check_size(*from, *to, connection.where);
    const bool types = check_type(*from, *to, *chained, connection.where);
    if (!sizes || !types) return;
    check_hops(connection, *from, *to, *chained);
    const bool binary =
        from->variable != nullptr && to->variable != nullptr && from->variable->type == core::Type::bytes;
    const auto differ = [](const std::string& a, const std::string& b) { return !a.empty() && !b.empty() && a != b; };
    if (binary && differ(from->variable->mime_type, to->variable->mime_type)) {
        const std::string text = "'" + from->label + "' gives '" + from->variable->mime_type + "', '" + to->label +
                                 "' expects '" + to->variable->mime_type + "'";
        if (same_release(from->variable->mime_type, to->variable->mime_type))
            diagnostics_.note("mime-type", connection.where, text);
        else
            diagnostics_.warn("mime-type", connection.where, text);
    }
    if (!to->boundary() && !claim(*to, from->label, connection.where)) return;
    if (from->boundary() || to->boundary())
        add_port(connection, *from, *to, *chained);
    else
        add_wire(connection, *from, *to, *chained);
}

std::optional<End> ConnectionResolver::find(const ssp::Terminal& terminal, const std::string& where) const {
    End end{.component = terminal.component, .part = {}, .label = {}};
    if (end.boundary()) {
        end.connector = &*std::ranges::find(description_.boundary, terminal.connector, &ssp::Connector::name);
        end.label = terminal.connector;
        for (const std::uint64_t index : terminal.indices)
            end.label += (&index == terminal.indices.data() ? "[" : ",") + std::to_string(index);
        if (!terminal.indices.empty()) end.label += "]";
        return end;
    }
    const std::optional<Part> part = directory_.find(terminal, where, diagnostics_);
    if (!part) return std::nullopt;
    end.connector = directory_.component(terminal.component).connectors.find(terminal.connector);
    end.variable = &directory_.info(terminal.component)->variables[part->variable];
    end.part = *part;
    end.label = directory_.label(terminal.component, *part);
    return end;
}

bool ConnectionResolver::check_causality(const End& from, const End& to, const std::string& where) const {
    if (from.variable != nullptr && !gives(*from.variable)) {
        const bool both = to.variable != nullptr && !gives(*to.variable);
        diagnostics_.error(
            "causality", where,
            "'" + from.label + "' is an input and gives no value" + (both ? "; so is '" + to.label + "'" : ""));
        return false;
    }
    if (to.variable == nullptr || can_be_driven(*to.variable)) return true;
    // A system's parameter hands its value down before the run; nothing flows later.
    const bool parameter = to.variable->causality == core::Causality::parameter ||
                           to.variable->causality == core::Causality::structural_parameter;
    if (from.boundary() && parameter) return true;
    diagnostics_.error("causality", where,
                       "'" + to.label + "' (" + (parameter ? "fixed " : "") +
                           std::string(to_string(to.variable->causality)) + ") cannot be driven by '" + from.label +
                           "', expected an input or a tunable parameter");
    return false;
}

/// A time-based clock ticks when its interval says so (FMI 3.0, 2.2.8): another unit's ticks cannot reach it.
bool ConnectionResolver::check_clocks(const End& from, const End& to, const std::string& where) const {
    if (from.variable == nullptr || to.variable == nullptr) return true;
    if (!core::is_time_based(*to.variable)) return true;
    diagnostics_.error("clock", where,
                       "'" + to.label + "' is a clock with an interval of its own and cannot be triggered by '" +
                           from.label + "', expected a triggered input clock");
    return false;
}

bool ConnectionResolver::check_size(const End& from, const End& to, const std::string& where) const {
    if (from.boundary() || to.boundary() || from.part.count == to.part.count) return true;
    diagnostics_.error("array-size", where,
                       "'" + from.label + "' has " + std::to_string(from.part.count) + " elements, '" + to.label +
                           "' has " + std::to_string(to.part.count));
    return false;
}

std::optional<NativeType> ConnectionResolver::type_of(const End& end) const {
    return native_type(end.variable != nullptr ? end.variable->declared_type : end.connector->type);
}

bool ConnectionResolver::check_type(const End& from, const End& to, const Chain& chain,
                                    const std::string& where) const {
    const std::optional<NativeType> source = type_of(from);
    const std::optional<NativeType> target = type_of(to);
    if (!source || !target) return true;
    const auto mapped = [](Family family) {
        return family == Family::integer || family == Family::natural || family == Family::enumeration ||
               family == Family::boolean;
    };
    const auto refuse = [&](const std::string& hint) {
        const auto spelt = [](const End& end) {
            return end.variable != nullptr ? end.variable->declared_type : end.connector->type;
        };
        diagnostics_.error("type-mismatch", where,
                           "'" + from.label + "' is " + spelt(from) + ", '" + to.label + "' is " + spelt(to) + hint);
        return false;
    };
    if (chain.transforms) {
        const bool number = source->family == Family::real || source->family == Family::integer ||
                            source->family == Family::natural || source->family == Family::boolean;
        return (number && target->family == Family::real) ||
               refuse("; a LinearTransformation needs a number and gives a Real");
    }
    if (chain.form == Form::boolean)
        return (source->family == Family::boolean && target->family == Family::boolean) ||
               refuse("; a BooleanMappingTransformation joins Booleans");
    if (chain.form == Form::enumeration)
        return (source->family == Family::enumeration && target->family == Family::enumeration) ||
               refuse("; an EnumerationMappingTransformation joins enumerations");
    if (chain.form == Form::integer)
        return (mapped(source->family) && mapped(target->family)) ||
               refuse("; an IntegerMappingTransformation joins integers");
    if (widens(*source, *target)) return true;
    if (target->family == Family::real && (mapped(source->family) || source->family == Family::real))
        return refuse("; a LinearTransformation can convert it");
    if (mapped(source->family) && mapped(target->family))
        return refuse("; an IntegerMappingTransformation can convert it");
    return refuse(", which would lose values");
}

/// A nested system's connector hands values on as they are: a declared type that could not hold them is not meant.
void ConnectionResolver::check_hops(const ssp::Connection& connection, const End& from, const End& to,
                                    const Chain& chain) const {
    const std::optional<NativeType> source = type_of(from), target = type_of(to);
    if (!source || !target || chain.transforms || chain.form != Form::none) return;
    for (const ssp::Hop& hop : connection.hops) {
        const std::optional<NativeType> declared = native_type(hop.type);
        if (!declared || (widens(*source, *declared) && widens(*declared, *target))) continue;
        const std::string wire = "'" + from.label + " -> " + to.label + "'";
        diagnostics_.warn("type-mismatch", hop.declared, "'" + hop.connector + "' is " + hop.type + ", unlike " + wire);
    }
}

UsedUnit ConnectionResolver::unit_of(const End& end, const End& other, const ssp::Connection& connection) const {
    if (!end.boundary()) return directory_.unit_of(end.component, end.part.variable, end.connector);
    // A root connector without a unit means the unit of what it leads to: a nested connector's, or the variable's.
    UsedUnit inner = directory_.unit_of(other.component, other.part.variable, other.connector);
    std::optional<core::PhysicalUnit> stated = end.connector->unit;
    const auto nearest = [&](const ssp::Hop& hop) {
        if (!stated) stated = hop.unit;
    };
    if (connection.from.component == ssp::Terminal::boundary)
        std::ranges::for_each(connection.hops, nearest);
    else
        std::ranges::for_each(connection.hops | std::views::reverse, nearest);
    if (stated) inner.unit = directory_.defined(other.component, *stated);
    return inner;
}

std::optional<Chain> ConnectionResolver::chain(const ssp::Connection& connection, const End& from, const End& to) {
    const std::string label = from.label + " -> " + to.label;
    const auto real = [](const End& end) { return end.variable == nullptr || end.variable->type == core::Type::real; };
    if (!real(from) || !real(to)) return chain_without_units(connection.hops, label, diagnostics_);
    return chain_of(connection.hops, unit_of(from, to, connection), unit_of(to, from, connection), label, remarks_,
                    diagnostics_);
}

/// Every element of an input has one source; FMI 2 aliases are one input.
bool ConnectionResolver::claim(const End& to, const std::string& label, const std::string& where) {
    const core::UnitInfo& info = *directory_.info(to.component);
    DrivenParts& taken = driven_[{to.component, canonical(info, to.part.variable)}];
    const Driven* const other = taken.add({to.part, label, where});
    if (other == nullptr) return true;
    std::string text = "'" + to.label + "' has a second source '" + label + "'; the first is '" + other->label +
                       "' at " + other->where;
    if (other->part.variable != to.part.variable)
        text += " ('" + info.variables[other->part.variable].name + "' and '" + to.variable->name +
                "' are one variable under two names)";
    diagnostics_.error("two-sources", where, text);
    return false;
}

void ConnectionResolver::add_wire(const ssp::Connection& connection, const End& from, const End& to,
                                  const Chain& chain) {
    core::PlannedWire wire;
    wire.from = {from.component, from.part.variable, from.part.element};
    wire.to = {to.component, to.part.variable, to.part.element};
    wire.count = to.part.count;
    wire.gain = chain.scale.gain;
    wire.offset = chain.scale.offset;
    wire.hold = connection.hold;
    wire.bond = connection.bond;
    if (!connection.bond.empty())
        wire.role = connection.role == "effort" ? core::PlannedWire::Role::effort : core::PlannedWire::Role::flow;
    wire.label = from.label + " -> " + to.label;
    wire.where = connection.where;
    if (chain.form != Form::none) {
        const auto numbers = numbers_of(
            chain, directory_.enumeration_of(from.component, from.part.variable, from.connector),
            directory_.enumeration_of(to.component, to.part.variable, to.connector), connection.where, diagnostics_);
        if (!numbers) return;
        wire.table = *numbers;
    }
    overrule(wire);
    plan_.wires.push_back(std::move(wire));
}

/// What another unit drives never has the value that a set gives it. Of an input that value stays as the first guess of
/// an algebraic loop at the start; files give such values by habit, a command line means it.
void ConnectionResolver::overrule(const core::PlannedWire& wire) {
    const core::UnitInfo& info = *directory_.info(wire.to.unit);
    const core::Variable& variable = info.variables[wire.to.variable];
    if (wire.count != variable.size) return;
    const auto is_driven = [&](const auto& given) {
        return canonical(info, given.variable) == canonical(info, wire.to.variable);
    };
    core::PlannedUnit& unit = plan_.units[wire.to.unit];
    if (!is_given(wire.to.unit, canonical(info, wire.to.variable))) return;
    const auto given = std::ranges::find_if(unit.effective, is_driven);
    if (given == unit.effective.end()) return;
    const bool is_input = variable.causality == core::Causality::input;
    const bool is_start = std::ranges::any_of(unit.start, is_driven);
    const std::string text = "the value " + core::value_text(given->value) + " of '" + unit.name + "." + variable.name +
                             "' is overruled by the connection " + wire.label + " (" + wire.where + ")";
    if (is_start && is_input && given->origin == "--set")
        diagnostics_.warn("overruled", given->origin, text + "; it is a first guess at the start at most");
    else if (is_start && !is_input)
        diagnostics_.note("overruled", given->origin, text);
    if (!is_input) std::erase_if(unit.start, is_driven);
    std::erase_if(unit.effective, is_driven);
}

/// Whether a set gave the input a value, looked up once for all inputs of a unit.
bool ConnectionResolver::is_given(std::uint32_t component, std::uint32_t input) {
    const auto [found, fresh] = given_.try_emplace(component);
    if (fresh) {
        const core::UnitInfo& info = *directory_.info(component);
        for (const auto& given : plan_.units[component].effective)
            found->second.insert(canonical(info, given.variable));
    }
    return found->second.contains(input);
}

void ConnectionResolver::add_port(const ssp::Connection& connection, const End& from, const End& to,
                                  const Chain& chain) {
    const End& outer = from.boundary() ? from : to;
    const End& inner = from.boundary() ? to : from;
    joined_boundary_.insert(outer.connector->name);
    if (from.boundary() && !can_be_driven(*inner.variable)) return;
    if (chain.form != Form::none) {
        diagnostics_.error(
            "transformation", connection.where,
            "'" + outer.label +
                "' of the system has a mapping transformation; only linear ones are possible at the system's boundary");
        return;
    }
    plan_.boundary.push_back({.name = outer.label,
                              .inner = {inner.component, inner.part.variable, inner.part.element},
                              .input = from.boundary(),
                              .count = inner.part.count,
                              .gain = chain.scale.gain,
                              .offset = chain.scale.offset});
}

void ConnectionResolver::add_free_inputs() {
    for (std::uint32_t component = 0; component < description_.components.size(); ++component) {
        const core::UnitInfo* info = directory_.info(component);
        if (info == nullptr) continue;
        for (std::uint32_t index = 0; index < info->variables.size(); ++index) {
            const core::Variable& variable = info->variables[index];
            if (variable.causality != core::Causality::input || canonical(*info, index) != index) continue;
            const auto found = driven_.find({component, index});
            const auto add = [&](const Part& part) {
                plan_.boundary.push_back({.name = directory_.label(component, part),
                                          .inner = {component, index, part.element},
                                          .input = true,
                                          .count = part.count});
            };
            if (found == driven_.end()) {
                add({index, 0, static_cast<std::uint32_t>(variable.size)});
                continue;
            }
            std::uint32_t element = 0;
            const auto add_until = [&](std::uint64_t end) {
                for (; element < end; ++element) add({index, element, 1});
            };
            for (const auto& [first, driven] : found->second) {
                add_until(first);
                element = first + driven.part.count;
            }
            add_until(variable.size);
        }
    }
}

void ConnectionResolver::check_boundary() {
    for (const ssp::Connector& connector : description_.boundary)
        if (!joined_boundary_.contains(connector.name))
            diagnostics_.note("unconnected", connector.where,
                              "connector '" + connector.name + "' of the system leads to no component");
}

}  // namespace

bool can_be_driven(const core::Variable& variable) {
    if (variable.causality == core::Causality::input) return !core::is_time_based(variable);
    return variable.causality == core::Causality::parameter && variable.variability == core::Variability::tunable;
}

void resolve_connections(const ssp::Description& description, const Directory& directory, core::Plan& plan,
                         base::Diagnostics& diagnostics) {
    ConnectionResolver(description, directory, plan, diagnostics).run();
}

}  // namespace master::build
