#include "fmus/common/description/description.hpp"

#include "fmus/common/declaring/facts.hpp"
#include "fmus/common/declaring/units.hpp"
#include "fmus/common/declaring/values.hpp"
#include "fmus/common/description/hash.hpp"

#include <algorithm>
#include <set>

namespace fmus {

namespace {

void write_terminal(XmlWriter& xml, const Terminal& terminal) {
    xml.open("Terminal").attribute("name", terminal.name).attribute("matchingRule", terminal.rule);
    xml.optional_attribute("terminalKind", terminal.kind);
    for (const Terminal::Member& member : terminal.members)
        xml.open("TerminalMemberVariable")
            .attribute("variableName", member.variable)
            .attribute("memberName", member.name)
            .attribute("variableKind", member.kind)
            .close();
    for (const Terminal& inner : terminal.terminals) write_terminal(xml, inner);
    xml.close();
}

}  // namespace

std::string terminals_description(const Instance& instance) {
    XmlWriter xml;
    xml.open("fmiTerminalsAndIcons").attribute("fmiVersion", "3.0");
    xml.open("Terminals");
    for (const Terminal& terminal : instance.terminals()) write_terminal(xml, terminal);
    return xml.close().close().text();
}

std::string layered_standard_manifest(const LayeredStandard& standard) {
    XmlWriter xml;
    xml.open(standard.element)
        .attribute("xmlns:fmi-ls", "http://fmi-standard.org/fmi-ls-manifest")
        .attribute("fmi-ls:fmi-ls-name", standard.name)
        .attribute("fmi-ls:fmi-ls-version", standard.version)
        .attribute("fmi-ls:fmi-ls-description", standard.description);
    for (const auto& [name, value] : standard.attributes) xml.attribute(name, value);
    return xml.close().text();
}

namespace description {

std::string token_of(const std::string& text) {
    const std::uint64_t high = hash(text);
    const std::uint64_t low = hash(text, high);
    const auto hex = [](std::uint64_t value, int digits) {
        std::string result(static_cast<std::size_t>(digits), '0');
        for (auto digit = result.rbegin(); digit != result.rend(); ++digit, value >>= 4)
            *digit = "0123456789abcdef"[value & 15];
        return result;
    };
    return '{' + hex(high >> 32, 8) + '-' + hex(high >> 16, 4) + '-' + hex(high, 4) + '-' + hex(low >> 48, 4) + '-' +
           hex(low, 12) + '}';
}

std::string model_name(const Instance& instance) {
    return instance.about().name.empty() ? build_facts().identifier : instance.about().name;
}

const char* text_of(Causality causality) {
    switch (causality) {
        case Causality::structural_parameter:
            return "structuralParameter";
        case Causality::parameter:
            return "parameter";
        case Causality::calculated_parameter:
            return "calculatedParameter";
        case Causality::input:
            return "input";
        case Causality::output:
            return "output";
        case Causality::local:
            return "local";
        case Causality::independent:
            return "independent";
    }
    return "";
}

const char* text_of(Variability variability) {
    switch (variability) {
        case Variability::constant:
            return "constant";
        case Variability::fixed:
            return "fixed";
        case Variability::tunable:
            return "tunable";
        case Variability::discrete:
            return "discrete";
        case Variability::continuous:
            return "continuous";
    }
    return "";
}

std::string initial_text(const Variable& variable) {
    const bool computed = variable.causality == Causality::output || variable.causality == Causality::local ||
                          variable.causality == Causality::calculated_parameter;
    if (!computed || variable.variability == Variability::constant) return "";
    if (variable.initial == Initial::exact) return "exact";
    return variable.initial == Initial::approx ? "approx" : "";
}

bool has_start(const Variable& variable) {
    if (variable.type == Type::clock) return false;
    return variable.causality == Causality::input || variable.initial == Initial::exact ||
           variable.initial == Initial::approx;
}

std::string start_text(const Variable& variable, std::size_t element) {
    std::string text;
    with_element(variable, element, [&](const auto& value) {
        using Value = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<Value, bool>) {
            text = value ? "true" : "false";
        } else if constexpr (std::is_arithmetic_v<Value>) {
            text = XmlWriter::number(value);
        } else if constexpr (std::is_same_v<Value, std::string>) {
            text = value;
        } else {
            for (const std::uint8_t byte : value)
                text.append({"0123456789abcdef"[byte >> 4], "0123456789abcdef"[byte & 15]});
        }
    });
    return text;
}

void write_units(XmlWriter& xml, const Instance& instance) {
    std::set<std::string> names;
    for (const Variable& variable : instance.variables())
        if (!variable.unit.empty()) names.insert(variable.unit);
    xml.open("UnitDefinitions");
    for (const std::string& name : names) {
        xml.open("Unit").attribute("name", name);
        if (const SiUnit* unit = find_unit(name)) {
            xml.open("BaseUnit");
            const auto exponent = [&](const char* base, int value) {
                if (value != 0) xml.attribute(base, value);
            };
            exponent("kg", unit->kg);
            exponent("m", unit->m);
            exponent("s", unit->s);
            exponent("A", unit->A);
            exponent("K", unit->K);
            exponent("mol", unit->mol);
            exponent("cd", unit->cd);
            exponent("rad", unit->rad);
            if (unit->factor != 1) xml.attribute("factor", unit->factor);
            if (unit->offset != 0) xml.attribute("offset", unit->offset);
            xml.close();
        }
        xml.close();
    }
    xml.close();
}

void write_log_categories(XmlWriter& xml) {
    xml.open("LogCategories");
    xml.open("Category").attribute("name", "logStatusWarning").attribute("description", "Warnings").close();
    xml.open("Category").attribute("name", "logStatusError").attribute("description", "Refused calls").close();
    xml.close();
}

void write_experiment(XmlWriter& xml, const Instance& instance) {
    xml.open("DefaultExperiment")
        .attribute("startTime", 0)
        .attribute("stopTime", instance.about().stop)
        .attribute("stepSize", instance.about().step)
        .close();
}

namespace {

std::vector<std::size_t> indices(const Instance& instance, const std::vector<std::string>& names) {
    std::vector<std::size_t> result;
    result.reserve(names.size());
    for (const std::string& name : names) result.push_back(instance.index_of(name));
    std::sort(result.begin(), result.end());
    return result;
}

bool is_known_during_run(const Instance& instance, std::size_t index) {
    const Causality causality = instance.variables()[index].causality;
    return causality == Causality::input || causality == Causality::independent || instance.is_state(index);
}

bool is_known_at_start(const Variable& variable) {
    return variable.initial == Initial::exact && variable.variability != Variability::constant &&
           variable.causality != Causality::structural_parameter;
}

}  // namespace

Dependencies dependencies(const Instance& instance, std::size_t unknown) {
    const Variable& variable = instance.variables()[unknown];
    if (!variable.depends) {
        if (instance.is_state(unknown)) return std::vector{unknown};
        return std::nullopt;
    }
    std::vector<std::size_t> known = indices(instance, *variable.depends);
    std::erase_if(known, [&](std::size_t index) { return !is_known_during_run(instance, index); });
    return known;
}

/// At the start an unknown depends on its inputs and, unless stated otherwise, on every value the user may give.
Dependencies initial_dependencies(const Instance& instance, std::size_t unknown) {
    const Variable& variable = instance.variables()[unknown];
    if (variable.depends_at_start) return indices(instance, *variable.depends_at_start);
    const Dependencies later = dependencies(instance, unknown);
    if (!later) return std::nullopt;
    std::vector<std::size_t> known;
    for (std::size_t i = 0; i < instance.variables().size(); ++i) {
        const Variable& candidate = instance.variables()[i];
        const bool stated = std::find(later->begin(), later->end(), i) != later->end();
        const bool direct = candidate.causality == Causality::input || candidate.causality == Causality::independent;
        if (is_known_at_start(candidate) || (stated && direct)) known.push_back(i);
    }
    return known;
}

std::vector<std::size_t> outputs(const Instance& instance) {
    std::vector<std::size_t> result;
    for (std::size_t i = 0; i < instance.variables().size(); ++i)
        if (instance.variables()[i].causality == Causality::output) result.push_back(i);
    return result;
}

std::vector<std::size_t> initial_unknowns(const Instance& instance) {
    std::vector<std::size_t> result;
    for (std::size_t i = 0; i < instance.variables().size(); ++i) {
        const Variable& variable = instance.variables()[i];
        // A clock has no `initial`: as an output it is calculated.
        const bool calculated = variable.initial == Initial::calculated || variable.type == Type::clock;
        if (!calculated && variable.initial != Initial::approx) continue;
        if (!variable.clocks.empty()) continue;
        if (variable.causality == Causality::output || variable.causality == Causality::calculated_parameter ||
            instance.is_state(i) || !variable.derivative_of.empty())
            result.push_back(i);
    }
    return result;
}

}  // namespace description

}  // namespace fmus
