#include "master/build/requests/request_resolver.hpp"

#include "master/base/error.hpp"
#include "master/base/patterns.hpp"
#include "master/base/xml/values.hpp"
#include "master/build/requests/locate.hpp"
#include "master/build/resolve/names.hpp"
#include "master/build/value_conversion.hpp"
#include "master/core/value_text.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace master::build {
namespace {

/// A number of a file as the variable's own type spells it: `true` is 1 where no Boolean is wanted, and tools write
/// whole numbers as 1.0. A text that is neither stays as it is, for the message.
std::string scaled_text(const std::string& text, core::Type type, double gain, double offset) {
    if (type != core::Type::boolean && (text == "true" || text == "false"))
        return scaled_text(text == "true" ? "1" : "0", type, gain, offset);
    const std::optional<double> number = base::parse_double(text);
    if (!number) return text;
    const bool plain = gain == 1 && offset == 0;
    const double scaled = plain ? *number : gain * *number + offset;
    if (type == core::Type::real) return core::number_text(scaled);
    constexpr double exact_limit = 9007199254740992.0;  // 2^53: above it the text may say more than the double
    const bool whole = scaled == std::floor(scaled) && std::abs(scaled) <= exact_limit;
    return whole && (!plain || text.find_first_of(".eE") != std::string::npos) ? fmt::format("{:.0f}", scaled) : text;
}

/// The value of one more point in time; all are of one type.
void append(core::Value& all, const core::Value& one) {
    if (size_of(all) == 0) {
        all = one;
        return;
    }
    std::visit([&]<class T>(std::vector<T>& values) { values.push_back(std::get<std::vector<T>>(one).front()); }, all);
}

}  // namespace

RequestResolver::RequestResolver(const Parts& parts, SignalRequests requests) : parts_(parts) {
    for (SignalRequest* request : requests) {
        using Use = SignalRequest::Use;
        pending_.push_back({request, request->use == Use::observe ? observed(*request)
                                     : request->use == Use::match ? matching(*request)
                                                                  : driven_or_watched(*request)});
        for (Target& target : pending_.back().targets) target.values = values_for(*request, target);
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
        for (const auto& [end, gain, offset, count, values] : targets) {
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
                                      .variable = &variable,
                                      .values = values});
        }
    }
}

void RequestResolver::report_overruled(double start, base::Diagnostics& diagnostics) const {
    for (const auto& [request, targets] : pending_) {
        const core::ForeseenSignal& drive = request->drive;
        // Until it is driven an input has the value that was set.
        if (drive.source == nullptr || drive.source->jumps(drive.variable).front() > start) continue;
        for (const Target& target : targets) {
            const core::UnitInfo& info = *parts_.components[target.end.unit].info;
            const core::PlannedUnit& unit = parts_.plan.units[target.end.unit];
            for (const core::EffectiveValue& given : unit.effective) {
                const bool same = canonical(info, given.variable) == canonical(info, target.end.variable);
                if (!same || !given.origin.starts_with("--set")) continue;
                diagnostics.warn("overruled", "--set",
                                 fmt::format("the value {} of '{}.{}' is overruled by the scenario ({})",
                                             core::value_text(given.value), unit.name,
                                             info.variables[given.variable].name, request->where));
            }
        }
    }
}

core::Value RequestResolver::values_for(const SignalRequest& request, const Target& target) const {
    const core::UnitInfo& info = *parts_.components[target.end.unit].info;
    core::Variable element = info.variables[target.end.variable];
    if (request.values.empty() || !core::is_number(element.type) || element.type == core::Type::clock) return {};
    if (request.linear && element.type != core::Type::real)
        throw base::Error("bad-value", request.where,
                          fmt::format("hold is 'linear', '{}' is {} and has nothing between two values: expected "
                                      "'constant'",
                                      request.name, element.declared_type));
    element.size = 1;
    const auto enumeration = std::ranges::find(info.enumerations, element.enumeration, &core::Enumeration::name);
    const core::Enumeration* items = enumeration == info.enumerations.end() ? nullptr : &*enumeration;
    core::Value all;
    for (const GivenValue& given : request.values) {
        const std::string text = scaled_text(given.text, element.type, target.gain, target.offset);
        const Converted converted = parse_value(text, element, items);
        if (const auto* problem = std::get_if<std::string>(&converted))
            throw base::Error("bad-value", given.where, fmt::format("'{}': {}", request.name, *problem));
        append(all, std::get<core::Value>(converted));
    }
    return all;
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
