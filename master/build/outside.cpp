#include "master/build/outside.hpp"

#include "master/base/error.hpp"
#include "master/fmi/description/terminals.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace master::build {
namespace {

/// Variables of a unit, by the names that its terminal gives them.
struct OutsideParameters {
    std::uint32_t network = 0, journal = 0, replay = 0;
};

std::optional<fmi::Terminal> terminal_of(const Parts::Component& component, const char* kind) {
    if (component.fmu == nullptr) return std::nullopt;
    const auto terminals = fmi::read_terminals(component.fmu->folder(), component.fmu->file().string());
    const auto found = std::ranges::find(terminals, kind, &fmi::Terminal::kind);
    return found == terminals.end() ? std::nullopt : std::optional(*found);
}

std::optional<std::uint32_t> parameter(const core::UnitInfo& info, const fmi::Terminal& terminal,
                                       const std::string& member, core::Type type) {
    const auto named = std::ranges::find(terminal.members, member, &std::pair<std::string, std::string>::first);
    if (named == terminal.members.end()) return std::nullopt;
    const auto found = std::ranges::find(info.variables, named->second, &core::Variable::name);
    if (found == info.variables.end() || found->type != type || found->causality != core::Causality::parameter)
        return std::nullopt;
    return static_cast<std::uint32_t>(found - info.variables.begin());
}

std::optional<OutsideParameters> outside_parameters(const Parts::Component& component, base::Diagnostics& diagnostics) {
    const auto found = terminal_of(component, outside_terminal);
    if (!found) return std::nullopt;
    const std::string where = component.fmu->file().string();
    const core::UnitInfo& info = *component.info;
    const auto network = parameter(info, *found, "network", core::Type::boolean);
    const auto journal = parameter(info, *found, "journal", core::Type::string);
    const auto replay = parameter(info, *found, "replay", core::Type::string);
    if (network && journal && replay) return OutsideParameters{*network, *journal, *replay};
    diagnostics.error(
        "missing-element", where,
        fmt::format("terminal '{}' of kind {} needs the members network (a Boolean parameter), journal and "
                    "replay (String parameters)",
                    found->name, outside_terminal));
    return std::nullopt;
}

bool is_on(const core::PlannedUnit& unit, std::uint32_t variable) {
    const auto given = std::ranges::find(unit.effective, variable, &core::EffectiveValue::variable);
    if (given == unit.effective.end()) return false;
    const auto* values = std::get_if<std::vector<std::uint8_t>>(&given->value);
    return values != nullptr && !values->empty() && values->front() != 0;
}

void give(core::PlannedUnit& unit, std::uint32_t variable, const core::Value& value, const std::string& origin) {
    std::erase_if(unit.start, [&](const core::Assignment& old) { return old.variable == variable; });
    std::erase_if(unit.effective, [&](const core::EffectiveValue& old) { return old.variable == variable; });
    unit.start.push_back({variable, value});
    unit.effective.push_back({variable, value, origin});
    std::ranges::sort(unit.effective, {}, &core::EffectiveValue::variable);
}

core::Value text(const std::filesystem::path& path) { return std::vector<std::string>{path.string()}; }

/// The one component that is the machine's end of teleoperation.
std::size_t teleoperated(const Parts& parts, const char* option) {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < parts.components.size(); ++i)
        if (terminal_of(parts.components[i], teleoperation_terminal)) found.push_back(i);
    if (found.size() == 1) return found.front();
    const std::string& name = parts.description.name;
    if (found.empty())
        throw base::Error("outside", option,
                          fmt::format("no unit of '{}' is the machine's end of teleoperation, expected one with a "
                                      "terminal of kind {} such as 'teleop'",
                                      name, teleoperation_terminal));
    throw base::Error("outside", option,
                      fmt::format("'{}' and '{}' of '{}' are both a machine's end of teleoperation, expected one; "
                                  "--set COMPONENT.PARAMETER=VALUE means one of them",
                                  parts.plan.units[found[0]].name, parts.plan.units[found[1]].name, name));
}

}  // namespace

void set_up_teleoperation(Parts& parts, const BuildOptions& options) {
    if (options.tele.empty() && options.link.empty()) return;
    const char* option = options.tele.empty() ? "--link" : "--tele";
    const std::size_t index = teleoperated(parts, option);
    const auto terminal = terminal_of(parts.components[index], teleoperation_terminal);
    core::PlannedUnit& unit = parts.plan.units[index];
    const auto set = [&](const char* member, core::Type type, const core::Value& value, const char* origin) {
        const auto variable = parameter(*parts.components[index].info, *terminal, member, type);
        if (!variable)
            throw base::Error("missing-element", parts.components[index].fmu->file().string(),
                              fmt::format("terminal '{}' of kind {} has no parameter '{}', which {} needs",
                                          terminal->name, teleoperation_terminal, member, origin));
        give(unit, *variable, value, origin);
    };
    if (!options.tele.empty()) set("network", core::Type::boolean, std::vector<std::uint8_t>{1}, "--tele");
    if (!options.tele.empty() && options.tele != "on") set("address", core::Type::string, text(options.tele), "--tele");
    if (!options.link.empty()) set("link", core::Type::string, text(options.link), "--link");
}

std::string journal_name(const std::string& component) { return component + ".journal"; }

std::vector<std::string> set_up_outside(Parts& parts, const BuildOptions& options, base::Diagnostics& diagnostics) {
    std::vector<std::string> on;
    for (std::size_t i = 0; i < parts.components.size(); ++i) {
        const auto parameters = outside_parameters(parts.components[i], diagnostics);
        if (!parameters) continue;
        core::PlannedUnit& unit = parts.plan.units[i];
        if (!is_on(unit, parameters->network)) continue;
        if (!options.replays.empty()) {
            give(unit, parameters->network, std::vector<std::uint8_t>{0}, repeat_origin);
            give(unit, parameters->journal, text({}), repeat_origin);
            give(unit, parameters->replay, text(options.replays / journal_name(unit.name)), repeat_origin);
            continue;
        }
        const std::string talks = fmt::format("unit '{}' talks to the outside, since its parameter '{}' is on",
                                              unit.name, parts.components[i].info->variables[parameters->network].name);
        if (!options.paced)
            throw base::Error("outside", parts.description.name,
                              talks + ": that needs a run in real time (--realtime)");
        if (!options.lead.empty())
            throw base::Error("outside", parts.description.name, talks + ": --settle would run it several times");
        if (!options.journals.empty())
            give(unit, parameters->journal, text(std::filesystem::absolute(options.journals / journal_name(unit.name))),
                 "the run");
        on.push_back(unit.name);
    }
    return on;
}

}  // namespace master::build
