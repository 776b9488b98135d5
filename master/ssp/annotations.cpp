#include "master/ssp/annotations.hpp"

#include "master/base/xml/values.hpp"
#include "master/ssp/common.hpp"
#include "master/ssp/read_contract.hpp"

#include <algorithm>
#include <array>
#include <functional>

namespace master::ssp {
namespace {

constexpr std::string_view our_type = "io.tandem.cosim";
constexpr std::string_view openmodelica_type = "org.openmodelica";
constexpr std::string_view open_simulation_platform_type = "com.opensimulationplatform";

struct Annotation {
    pugi::xml_node node;
    std::string type;
};

/// In whichever SSP namespace a tool put them: what they say must not be lost without a word.
std::vector<Annotation> annotations_of(pugi::xml_node parent) {
    const auto is = [](pugi::xml_node node, std::string_view name) {
        return node.type() == pugi::node_element && base::local_name(node) == name && is_standard(base::space_of(node));
    };
    std::vector<Annotation> found;
    for (const pugi::xml_node list : parent.children())
        if (is(list, "Annotations"))
            for (const pugi::xml_node node : list.children())
                if (is(node, "Annotation")) found.push_back({node, node.attribute("type").value()});
    return found;
}

void report_foreign(const Annotation& annotation, base::Page& page) {
    page.ignored(annotation.node, "annotation " + annotation.type,
                 "annotations of type '" + annotation.type + "' are not honoured");
}

pugi::xml_node first_element(pugi::xml_node parent) {
    for (const pugi::xml_node node : parent.children())
        if (node.type() == pugi::node_element) return node;
    return {};
}

/// The single element of ours in an annotation; anything else there is an error, since it was meant for this program.
pugi::xml_node our_element(const Annotation& annotation, std::string_view name, base::Page& page) {
    const pugi::xml_node node = first_element(annotation.node);
    // An annotation holds one element (SystemStructureCommon.xsd): what stands behind it would say nothing.
    for (pugi::xml_node more = node.next_sibling(); more; more = more.next_sibling())
        if (more.type() == pugi::node_element)
            page.error("bad-value", more,
                       "annotation of type '" + std::string(our_type) + "' holds '" + more.name() +
                           "' as well, expected one element");
    if (base::is(node, base::Space::ours, name)) return node;
    page.error("bad-value", node ? node : annotation.node,
               "annotation of type '" + std::string(our_type) + "' holds '" + node.name() + "', expected '" +
                   std::string(name) + "' of namespace 'urn:tandem:cosim:1'");
    return {};
}

std::optional<base::Fraction> our_step(pugi::xml_node node, base::Page& page) {
    const pugi::xml_attribute attribute = node.attribute("step");
    if (!attribute) return std::nullopt;
    const std::optional<base::Fraction> step = base::exact_fraction(attribute.value());
    if (step && step->numerator > 0) return step;
    page.error("bad-value", node,
               "step is '" + std::string(attribute.value()) +
                   "', expected a positive decimal or fraction such as 0.001 or 1/30");
    return std::nullopt;
}

std::optional<base::Fraction> foreign_step(pugi::xml_node node, const char* attribute, const std::string& whose,
                                           base::Page& page) {
    const std::string text = node.attribute(attribute).value();
    if (text.empty()) return std::nullopt;
    const std::optional<base::Fraction> step = base::simplest_fraction(text);
    if (!step || step->numerator <= 0) {
        page.ignored(node, whose + attribute,
                     std::string(attribute) + " '" + text + "' of " + whose + " is no positive number");
        return std::nullopt;
    }
    page.note("foreign-annotation", node,
              "step " + base::to_string(*step) + " s is taken from " + whose + " (" + attribute + " '" + text + "')");
    return step;
}

/// The first descendant of that name in any namespace: other masters wrap theirs differently from version to version.
pugi::xml_node descendant(pugi::xml_node parent, std::string_view name) {
    return parent.find_node([name](pugi::xml_node node) { return base::local_name(node) == name; });
}

void read_our_component(pugi::xml_node ours, base::Page& page, Component& result) {
    page.check_attributes(ours, {});
    for (const pugi::xml_node node : ours.children()) {
        if (base::is(node, base::Space::ours, "Rate")) {
            page.check_attributes(node, {"step"});
            if (!node.attribute("step"))
                page.error("missing-attribute", node, "'Rate' has no attribute 'step', which is required");
            result.step = our_step(node, page);
            result.step_origin = page.where(node);
            continue;
        }
        if (base::is(node, base::Space::ours, "Run")) {
            page.check_attributes(node, {"isolate", "timeout"});
            result.isolation.mode = node.attribute("isolate").value();
            const double timeout = page.number(node, "timeout", 0);
            if (timeout > 0) result.isolation.timeout = timeout;
            const std::string& mode = result.isolation.mode;
            if (!mode.empty() && mode != "none" && mode != "process")
                page.error("bad-value", node, "isolate is '" + mode + "', expected none or process");
            if (mode == "process")
                page.ignored(node, "isolate", "isolate=\"process\" is not honoured; the unit runs in this process");
            continue;
        }
        if (base::is(node, base::Space::ours, "Settle")) {
            page.check_attributes(node, {"output", "parameter", "value"});
            const std::string value = node.attribute("value").as_string("given");
            if (value != "given" && value != "rest")
                page.error("bad-value", node, "value is '" + value + "', expected given or rest");
            result.settles.push_back({.output = page.required(node, "output"),
                                      .parameter = page.required(node, "parameter"),
                                      .guess = value == "rest",
                                      .where = page.where(node)});
            continue;
        }
        if (base::is(node, base::Space::ours, "Requires")) {
            result.requirements = read_requires(node, page);
            continue;
        }
        page.unknown_child(node);
    }
}

void read_our_master(pugi::xml_node node, base::Page& page, MasterSettings& result) {
    page.check_attributes(node, {"algorithm", "step", "order", "tolerance"});
    if (const std::optional<base::Fraction> step = our_step(node, page)) {
        result.step = step;
        result.step_origin = page.where(node);
    }
    if (const pugi::xml_attribute algorithm = node.attribute("algorithm")) {
        result.algorithm = algorithm.value();
        result.algorithm_where = page.where(node);
    }
    if (const pugi::xml_attribute order = node.attribute("order")) {
        for (const std::string_view word : base::words(order.value())) result.order.emplace_back(word);
        result.order_where = page.where(node);
    }
    if (!node.attribute("tolerance")) return;
    const double tolerance = page.number(node, "tolerance", 0);
    if (tolerance > 0)
        result.tolerance = tolerance;
    else
        page.error(
            "bad-value", node,
            "tolerance is '" + std::string(node.attribute("tolerance").value()) + "', expected a positive number");
}

void take_foreign_step(pugi::xml_node node, const char* attribute, const std::string& whose, base::Page& page,
                       MasterSettings& result) {
    if (!node || result.step) return;
    result.step = foreign_step(node, attribute, whose, page);
    if (result.step) result.step_origin = page.where(node) + " (" + whose + ")";
}

void take_foreign_tolerance(pugi::xml_node node, const std::string& whose, base::Page& page, MasterSettings& result) {
    const std::optional<double> tolerance = base::parse_double(node.attribute("relativeTolerance").value());
    if (!tolerance || !(*tolerance > 0) || result.tolerance) return;
    result.tolerance = tolerance;
    page.note(
        "foreign-annotation", node,
        "relative tolerance " + std::string(node.attribute("relativeTolerance").value()) + " is taken from " + whose);
}

void read_foreign_master(const Annotation& annotation, base::Page& page, MasterSettings& result) {
    if (annotation.type == openmodelica_type) {
        const pugi::xml_node fixed = descendant(annotation.node, "FixedStepMaster");
        const pugi::xml_node variable = descendant(annotation.node, "VariableStepSolver");
        take_foreign_step(fixed, "stepSize", "OMSimulator", page, result);
        take_foreign_tolerance(fixed, "OMSimulator", page, result);
        take_foreign_step(variable, "maximumStepSize", "OMSimulator", page, result);
        take_foreign_tolerance(variable, "OMSimulator", page, result);
        return;
    }
    if (annotation.type == open_simulation_platform_type) {
        take_foreign_step(descendant(annotation.node, "FixedStepAlgorithm"), "baseStepSize",
                          "the Open Simulation Platform", page, result);
        return;
    }
    report_foreign(annotation, page);
}

void set_step(Element& element, const base::Fraction& step, const std::string& origin) {
    for (Element& inner : element.elements) set_step(inner, step, origin);
    if (element.form != Element::Form::component || element.component.step) return;
    element.component.step = step;
    element.component.step_origin = origin;
}

/// A nested system of OMSimulator whose step was taken.
bool is_step_of_system(const Annotation& annotation, pugi::xml_node parent) {
    return annotation.type == openmodelica_type && base::is(parent, base::Space::description, "System") &&
           descendant(annotation.node, "FixedStepMaster");
}

}  // namespace

void read_component_annotations(pugi::xml_node component, base::Page& page, Component& result) {
    const std::vector<Annotation> annotations = annotations_of(component);
    for (const Annotation& annotation : annotations)
        if (annotation.type == our_type)
            if (const pugi::xml_node ours = our_element(annotation, "Component", page))
                read_our_component(ours, page, result);
    for (const Annotation& annotation : annotations) {
        if (annotation.type == our_type) continue;
        const pugi::xml_node hint = descendant(annotation.node, "StepSizeHint");
        if (annotation.type != open_simulation_platform_type || !hint) {
            report_foreign(annotation, page);
            continue;
        }
        if (result.step) continue;
        result.step = foreign_step(hint, "value", "the Open Simulation Platform", page);
        result.step_origin = page.where(hint) + " (the Open Simulation Platform)";
    }
}

void read_connection_annotations(pugi::xml_node connection, base::Page& page, RawConnection& result) {
    struct NamedHold {
        std::string_view name;
        core::Hold hold;
    };
    static constexpr std::array<NamedHold, 4> holds{{{"auto", core::Hold::automatic},
                                                     {"constant", core::Hold::constant},
                                                     {"compensated", core::Hold::compensated},
                                                     {"linear", core::Hold::linear}}};
    for (const Annotation& annotation : annotations_of(connection)) {
        if (annotation.type != our_type) {
            report_foreign(annotation, page);
            continue;
        }
        const pugi::xml_node node = our_element(annotation, "Coupling", page);
        if (!node) continue;
        page.check_attributes(node, {"hold", "bond", "role"});
        result.bond = node.attribute("bond").value();
        result.role = node.attribute("role").value();
        if (!result.role.empty() && result.role != "effort" && result.role != "flow")
            page.error("bad-value", node, "role is '" + result.role + "', expected effort or flow");
        if (result.bond.empty() != result.role.empty())
            page.error("missing-attribute", node,
                       "'Coupling' has '" + std::string(result.bond.empty() ? "role" : "bond") + "' without '" +
                           (result.bond.empty() ? "bond" : "role") + "', which belong together");
        const std::string_view name = node.attribute("hold").as_string("auto");
        const auto found = std::ranges::find(holds, name, &NamedHold::name);
        if (found != holds.end())
            result.hold = found->hold;
        else
            page.error("bad-value", node,
                       "hold is '" + std::string(name) + "', expected auto, constant, compensated or linear");
    }
}

void read_connector_annotations(pugi::xml_node connector, base::Page& page, Connector& result) {
    for (const Annotation& annotation : annotations_of(connector)) {
        if (annotation.type != our_type) {
            report_foreign(annotation, page);
            continue;
        }
        const pugi::xml_node node = our_element(annotation, "Contract", page);
        if (!node) continue;
        if (result.contract)
            page.error("duplicate-name", node, "a second Contract of '" + result.name + "'; at most one is allowed");
        result.contract = read_contract(node, page);
    }
}

void read_master_annotations(pugi::xml_node parent, base::Page& page, MasterSettings& result) {
    const std::vector<Annotation> annotations = annotations_of(parent);
    for (const Annotation& annotation : annotations)
        if (annotation.type == our_type)
            if (const pugi::xml_node ours = our_element(annotation, "Master", page))
                read_our_master(ours, page, result);
    for (const Annotation& annotation : annotations)
        if (annotation.type != our_type) read_foreign_master(annotation, page, result);
}

void read_nested_annotations(pugi::xml_node system, base::Page& page, Element& result) {
    for (const Annotation& annotation : annotations_of(system)) {
        const pugi::xml_node fixed = descendant(annotation.node, "FixedStepMaster");
        if (annotation.type != openmodelica_type || !fixed) continue;
        const auto step = foreign_step(fixed, "stepSize", "OMSimulator", page);
        if (step) set_step(result, *step, page.where(fixed) + " (OMSimulator)");
    }
}

void report_annotations(pugi::xml_node parent, base::Page& page) {
    for (const Annotation& annotation : annotations_of(parent)) {
        if (annotation.type == our_type)
            page.error("bad-value", annotation.node,
                       "annotation of type '" + std::string(our_type) + "' in '" +
                           std::string(base::local_name(parent)) +
                           "', expected it in Component, Connector, Connection or DefaultExperiment");
        else if (!is_step_of_system(annotation, parent))
            report_foreign(annotation, page);
    }
}

}  // namespace master::ssp
