#include "master/contracts/rules.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace master::contracts {
namespace {

std::string joined(const std::vector<std::string>& words, const char* none) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
    return text.empty() ? none : text;
}

}  // namespace

void check_unit_facts(const Element& actual, const Element& expected, Comparison& comparison) {
    const ssp::UnitRequirements wanted = expected.requirements.value_or(ssp::UnitRequirements{});
    const auto add = [&](const char* code, const std::string& text) {
        comparison.findings.push_back({.code = code,
                                       .subject = expected.name.empty() ? actual.name : expected.name,
                                       .breaking = wanted.severity == ssp::Severity::error,
                                       .text = text,
                                       .where = actual.where,
                                       .expected_where = wanted.where.empty() ? expected.where : wanted.where,
                                       .requirement = wanted.requirement});
    };
    if (wanted.largest_step && actual.step && actual.step->value() > wanted.largest_step->value())
        add("step", fmt::format("its step is {} s, expected at most {} s", base::to_string(*actual.step),
                                base::to_string(*wanted.largest_step)));
    if (!actual.unit) return;
    const UnitFacts& unit = *actual.unit;
    const auto& versions = wanted.fmi_versions;
    if (!versions.empty() && std::ranges::find(versions, unit.fmi_version) == versions.end())
        add("fmi-version",
            fmt::format("it is an FMU of FMI {}, expected {}", unit.fmi_version, joined(versions, "any")));
    for (const std::string& platform : wanted.platforms)
        if (std::ranges::find(unit.platforms, platform) == unit.platforms.end())
            add("platform",
                fmt::format("it has no binary for {}; platforms there: {}", platform, joined(unit.platforms, "none")));
    if (wanted.platforms.empty() && !unit.missing_binary.empty()) add("platform", unit.missing_binary);
    if (wanted.variable_step && !unit.can.variable_step)
        add("variable-step", "it cannot vary its step (canHandleVariableCommunicationStepSize is false)");
    if (wanted.saved_state && !unit.can.save_state)
        add("saved-state", "its state cannot be saved (canGetAndSetFMUstate is false)");
    if (wanted.event_mode && !unit.event_mode) add("event-mode", "it has no event mode");
    if (wanted.standalone && !unit.standalone)
        add("standalone", "it needs another program, perhaps with a licence server (needsExecutionTool is true)");
}

}  // namespace master::contracts
