#include "fmus/common/declaring/facts.hpp"
#include "fmus/common/declaring/values.hpp"
#include "fmus/common/description/description.hpp"

#include <map>

namespace fmus {

namespace {

using namespace description;

bool exists_in_fmi2(const Variable& variable) {
    return variable.type != Type::binary && variable.type != Type::clock && variable.clocks.empty() &&
           variable.causality != Causality::structural_parameter;
}

const char* type_name(Type type) {
    switch (type) {
        case Type::float32:
        case Type::float64:
            return "Real";
        case Type::boolean:
            return "Boolean";
        case Type::string:
            return "String";
        case Type::enumeration:
            return "Enumeration";
        default:
            return "Integer";
    }
}

/// name[i,j], counted from 1; the index of a derivative belongs to its state: der(x[1]).
std::string element_name(const Instance& instance, const Element& element) {
    const Variable& variable = instance.variables()[element.variable];
    if (variable.dimensions.empty()) return variable.name;
    const std::vector<std::uint64_t> extents = instance.extents(variable);
    std::string suffix = "]";
    std::size_t rest = element.index;
    for (auto extent = extents.rbegin(); extent != extents.rend(); ++extent) {
        suffix.insert(0, std::to_string(rest % *extent + 1));
        rest /= *extent;
        suffix.insert(0, std::next(extent) == extents.rend() ? "[" : ",");
    }
    if (variable.name.starts_with("der(") && variable.name.ends_with(')'))
        return variable.name.substr(0, variable.name.size() - 1) + suffix + ')';
    return variable.name + suffix;
}

/// A description in the making: which indices the elements of each variable have.
class Fmi2Writer {
public:
    explicit Fmi2Writer(const Instance& instance) : instance_(instance), elements_(fmi2_elements(instance)) {
        for (std::size_t i = elements_.size(); i-- > 0;) first_[elements_[i].variable] = i;
    }

    std::string write(const std::string& token) {
        xml_.open("fmiModelDescription")
            .attribute("fmiVersion", "2.0")
            .attribute("modelName", model_name(instance_))
            .attribute("guid", token)
            .optional_attribute("description", instance_.about().description)
            .attribute("version", build_facts().version)
            .attribute("generationTool", std::string("Tandem FMU kit ") + build_facts().version)
            .attribute("variableNamingConvention", "structured")
            .attribute("numberOfEventIndicators", instance_.event_indicators().size());
        write_interfaces();
        write_units(xml_, instance_);
        write_types();
        write_log_categories(xml_);
        write_experiment(xml_, instance_);
        xml_.open("ModelVariables");
        for (std::size_t i = 0; i < elements_.size(); ++i) write_variable(i);
        xml_.close();
        write_structure();
        return xml_.close().text();
    }

private:
    void write_interfaces() {
        const auto common = [&] {
            xml_.attribute("modelIdentifier", build_facts().identifier)
                .attribute("canNotUseMemoryManagementFunctions", true)
                .attribute("canGetAndSetFMUstate", true)
                .attribute("canSerializeFMUstate", true)
                .flag("providesDirectionalDerivative", instance_.can_differentiate());
        };
        if (build_facts().model_exchange) {
            xml_.open("ModelExchange");
            common();
            xml_.flag("completedIntegratorStepNotNeeded", !instance_.about().needs_completed_step).close();
        }
        xml_.open("CoSimulation");
        common();
        xml_.attribute("canHandleVariableCommunicationStepSize", true)
            .flag("canInterpolateInputs", instance_.interpolates_inputs());
        if (instance_.has_output_derivatives()) xml_.attribute("maxOutputDerivativeOrder", 1);
        xml_.close();
    }

    void write_types() {
        if (instance_.enumerations().empty()) return;
        xml_.open("TypeDefinitions");
        for (const Enumeration& type : instance_.enumerations()) {
            xml_.open("SimpleType").attribute("name", type.name).open("Enumeration");
            for (const auto& [name, value] : type.items)
                xml_.open("Item").attribute("name", name).attribute("value", value).close();
            xml_.close().close();
        }
        xml_.close();
    }

