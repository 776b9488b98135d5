#include "master/base/xml/values.hpp"
#include "master/fmi/description/reader.hpp"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <functional>

namespace master::fmi {
namespace {

/// What an unknown depends on: nothing for a missing attribute, which means "on everything".
std::optional<std::vector<std::uint32_t>> read_dependencies(DescriptionReader& reader, pugi::xml_node node,
                                                            const std::string& name) {
    const pugi::xml_attribute attribute = node.attribute("dependencies");
    if (!attribute) return std::nullopt;
    std::vector<std::uint32_t> dependencies;
    std::string_view words = attribute.value();
    for (std::string_view next = base::take_word(words); !next.empty(); next = base::take_word(words)) {
        const auto variable = reader.resolve(next, node, "'" + name + "' depends on");
        if (variable) dependencies.push_back(*variable);
    }
    return dependencies;
}

/// All entries of one list of the model structure; an entry that is there twice is kept once.
template <typename Nodes>
std::vector<core::Unknown> read_unknowns(DescriptionReader& reader, const Nodes& nodes, const std::string& list) {
    const char* attribute = reader.is_fmi3() ? "valueReference" : "index";
    std::vector<core::Unknown> unknowns;
    std::vector<bool> seen(reader.variables().size(), false);
    for (const pugi::xml_node node : nodes) {
        const auto variable = reader.resolve(node.attribute(attribute).value(), node, list + " refers to");
        if (!variable) continue;
        const std::string& name = reader.variables()[*variable].name;
        auto dependencies = read_dependencies(reader, node, name);
        if (seen[*variable]) {
            reader.remarks.deviation("model-structure", node, fmt::format("{} has '{}' twice", list, name));
            continue;
        }
        seen[*variable] = true;
        unknowns.push_back({*variable, std::move(dependencies)});
    }
    return unknowns;
}

/// Adds what a list should have and lacks, dependent on everything.
void complete(DescriptionReader& reader, std::vector<core::Unknown>& unknowns, const std::string& list,
              const std::function<bool(const core::Variable&)>& belongs) {
    constexpr std::size_t absent = SIZE_MAX;
    std::vector<std::size_t> places(reader.variables().size(), absent);
    for (std::size_t place = 0; place < unknowns.size(); ++place) places[unknowns[place].variable] = place;
    for (std::uint32_t i = 0; i < reader.variables().size(); ++i) {
        const core::Variable& variable = reader.variables()[i];
        if (places[i] != absent || !belongs(variable)) continue;
        // Aliases share their value, and one entry for all of them is what several tools write.
        const bool is_alias = variable.alias_of != core::Variable::no_alias;
        const std::size_t original = is_alias ? places[variable.alias_of] : absent;
        if (original != absent) {
            unknowns.push_back({i, unknowns[original].dependencies});
            continue;
        }
        unknowns.push_back({i, std::nullopt});
        if (!reader.result.info.has_model_structure) continue;
        reader.remarks.deviation(
            "model-structure", reader.nodes[i],
            "'" + variable.name + "' is missing in " + list + "; it is taken as dependent on everything");
    }
}

void drop_what_is_no_output(DescriptionReader& reader, std::vector<core::Unknown>& outputs, pugi::xml_node structure) {
    std::erase_if(outputs, [&](const core::Unknown& unknown) {
        const core::Variable& variable = reader.variables()[unknown.variable];
        if (variable.causality == core::Causality::output) return false;
        reader.remarks.deviation("model-structure", structure,
                                 "'" + variable.name + "' is listed among the outputs, but its causality is another");
        return true;
    });
}

void check_derivative_references(DescriptionReader& reader) {
    for (std::uint32_t i = 0; i < reader.variables().size(); ++i) {
        const std::optional<std::uint32_t> state = reader.derivative_of[i];
        if (!state || reader.variable(*state)) continue;
        reader.remarks.error("dangling-reference", reader.nodes[i],
                             "variable '" + reader.variables()[i].name + "' is the derivative of '" +
                                 std::to_string(*state) + "', which no variable has as its " +
                                 (reader.is_fmi3() ? "valueReference" : "index"));
    }
}

void read_states(DescriptionReader& reader, const std::vector<core::Unknown>& derivatives) {
    for (const core::Unknown& derivative : derivatives) {
        reader.result.derivatives.push_back(derivative.variable);
        const std::optional<std::uint32_t> written = reader.derivative_of[derivative.variable];
        const std::optional<std::uint32_t> state = written ? reader.variable(*written) : std::nullopt;
        if (state) {
            reader.result.states.push_back(*state);
            continue;
        }
        if (written) continue;  // dangling, already reported
        // An integrator needs their number only, which is that of the derivatives.
        reader.remarks.deviation(
            "missing-state", reader.nodes[derivative.variable],
            "'" + reader.variables()[derivative.variable].name +
                "' is listed as a derivative; expected an attribute derivative that names its state");
    }
}

void read_fmi2_indicators(DescriptionReader& reader, pugi::xml_node root) {
    const pugi::xml_attribute count = root.attribute("numberOfEventIndicators");
    if (!count) return;
    const std::optional<std::uint32_t> value = base::number_from<std::uint32_t>(count.value());
    if (!value) {
        reader.remarks.error(
            "bad-value", root,
            std::string("numberOfEventIndicators is '") + count.value() + "'; expected a whole number");
    }
    reader.result.event_indicators = value.value_or(0);
}

std::vector<std::uint32_t> variables_of(const std::vector<core::Unknown>& unknowns) {
    std::vector<std::uint32_t> variables;
    variables.reserve(unknowns.size());
    for (const core::Unknown& unknown : unknowns) variables.push_back(unknown.variable);
    return variables;
}

}  // namespace

void read_structure(DescriptionReader& reader, pugi::xml_node root) {
    core::UnitInfo& info = reader.result.info;
    const pugi::xml_node structure = root.child("ModelStructure");
    check_derivative_references(reader);
    std::vector<core::Unknown> derivatives;
    if (reader.is_fmi3()) {
        info.outputs = read_unknowns(reader, structure.children("Output"), "Output");
        derivatives =
            read_unknowns(reader, structure.children("ContinuousStateDerivative"), "ContinuousStateDerivative");
        info.initial_unknowns = read_unknowns(reader, structure.children("InitialUnknown"), "InitialUnknown");
        (void)read_unknowns(reader, structure.children("ClockedState"), "ClockedState");  // only checked
        reader.result.event_indicator_variables =
            variables_of(read_unknowns(reader, structure.children("EventIndicator"), "EventIndicator"));
        for (const std::uint32_t i : reader.result.event_indicator_variables) {
            reader.result.event_indicators += reader.variables()[i].size;
        }
    } else {
        const auto unknowns = [&](const char* list) {
            return read_unknowns(reader, structure.child(list).children("Unknown"), list);
        };
        info.outputs = unknowns("Outputs");
        derivatives = unknowns("Derivatives");
        info.initial_unknowns = unknowns("InitialUnknowns");
        read_fmi2_indicators(reader, root);
    }
    read_states(reader, derivatives);
    drop_what_is_no_output(reader, info.outputs, structure);

    const auto is_output = [](const core::Variable& variable) { return variable.causality == core::Causality::output; };
    const bool has_outputs = std::ranges::any_of(info.variables, is_output);
    info.has_model_structure = structure && !(has_outputs && info.outputs.empty());
    if (!info.has_model_structure) {
        reader.remarks.deviation("no-model-structure", structure ? structure : root,
                                 std::string(structure ? "ModelStructure lists no outputs" : "has no ModelStructure") +
                                     "; every output is taken as dependent on every input");
    }
    complete(reader, info.outputs, reader.is_fmi3() ? "Output" : "Outputs", is_output);
    // A clocked variable has no value before its clock ticks.
    complete(reader, info.initial_unknowns, reader.is_fmi3() ? "InitialUnknown" : "InitialUnknowns",
             [&](const core::Variable& variable) {
                 return variable.clocks.empty() && is_output(variable) && variable.type != core::Type::clock &&
                        variable.initial == core::Initial::calculated;
             });
}

}  // namespace master::fmi
