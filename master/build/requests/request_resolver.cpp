#include "master/build/requests/request_resolver.hpp"

#include "master/base/error.hpp"
#include "master/base/patterns.hpp"
#include "master/build/requests/locate.hpp"
#include "master/build/resolve/names.hpp"

#include <fmt/format.h>

namespace master::build {

RequestResolver::RequestResolver(const Parts& parts, SignalRequests requests) : parts_(parts) {
    for (SignalRequest* request : requests) {
        using Use = SignalRequest::Use;
        pending_.push_back({request, request->use == Use::observe ? observed(*request)
                                     : request->use == Use::match ? matching(*request)
                                                                  : driven_or_watched(*request)});
    }
}

void RequestResolver::select(core::SystemOptions& options) const {
    for (const auto& [request, targets] : pending_) {
        auto& chosen = request->use == SignalRequest::Use::drive ? options.free_inputs : options.recorded;
        for (const Target& target : targets) {
            chosen[target.end.unit].push_back(target.end.variable);
            const auto& [source, variable, gain, offset] = request->drive;
            if (source == nullptr) continue;
            options.driven.push_back(
                {.to = target.end,
                 .signal = {source, variable, target.gain * gain, target.gain * offset + target.offset},
                 .name = request->name,
                 .where = request->where});
        }
    }
}

void RequestResolver::fill(core::System& system) const {
    for (const auto& [request, targets] : pending_) {
        request->found.clear();
        for (const auto& [end, gain, offset, count] : targets) {
            const core::Node& node = system.nodes()[end.unit];
            const auto input = input_signal(node, end.variable);
            const core::SignalRef first = input ? *input : *output_signal(node, end.variable);
            const core::Variable& variable = parts_.components[end.unit].info->variables[end.variable];
            const bool one = request->use == SignalRequest::Use::watch || count == 1;
            std::vector<std::uint64_t> dimensions;
            if (!one) dimensions = count ? std::vector<std::uint64_t>{*count} : variable.dimensions;
            request->found.push_back({.first = first.element(end.element),
                                      .dimensions = std::move(dimensions),
                                      .gain = gain,
                                      .offset = offset,
                                      .name = parts_.plan.units[end.unit].name + "." + variable.name,
                                      .unit = end.unit,
                                      .variable = &variable});
        }
    }
}

std::vector<RequestResolver::Target> RequestResolver::observed(const SignalRequest& request) const {
    const std::optional<Indexed> indexed = split_indices(request.name);
    for (std::uint32_t unit = 0; unit < parts_.components.size(); ++unit) {
        const auto& variables = parts_.components[unit].info->variables;
        for (std::uint32_t v = 0; v < variables.size(); ++v) {
            if (is_called(unit, variables[v], request.name)) return {{.end = {unit, v, 0}}};
            if (!indexed || indexed->indices.size() != 1 || variables[v].dimensions.size() != 1 ||
                indexed->indices.front() > variables[v].dimensions.front())
                continue;
            if (is_called(unit, variables[v], indexed->name))
                return {{.end = {unit, v, static_cast<std::uint32_t>(indexed->indices.front() - 1)}, .count = 1}};
        }
    }
    return {};
}

std::vector<RequestResolver::Target> RequestResolver::matching(const SignalRequest& request) const {
    std::vector<Target> found;
    std::vector<std::string> names;
    for (std::uint32_t unit = 0; unit < parts_.components.size(); ++unit) {
        const auto& variables = parts_.components[unit].info->variables;
        for (std::uint32_t v = 0; v < variables.size(); ++v) {
            if (core::is_parameter(variables[v]) || variables[v].type == core::Type::clock) continue;
            names.push_back(parts_.plan.units[unit].name + "." + variables[v].name);
            if (base::matches(request.name, names.back())) found.push_back({.end = {unit, v, 0}});
        }
    }
    if (!found.empty()) return found;
    throw base::Error(
        "unknown-name", request.where,
        fmt::format("'{}' matches no variable of the system{}", request.name, base::did_you_mean(request.name, names)));
}

std::vector<RequestResolver::Target> RequestResolver::driven_or_watched(const SignalRequest& request) const {
    const bool to_drive = request.use == SignalRequest::Use::drive;
    std::vector<Target> found;
    std::vector<std::string> names;
    for (const core::BoundaryPort& port : parts_.plan.boundary) {
        if (to_drive && !port.input) continue;
        names.push_back(port.name);
        if (port.name != request.name) continue;
        const core::Variable& variable = parts_.components[port.inner.unit].info->variables[port.inner.variable];
        Target target{.end = port.inner, .gain = port.gain, .offset = port.offset};
        // What is looked at behind an input is turned back into what was written there.
        if (port.input && !to_drive) {
            target.gain = 1 / port.gain;
            target.offset = -port.offset / port.gain;
        }
        if (port.count != variable.size) target.count = port.count;
        found.push_back(target);
    }
    for (std::uint32_t unit = 0; unit < parts_.components.size() && found.empty(); ++unit) {
        const auto& variables = parts_.components[unit].info->variables;
        for (std::uint32_t v = 0; v < variables.size(); ++v) {
            if (to_drive && !variables[v].can_set_during_run) continue;
            names.push_back(parts_.plan.units[unit].name + "." + variables[v].name);
            if (is_called(unit, variables[v], request.name)) found.push_back({.end = {unit, v, 0}});
        }
    }
    if (found.empty()) {
        throw base::Error("unknown-name", request.where,
                          fmt::format("'{}' is no {} of the system{}", request.name,
                                      to_drive ? "free input or tunable parameter" : "variable",
                                      base::did_you_mean(request.name, names)));
    }
    if (!to_drive) return {found.front()};
    for (const Target& target : found) refuse_connected(request, target);
    return found;
}

void RequestResolver::refuse_connected(const SignalRequest& request, const Target& target) const {
    for (const core::PlannedWire& wire : parts_.plan.wires) {
        if (wire.to.unit != target.end.unit || wire.to.variable != target.end.variable) continue;
        throw base::Error("unknown-name", request.where,
                          fmt::format("'{}' is driven by the connection {}", request.name, wire.label));
    }
}

bool RequestResolver::is_called(std::uint32_t unit, const core::Variable& variable, std::string_view name) const {
    const bool single = parts_.components.size() == 1;
    return (single && variable.name == name) || parts_.plan.units[unit].name + "." + variable.name == name;
}

}  // namespace master::build
