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

/// What units are asked for from now on; `expected` is the older version.
void check_requirement_versions(const Element& actual, const Element& expected, Comparison& comparison) {
    const ssp::UnitRequirements now = actual.requirements.value_or(ssp::UnitRequirements{});
    const ssp::UnitRequirements before = expected.requirements.value_or(ssp::UnitRequirements{});
    const auto changed = [&](const char* code, bool stricter, const std::string& what, const std::string& was,
                             const std::string& is) {
        if (was == is) return;
        comparison.findings.push_back({.code = code,
                                       .subject = expected.name.empty() ? actual.name : expected.name,
                                       .breaking = stricter && now.severity == ssp::Severity::error,
                                       .text = fmt::format("{} was {}, is {}", what, was, is),
                                       .where = now.where.empty() ? actual.where : now.where,
                                       .expected_where = before.where.empty() ? expected.where : before.where,
                                       .requirement = now.requirement});
    };
    const auto within = [](const std::vector<std::string>& few, const std::vector<std::string>& many) {
        return std::ranges::all_of(few, [&](const auto& word) { return std::ranges::find(many, word) != many.end(); });
    };
    // Any of the versions will do, all of the platforms are needed.
    const bool fewer =
        !now.fmi_versions.empty() && (before.fmi_versions.empty() || !within(before.fmi_versions, now.fmi_versions));
    changed("fmi-version", fewer, "the FMI version asked for", joined(before.fmi_versions, "any"),
            joined(now.fmi_versions, "any"));
    changed("platform", !within(now.platforms, before.platforms), "the platform asked for",
            joined(before.platforms, "any"), joined(now.platforms, "any"));
    const auto flag = [&](const char* code, const char* what, bool was, bool is) {
        changed(code, is, what, was ? "asked for" : "not asked for", is ? "asked for" : "not asked for");
    };
    flag("variable-step", "a variable step", before.variable_step, now.variable_step);
    flag("saved-state", "a saved state", before.saved_state, now.saved_state);
    flag("event-mode", "an event mode", before.event_mode, now.event_mode);
    flag("standalone", "a unit that needs no other program", before.standalone, now.standalone);
    const auto step = [](const std::optional<base::Fraction>& value) {
        return value ? base::to_string(*value) + " s" : std::string("any");
    };
    const bool smaller =
        now.largest_step && (!before.largest_step || now.largest_step->value() < before.largest_step->value());
    changed("step", smaller, "the largest step", step(before.largest_step), step(now.largest_step));
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
    if (comparison.versions) {
        check_requirement_versions(actual, expected, comparison);
        return;
    }
    if (wanted.largest_step && !actual.step)
        comparison.notes.push_back(fmt::format("'{}' states no step, of which {} s is the largest allowed",
                                               actual.name.empty() ? expected.name : actual.name,
                                               base::to_string(*wanted.largest_step)));
    if (!actual.unit) {
        if (!wanted.where.empty())
            comparison.notes.push_back(
                fmt::format("{}: what is required of the unit '{}' was not looked at: it has no FMU", wanted.where,
                            expected.name.empty() ? actual.name : expected.name));
        return;
    }
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
