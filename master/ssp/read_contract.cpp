#include "master/ssp/read_contract.hpp"

#include "master/base/xml/values.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>

namespace master::ssp {
namespace {

void refuse_unknown(pugi::xml_node node, std::initializer_list<std::string_view> known, base::Page& page) {
    const std::vector<std::string> names(known.begin(), known.end());
    for (const pugi::xml_attribute attribute : node.attributes()) {
        const std::string_view name = attribute.name();
        if (name.starts_with("xmlns") || std::ranges::find(known, name) != known.end()) continue;
        page.error("bad-value", node,
                   "'" + std::string(base::local_name(node)) + "' has an unknown attribute '" + std::string(name) +
                       "'" + base::did_you_mean(name, names));
    }
    for (const pugi::xml_node child : node.children()) page.unknown_child(child);
}

std::optional<double> number(pugi::xml_node node, const char* attribute, base::Page& page) {
    if (!node.attribute(attribute)) return std::nullopt;
    const double value = page.number(node, attribute, 0);
    if (std::isfinite(value)) return value;
    page.error("bad-value", node,
               std::string(attribute) + " is '" + node.attribute(attribute).value() + "', expected a finite number");
    return std::nullopt;
}

std::optional<double> positive(pugi::xml_node node, const char* attribute, base::Page& page) {
    const std::optional<double> value = number(node, attribute, page);
    if (!value || *value > 0) return value;
    page.error("bad-value", node,
               std::string(attribute) + " is '" + node.attribute(attribute).value() + "', expected a positive number");
    return std::nullopt;
}

std::optional<base::Fraction> seconds(pugi::xml_node node, const char* attribute, base::Page& page) {
    if (!node.attribute(attribute)) return std::nullopt;
    const std::string text = node.attribute(attribute).value();
    const std::optional<base::Fraction> value = base::exact_fraction(text);
    if (value && value->numerator > 0) return value;
    page.error("bad-value", node,
               std::string(attribute) + " is '" + text +
                   "', expected a positive decimal or fraction of seconds such as 0.001 or 1/30");
    return std::nullopt;
}

std::optional<std::int64_t> code(pugi::xml_node node, const char* attribute, base::Page& page) {
    if (!node.attribute(attribute)) return std::nullopt;
    std::string_view text = base::trimmed(node.attribute(attribute).value());
    const bool hexadecimal = text.starts_with("0x") || text.starts_with("0X");
    if (hexadecimal) text.remove_prefix(2);
    std::int64_t value = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value, hexadecimal ? 16 : 10);
    if (failure == std::errc{} && end == text.data() + text.size()) return value;
    page.error("bad-value", node,
               std::string(attribute) + " is '" + node.attribute(attribute).value() +
                   "', expected a whole number such as 255 or 0xFF");
    return std::nullopt;
}

std::vector<std::string> list(pugi::xml_node node, const char* attribute) {
    std::vector<std::string> result;
    for (const std::string_view word : base::words(node.attribute(attribute).value())) result.emplace_back(word);
    return result;
}

std::string choice(pugi::xml_node node, const char* attribute, std::initializer_list<std::string_view> known,
                   base::Page& page) {
    std::string text = node.attribute(attribute).value();
    if (text.empty() || std::ranges::find(known, text) != known.end()) return text;
    std::string expected;
    for (const std::string_view word : known) expected += (expected.empty() ? "" : ", ") + std::string(word);
    page.error("bad-value", node, std::string(attribute) + " is '" + text + "', expected one of " + expected);
    return {};
}

Severity severity(pugi::xml_node node, base::Page& page) {
    return choice(node, "severity", {"error", "warning"}, page) == "warning" ? Severity::warning : Severity::error;
}

}  // namespace

Contract read_contract(pugi::xml_node node, base::Page& page) {
    refuse_unknown(node,
                   {"min", "max", "nominal", "resolution", "period", "jitter", "maximalAge", "ageFrom", "rate", "start",
                    "variability", "dependsOn", "invalid", "notAvailable", "requirement", "severity"},
                   page);
    Contract contract{
        .minimum = number(node, "min", page),
        .maximum = number(node, "max", page),
        .nominal = positive(node, "nominal", page),
        .resolution = positive(node, "resolution", page),
        .period = seconds(node, "period", page),
        .jitter = number(node, "jitter", page),
        .maximal_age = positive(node, "maximalAge", page),
        .age_from = node.attribute("ageFrom").value(),
        .rate = positive(node, "rate", page),
        .start = {},
        .variability = choice(node, "variability", {"constant", "fixed", "tunable", "discrete", "continuous"}, page),
        .depends_on = {},
        .invalid = code(node, "invalid", page),
        .not_available = code(node, "notAvailable", page),
        .requirement = node.attribute("requirement").value(),
        .severity = severity(node, page),
        .where = page.where(node)};
    if (const pugi::xml_attribute start = node.attribute("start")) contract.start = start.value();
    if (node.attribute("dependsOn")) contract.depends_on = list(node, "dependsOn");
    if (contract.minimum && contract.maximum && *contract.minimum > *contract.maximum)
        page.error("bad-value", node,
                   "min " + std::string(node.attribute("min").value()) + " is larger than max " +
                       node.attribute("max").value());
    if (contract.jitter && !contract.period)
        page.error("missing-attribute", node, "'Contract' has 'jitter' without 'period', to which it belongs");
    if (contract.jitter && *contract.jitter < 0)
        page.error("bad-value", node,
                   "jitter is '" + std::string(node.attribute("jitter").value()) + "', expected 0 or more seconds");
    if (!contract.age_from.empty() && !contract.maximal_age)
        page.error("missing-attribute", node, "'Contract' has 'ageFrom' without 'maximalAge', to which it belongs");
    return contract;
}

UnitRequirements read_requires(pugi::xml_node node, base::Page& page) {
    refuse_unknown(node,
                   {"fmiVersion", "platform", "variableStep", "savedState", "eventMode", "standalone", "largestStep",
                    "requirement", "severity"},
                   page);
    return {.fmi_versions = list(node, "fmiVersion"),
            .platforms = list(node, "platform"),
            .variable_step = page.flag(node, "variableStep", false),
            .saved_state = page.flag(node, "savedState", false),
            .event_mode = page.flag(node, "eventMode", false),
            .standalone = page.flag(node, "standalone", false),
            .largest_step = seconds(node, "largestStep", page),
            .requirement = node.attribute("requirement").value(),
            .severity = severity(node, page),
            .where = page.where(node)};
}

}  // namespace master::ssp
