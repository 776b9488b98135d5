#include "fmus/common/declaring/facts.hpp"
#include "fmus/common/declaring/values.hpp"
#include "fmus/common/description/description.hpp"

namespace fmus {

namespace {

using namespace description;

bool has_clocks(const Instance& instance) {
    for (const Variable& variable : instance.variables())
        if (variable.type == Type::clock) return true;
    return false;
}

void write_interfaces(XmlWriter& xml, const Instance& instance) {
    const auto common = [&] {
        xml.attribute("modelIdentifier", build_facts().identifier)
            .attribute("canGetAndSetFMUState", true)
            .attribute("canSerializeFMUState", true)
            .flag("providesDirectionalDerivatives", instance.can_differentiate());
    };
    if (build_facts().model_exchange) {
        xml.open("ModelExchange");
        common();
        xml.flag("needsCompletedIntegratorStep", instance.about().needs_completed_step).close();
    }
    xml.open("CoSimulation");
    common();
    xml.attribute("canHandleVariableCommunicationStepSize", true)
        .flag("providesIntermediateUpdate", instance.interpolates_inputs())
        .flag("mightReturnEarlyFromDoStep", instance.has_events())
        .flag("hasEventMode", instance.has_events() || has_clocks(instance));
    if (instance.has_output_derivatives()) xml.attribute("maxOutputDerivativeOrder", 1);
    xml.close();
}

void write_types(XmlWriter& xml, const Instance& instance) {
    if (instance.enumerations().empty()) return;
    xml.open("TypeDefinitions");
    for (const Enumeration& type : instance.enumerations()) {
        xml.open("EnumerationType").attribute("name", type.name);
        for (const auto& [name, value] : type.items)
            xml.open("Item").attribute("name", name).attribute("value", value).close();
        xml.close();
    }
    xml.close();
}

std::string references(const Instance& instance, const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) {
        if (!text.empty()) text += ' ';
        text += std::to_string(instance.index_of(name));
    }
    return text;
}

const char* interval_variability(ClockKind kind) {
    switch (kind) {
        case ClockKind::constant:
            return "constant";
        case ClockKind::fixed:
            return "fixed";
        case ClockKind::tunable:
            return "tunable";
        case ClockKind::changing:
            return "changing";
        case ClockKind::countdown:
            return "countdown";
        case ClockKind::triggered:
            return "triggered";
    }
    return "";
}

void write_clock_attributes(XmlWriter& xml, const ClockFacts& clock) {
    xml.attribute("intervalVariability", interval_variability(clock.kind));
    if (clock.interval == 0) return;
    const auto resolution = static_cast<double>(clock.resolution);
    xml.attribute("intervalDecimal", static_cast<double>(clock.interval) / resolution);
    if (clock.shift != 0) xml.attribute("shiftDecimal", static_cast<double>(clock.shift) / resolution);
    xml.attribute("supportsFraction", true)
        .attribute("resolution", clock.resolution)
        .attribute("intervalCounter", clock.interval);
    if (clock.shift != 0) xml.attribute("shiftCounter", clock.shift);
}

void write_numeric_attributes(XmlWriter& xml, const Instance& instance, std::size_t index) {
    const Variable& variable = instance.variables()[index];
    const bool real = variable.type == Type::float64 || variable.type == Type::float32;
    const auto bound = [&](const char* name, const std::optional<double>& value) {
        if (!value) return;
        if (real)
            xml.attribute(name, *value);
        else
            xml.attribute(name, static_cast<std::int64_t>(*value));
    };
    if (variable.type == Type::enumeration)
        xml.attribute("declaredType", instance.enumerations()[variable.enumeration].name);
    xml.optional_attribute("unit", variable.unit);
    bound("min", variable.minimum);
    bound("max", variable.maximum);
    if (real) bound("nominal", variable.nominal);
    if (!variable.derivative_of.empty()) xml.attribute("derivative", instance.index_of(variable.derivative_of));
    if (instance.is_state(index)) xml.flag("reinit", instance.has_events());
}

void write_start(XmlWriter& xml, const Variable& variable) {
    const bool nested = variable.type == Type::string || variable.type == Type::binary;
    if (!has_start(variable)) return;
    if (nested) {
        for (std::size_t i = 0; i < variable.cells.count(); ++i)
            xml.open("Start").attribute("value", start_text(variable, i)).close();
        return;
    }
    std::string list;
    for (std::size_t i = 0; i < variable.cells.count(); ++i) {
        if (i > 0) list += ' ';
        list += start_text(variable, i);
    }
    xml.attribute("start", list);
}

void write_variable(XmlWriter& xml, const Instance& instance, std::size_t index) {
    const Variable& variable = instance.variables()[index];
    xml.open(name_of(variable.type)).attribute("name", variable.name).attribute("valueReference", index);
    xml.optional_attribute("description", variable.description);
    xml.attribute("causality", text_of(variable.causality)).attribute("variability", text_of(variable.variability));
    if (!variable.clocks.empty()) xml.attribute("clocks", references(instance, variable.clocks));
    if (!variable.previous.empty()) xml.attribute("previous", instance.index_of(variable.previous));
    if (variable.type == Type::clock) {
        write_clock_attributes(xml, variable.clock);
        xml.close();
        return;
    }
    xml.flag("intermediateUpdate", variable.is_continuous_input() && instance.interpolates_inputs());
    xml.optional_attribute("initial", initial_text(variable));
    write_numeric_attributes(xml, instance, index);
    if (variable.type == Type::binary) {
        xml.attribute("mimeType", variable.mime_type.empty() ? "application/octet-stream" : variable.mime_type);
        if (variable.max_bytes != 0) xml.attribute("maxSize", variable.max_bytes);
    }
    const bool nested = variable.type == Type::string || variable.type == Type::binary;
    if (!nested) write_start(xml, variable);
    for (const Dimension& dimension : variable.dimensions) {
        xml.open("Dimension");
        if (dimension.parameter.empty())
            xml.attribute("start", dimension.size);
        else
            xml.attribute("valueReference", instance.index_of(dimension.parameter));
        xml.close();
    }
    if (nested) write_start(xml, variable);
    xml.close();
}

void write_unknown(XmlWriter& xml, const char* element, std::size_t index, const Dependencies& dependencies) {
    xml.open(element).attribute("valueReference", index);
    if (dependencies) {
        std::string list;
        for (const std::size_t known : *dependencies) {
            if (!list.empty()) list += ' ';
            list += std::to_string(known);
        }
        xml.attribute("dependencies", list);
    }
    xml.close();
}

void write_structure(XmlWriter& xml, const Instance& instance) {
    xml.open("ModelStructure");
    for (const std::size_t output : outputs(instance))
        write_unknown(xml, "Output", output, dependencies(instance, output));
    for (const Table::State& pair : instance.states())
        write_unknown(xml, "ContinuousStateDerivative", pair.derivative, dependencies(instance, pair.derivative));
    for (std::size_t i = 0; i < instance.variables().size(); ++i)
        if (!instance.variables()[i].previous.empty()) write_unknown(xml, "ClockedState", i, dependencies(instance, i));
    for (const std::size_t unknown : initial_unknowns(instance))
        write_unknown(xml, "InitialUnknown", unknown, initial_dependencies(instance, unknown));
    for (const std::size_t indicator : instance.event_indicators())
        write_unknown(xml, "EventIndicator", indicator, dependencies(instance, indicator));
    xml.close();
}

std::string write(const Instance& instance, const std::string& token) {
    XmlWriter xml;
    xml.open("fmiModelDescription")
        .attribute("fmiVersion", "3.0")
        .attribute("modelName", model_name(instance))
        .attribute("instantiationToken", token)
        .optional_attribute("description", instance.about().description)
        .attribute("version", build_facts().version)
        .attribute("generationTool", std::string("Tandem FMU kit ") + build_facts().version)
        .attribute("variableNamingConvention", "structured");
    write_interfaces(xml, instance);
    write_units(xml, instance);
    write_types(xml, instance);
    write_log_categories(xml);
    write_experiment(xml, instance);
    xml.open("ModelVariables");
    for (std::size_t i = 0; i < instance.variables().size(); ++i) write_variable(xml, instance, i);
    xml.close();
    write_structure(xml, instance);
    return xml.close().text();
}

}  // namespace

const std::string& fmi3_token(const Instance& instance) {
    static const std::string token = token_of(write(instance, ""));
    return token;
}

std::string fmi3_description(const Instance& instance) { return write(instance, fmi3_token(instance)); }

}  // namespace fmus
