#include "master/base/xml/values.hpp"
#include "master/fmi/description/reader.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace master::fmi {
namespace {

/// FMI 3 spells "State" with a capital and uses plurals.
struct Spelling {
    const char* save;
    const char* serialize;
    const char* directional;
};
constexpr Spelling fmi2_spelling{"canGetAndSetFMUstate", "canSerializeFMUstate", "providesDirectionalDerivative"};
constexpr Spelling fmi3_spelling{"canGetAndSetFMUState", "canSerializeFMUState", "providesDirectionalDerivatives"};

void read_source_files(DescriptionReader& reader, pugi::xml_node node) {
    auto& files = reader.result.source_files;
    for (const pugi::xml_node file : node.child("SourceFiles").children("File")) {
        std::string name = file.attribute("name").value();
        if (std::ranges::find(files, name) == files.end()) files.push_back(std::move(name));
    }
}

/// The text of a step if it is a positive number, else empty with a remark.
std::string step_text(DescriptionReader& reader, pugi::xml_node node, const char* attribute) {
    std::string text(base::trimmed(node.attribute(attribute).value()));
    if (text.empty()) return {};
    const std::optional<double> value = base::number_from<double>(text);
    if (value && std::isfinite(*value) && *value > 0) return text;
    reader.remarks.deviation(
        "bad-value", node, std::string(attribute) + " is '" + text + "'; expected a positive number, so it is ignored");
    return {};
}

InterfaceDescription read_common(DescriptionReader& reader, pugi::xml_node node) {
    InterfaceDescription interface;
    interface.model_identifier = node.attribute("modelIdentifier").value();
    if (interface.model_identifier.empty()) {
        reader.remarks.error("missing-attribute", node,
                             std::string(node.name()) + " has no modelIdentifier, which names the binary");
    }
    if (interface.model_identifier.find_first_of("/\\") != std::string::npos) {
        reader.remarks.error("bad-identifier", node,
                             "modelIdentifier '" + interface.model_identifier + "' is no file name");
    }
    const Spelling& spelling = reader.is_fmi3() ? fmi3_spelling : fmi2_spelling;
    interface.can.save_state = reader.flag(node, spelling.save);
    interface.can.serialize_state = reader.flag(node, spelling.serialize);
    interface.can.directional_derivatives = reader.flag(node, spelling.directional);
    interface.can.once_per_process = reader.flag(node, "canBeInstantiatedOnlyOncePerProcess");
    interface.can.needs_execution_tool = reader.flag(node, "needsExecutionTool");
    read_source_files(reader, node);
    return interface;
}

InterfaceDescription read_co_simulation(DescriptionReader& reader, pugi::xml_node node) {
    InterfaceDescription interface = read_common(reader, node);
    interface.can.variable_step = reader.flag(node, "canHandleVariableCommunicationStepSize");
    if (const pugi::xml_attribute order = node.attribute("maxOutputDerivativeOrder")) {
        const std::optional<unsigned> value = base::number_from<unsigned>(order.value());
        if (!value) {
            reader.remarks.deviation("bad-value", node,
                                     std::string("maxOutputDerivativeOrder is '") + order.value() +
                                         "'; expected a whole number, so 0 is used");
        }
        interface.max_output_derivative_order = value.value_or(0);
    }
    interface.can.output_derivatives = interface.max_output_derivative_order > 0;
    if (!reader.is_fmi3()) {
        interface.can.interpolates_inputs = reader.flag(node, "canInterpolateInputs");
        return interface;
    }
    interface.has_event_mode = reader.flag(node, "hasEventMode");
    interface.can.event_mode = interface.has_event_mode;
    interface.may_return_early = reader.flag(node, "mightReturnEarlyFromDoStep");
    interface.provides_intermediate_update = reader.flag(node, "providesIntermediateUpdate");
    interface.fixed_internal_step = step_text(reader, node, "fixedInternalStepSize");
    return interface;
}

InterfaceDescription read_model_exchange(DescriptionReader& reader, pugi::xml_node node) {
    InterfaceDescription interface = read_common(reader, node);
    interface.needs_completed_step = reader.is_fmi3() ? reader.flag(node, "needsCompletedIntegratorStep")
                                                      : !reader.flag(node, "completedIntegratorStepNotNeeded");
    // The master integrates: any step, slopes inside it, and outputs that follow their inputs at once.
    interface.can.variable_step = true;
    interface.can.refreshes_outputs = true;
    interface.can.interpolates_inputs = true;
    interface.can.event_mode = true;
    interface.has_event_mode = true;
    return interface;
}

}  // namespace