    void write_variable(std::size_t reference) {
        const Element& element = elements_[reference];
        const Variable& variable = instance_.variables()[element.variable];
        xml_.open("ScalarVariable")
            .attribute("name", element_name(instance_, element))
            .attribute("valueReference", reference)
            .optional_attribute("description", variable.description)
            .attribute("causality", text_of(variable.causality))
            .attribute("variability", text_of(variable.variability))
            .optional_attribute("initial", initial_text(variable));
        xml_.open(type_name(variable.type));
        if (variable.type == Type::enumeration)
            xml_.attribute("declaredType", instance_.enumerations()[variable.enumeration].name);
        if (std::string_view(type_name(variable.type)) == "Real") write_real_attributes(element);
        if (has_start(variable)) xml_.attribute("start", start_text(variable, element.index));
        xml_.close().close();
    }

    void write_real_attributes(const Element& element) {
        const Variable& variable = instance_.variables()[element.variable];
        xml_.optional_attribute("unit", variable.unit);
        if (variable.minimum) xml_.attribute("min", *variable.minimum);
        if (variable.maximum) xml_.attribute("max", *variable.maximum);
        if (variable.nominal) xml_.attribute("nominal", *variable.nominal);
        if (!variable.derivative_of.empty())
            xml_.attribute("derivative", first_.at(instance_.index_of(variable.derivative_of)) + element.index + 1);
        if (instance_.is_state(element.variable)) xml_.flag("reinit", instance_.has_events());
    }

    void write_structure() {
        xml_.open("ModelStructure");
        write_unknowns("Outputs", outputs(instance_), dependencies);
        std::vector<std::size_t> derivatives;
        for (const Table::State& pair : instance_.states()) derivatives.push_back(pair.derivative);
        write_unknowns("Derivatives", derivatives, dependencies);
        write_unknowns("InitialUnknowns", initial_unknowns(instance_), initial_dependencies);
        xml_.close();
    }

    void write_unknowns(const char* list, const std::vector<std::size_t>& unknowns,
                        Dependencies (*dependencies_of)(const Instance&, std::size_t)) {
        bool any = false;
        for (const std::size_t unknown : unknowns) {
            if (!exists_in_fmi2(instance_.variables()[unknown])) continue;
            if (!any) xml_.open(list);
            any = true;
            for (std::size_t k = 0; k < instance_.variables()[unknown].cells.count(); ++k) {
                xml_.open("Unknown").attribute("index", first_.at(unknown) + k + 1);
                if (const Dependencies known = dependencies_of(instance_, unknown))
                    xml_.attribute("dependencies", index_list(*known));
                xml_.close();
            }
        }
        if (any) xml_.close();
    }

    std::string index_list(const std::vector<std::size_t>& variables) const {
        std::string text;
        for (const std::size_t variable : variables) {
            if (!exists_in_fmi2(instance_.variables()[variable])) continue;
            for (std::size_t k = 0; k < instance_.variables()[variable].cells.count(); ++k) {
                if (!text.empty()) text += ' ';
                text += std::to_string(first_.at(variable) + k + 1);
            }
        }
        return text;
    }

    const Instance& instance_;
    std::vector<Element> elements_;
    std::map<std::size_t, std::size_t> first_;  // variable -> its first reference
    XmlWriter xml_;
};

}  // namespace

std::vector<Element> fmi2_elements(const Instance& instance) {
    std::vector<Element> elements;
    for (std::size_t i = 0; i < instance.variables().size(); ++i) {
        if (!exists_in_fmi2(instance.variables()[i])) continue;
        for (std::size_t k = 0; k < instance.variables()[i].cells.count(); ++k) elements.push_back({i, k});
    }
    return elements;
}

std::vector<std::string> fmi2_losses(const Instance& instance) {
    std::vector<std::string> losses;
    for (const Variable& variable : instance.variables()) {
        if (!exists_in_fmi2(variable))
            losses.push_back("'" + variable.name + "' is left out: FMI 2 has no " +
                             (variable.causality == Causality::structural_parameter ? "structural parameters"
                                                                                    : "binary or clocked variables"));
        if (variable.type == Type::uint32 || variable.type == Type::int64 || variable.type == Type::uint64)
            if (exists_in_fmi2(variable))
                losses.push_back("'" + variable.name + "' (" + name_of(variable.type) +
                                 ") is a 32-bit Integer: values outside its range are refused");
        if (variable.type == Type::float32) losses.push_back("'" + variable.name + "' (Float32) is a Real");
    }
    return losses;
}

const std::string& fmi2_token(const Instance& instance) {
    static const std::string token = token_of(Fmi2Writer(instance).write(""));
    return token;
}

std::string fmi2_description(const Instance& instance) { return Fmi2Writer(instance).write(fmi2_token(instance)); }

}  // namespace fmus
