#include "master/build/requests/open_inputs.hpp"

#include "master/base/patterns.hpp"
#include "master/build/requests/locate.hpp"
#include "master/build/requests/record_selection.hpp"

#include <algorithm>
#include <utility>

namespace master::build {
namespace {

/// A number that nobody else decides about, and that counts without a clock that ticks.
bool can_be_open(const core::Variable& variable, const core::Endpoint& end, const core::SystemOptions& system_options) {
    const bool scalar = core::is_number(variable.type) && variable.type != core::Type::clock && variable.clocks.empty();
    return scalar && variable.can_set_during_run &&
           std::ranges::count(system_options.free_inputs[end.unit], end.variable) == 0;
}

}  // namespace

OpenInputs::OpenInputs(const Parts& parts, const BuildOptions& options, core::SystemOptions& system_options)
    : parts_(parts) {
    if (!options.open_inputs) return;
    add_ports(options, system_options);
    add_parameters(options, system_options);
    for (const Pending& pending : pending_)
        for (const Target& target : pending.targets)
            system_options.free_inputs[target.end.unit].push_back(target.end.variable);
}

void OpenInputs::add_ports(const BuildOptions& options, const core::SystemOptions& system_options) {
    for (const core::BoundaryPort& port : parts_.plan.boundary) {
        const core::Variable& inner = variable(port.inner);
        if (!port.input || port.count != 1 || !can_be_open(inner, port.inner, system_options)) continue;
        const std::string name = options.single_fmu() ? inner.name : port.name;
        auto known = std::ranges::find(pending_, name, [](const Pending& pending) { return pending.input.name; });
        if (known == pending_.end()) {
            pending_.push_back({describe(name, port.inner), {}});
            known = std::prev(pending_.end());
        }
        known->targets.push_back({port.inner, port.gain, port.offset});
    }
}

void OpenInputs::add_parameters(const BuildOptions& options, const core::SystemOptions& system_options) {
    for (std::uint32_t unit = 0; unit < parts_.components.size(); ++unit) {
        const auto& variables = parts_.components[unit].info->variables;
        for (std::uint32_t v = 0; v < variables.size(); ++v) {
            const core::Endpoint end{unit, v, 0};
            const bool parameter = core::is_parameter(variables[v]) && variables[v].dimensions.empty();
            if (!parameter || !can_be_open(variables[v], end, system_options)) continue;
            const std::string name =
                options.single_fmu() ? variables[v].name : parts_.plan.units[unit].name + "." + variables[v].name;
            const auto wished = [&](const std::string& pattern) { return base::matches(pattern, name); };
            if (std::ranges::none_of(options.tuned, wished)) continue;
            pending_.push_back({describe(name, end), {{end}}});
            pending_.back().input.tunable = true;
        }
    }
}

OpenInput OpenInputs::describe(std::string name, const core::Endpoint& end) const {
    const core::Variable& found = variable(end);
    return {.name = std::move(name),
            .unit = found.unit,
            .description = found.description,
            .shown = shown_unit(*parts_.components[end.unit].info, found),
            .minimum = found.minimum,
            .maximum = found.maximum,
            .targets = {}};
}

const core::Variable& OpenInputs::variable(const core::Endpoint& end) const {
    return parts_.components[end.unit].info->variables[end.variable];
}

std::vector<OpenInput> OpenInputs::located(core::System& system) const {
    std::vector<OpenInput> result;
    for (const Pending& pending : pending_) {
        result.push_back(pending.input);
        for (const auto& [end, gain, offset] : pending.targets)
            result.back().targets.push_back(
                {.first = input_signal(system.nodes()[end.unit], end.variable)->element(end.element),
                 .dimensions = {},
                 .gain = gain,
                 .offset = offset,
                 .name = parts_.plan.units[end.unit].name + "." + variable(end).name,
                 .unit = end.unit,
                 .variable = &variable(end)});
    }
    return result;
}

}  // namespace master::build