void read_interfaces(DescriptionReader& reader, pugi::xml_node root) {
    ModelDescription& result = reader.result;
    if (const pugi::xml_node node = root.child("CoSimulation")) result.co_simulation = read_co_simulation(reader, node);
    if (const pugi::xml_node node = root.child("ModelExchange")) {
        result.model_exchange = read_model_exchange(reader, node);
    }
    result.scheduled_execution = reader.is_fmi3() && root.child("ScheduledExecution");
    if (result.co_simulation || result.model_exchange || result.scheduled_execution) return;
    reader.remarks.error("no-interface", root, "has no interface; expected an element CoSimulation or ModelExchange");
}

void read_units(DescriptionReader& reader, pugi::xml_node root) {
    constexpr std::array names{"kg", "m", "s", "A", "K", "mol", "cd", "rad"};
    for (const pugi::xml_node node : root.child("UnitDefinitions").children("Unit")) {
        core::PhysicalUnit unit{.name = node.attribute("name").value(), .exponents = std::nullopt};
        if (const pugi::xml_node base = node.child("BaseUnit")) {
            unit.exponents.emplace();
            unit.exponents->fill(0);
            for (std::size_t i = 0; i < names.size(); ++i) {
                const pugi::xml_attribute exponent = base.attribute(names[i]);
                if (!exponent) continue;
                const std::optional<int> value = base::number_from<int>(exponent.value());
                if (!value) {
                    reader.remarks.error("bad-value", base,
                                         "unit '" + unit.name + "' has the exponent " + names[i] + " = '" +
                                             exponent.value() + "'; expected a whole number");
                }
                (*unit.exponents)[i] = value.value_or(0);
            }
            unit.factor = reader.real(base, "factor").value_or(1);
            unit.offset = reader.real(base, "offset").value_or(0);
            if (!std::isfinite(unit.factor) || unit.factor == 0 || !std::isfinite(unit.offset)) {
                reader.remarks.error("bad-value", base,
                                     "unit '" + unit.name +
                                         "' cannot be converted: its factor must be a number other "
                                         "than zero and its offset a number");
            }
        }
        for (const pugi::xml_node display : node.children("DisplayUnit")) {
            if (display.attribute("inverse").as_bool()) continue;  // FMI 3: shown = factor / value, no line
            unit.displays.push_back({.name = display.attribute("name").value(),
                                     .factor = reader.real(display, "factor").value_or(1),
                                     .offset = reader.real(display, "offset").value_or(0)});
        }
        reader.result.info.units.push_back(std::move(unit));
    }
}

void read_experiment(DescriptionReader& reader, pugi::xml_node root) {
    const pugi::xml_node node = root.child("DefaultExperiment");
    if (!node) return;
    core::Experiment& experiment = reader.result.info.experiment;
    experiment.start = reader.real(node, "startTime");
    experiment.stop = reader.real(node, "stopTime");
    experiment.tolerance = reader.real(node, "tolerance");
    experiment.step = step_text(reader, node, "stepSize");
    if (experiment.stop && !(*experiment.stop >= experiment.start.value_or(0))) {
        reader.remarks.deviation(
            "stop-before-start", node,
            std::string("stopTime ") + node.attribute("stopTime").value() + " lies before the start; it is ignored");
        experiment.stop.reset();
    }
    if (experiment.tolerance && !(*experiment.tolerance > 0)) {
        reader.remarks.deviation("bad-value", node,
                                 std::string("tolerance is ") + node.attribute("tolerance").value() +
                                     "; expected a positive number, so it is ignored");
        experiment.tolerance.reset();
    }
}

}  // namespace master::fmi
