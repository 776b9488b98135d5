#include "master/analysis/swap/interface_diff.hpp"

#include "interfaces/text/text.hpp"
#include "master/core/value_text.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <set>

namespace master::analysis {
namespace {

using Kind = InterfaceChange::Kind;

bool is_interface(const core::Variable& variable) {
    return variable.causality == core::Causality::input || variable.causality == core::Causality::output ||
           core::is_parameter(variable);
}

std::string described(const core::Variable& variable) {
    std::string text = core::name_of(variable.causality) + " " + variable.declared_type;
    if (!variable.unit.empty()) text += ", " + variable.unit;
    if (!variable.description.empty()) text += ", \"" + variable.description + "\"";
    return text;
}

std::string name_or_none(const std::string& unit) { return unit.empty() ? "no unit" : "'" + unit + "'"; }

/// What descriptions say about directions: words on both ends of the same scale.
std::optional<std::string> direction_in(const std::string& description) {
    static constexpr std::array words{"extends",
                                      "retracts",
                                      "extend",
                                      "retract",
                                      "opens",
                                      "closes",
                                      "positive",
                                      "negative",
                                      "inverted",
                                      "inwards",
                                      "outwards",
                                      "clockwise",
                                      "counter-clockwise",
                                      "tension",
                                      "compression",
                                      "pull",
                                      "push",
                                      "up",
                                      "down"};
    const std::string text = " " + interfaces::text::lower(description) + " ";
    std::string found;
    for (const char* word : words) {
        for (const char* after : {" ", ",", ".", ";", ")"})
            if (text.find(std::string(" ") + word + after) != std::string::npos) {
                found += found.empty() ? word : std::string(" ") + word;
                break;
            }
    }
    return found.empty() ? std::nullopt : std::optional(found);
}

/// The inputs that reach an output without a step; nothing: all of them.
std::optional<std::set<std::uint32_t>> feedthrough(const core::UnitInfo& info, std::uint32_t output) {
    const auto unknown = std::ranges::find(info.outputs, output, &core::Unknown::variable);
    if (unknown == info.outputs.end() || !unknown->dependencies) return std::nullopt;
    std::set<std::uint32_t> inputs;
    for (const std::uint32_t variable : *unknown->dependencies)
        if (info.variables[variable].causality == core::Causality::input) inputs.insert(variable);
    return inputs;
}

class Differ {
public:
    Differ(const core::UnitInfo& before, const core::UnitInfo& after, const build::Adapter& adapter)
        : before_(before), after_(after), adapter_(adapter) {
        for (const build::Partner& partner : adapter.partners) {
            old_of_[partner.after.variable] = partner.before.variable;
            new_of_[partner.before.variable] = partner.after.variable;
        }
    }

    std::vector<InterfaceChange> run() {
        for (const build::Partner& partner : adapter_.partners) compare(partner);
        lonely();
        rate();
        std::ranges::stable_sort(changes_, {}, &InterfaceChange::kind);
        return std::move(changes_);
    }

private:
    void add(Kind kind, const std::string& old_name, const std::string& new_name, std::string text) {
        changes_.push_back({kind, old_name, new_name, std::move(text)});
    }

    void compare(const build::Partner& partner) {
        const core::Variable& a = before_.variables[partner.before.variable];
        const core::Variable& b = after_.variables[partner.after.variable];
        if (!is_interface(a) && !is_interface(b)) return;
        const std::string old_name = build::name_of(before_, partner.before);
        const std::string new_name = build::name_of(after_, partner.after);
        if (old_name != new_name) add(Kind::renamed, old_name, new_name, "by the map");
        if (a.type != b.type || a.variability != b.variability)
            add(Kind::type, old_name, new_name,
                fmt::format("{} {} became {} {}", core::name_of(a.variability), a.declared_type,
                            core::name_of(b.variability), b.declared_type));
        if (partner.before.indices.empty() && partner.after.indices.empty() && a.dimensions != b.dimensions)
            add(Kind::type, old_name, new_name, fmt::format("{} elements became {}", a.size, b.size));
        const std::string new_unit =
            partner.stated_unit ? name_or_none(partner.stated_unit->name) + " (by the map)" : name_or_none(b.unit);
        if (a.unit != b.unit)
            add(Kind::unit, old_name, new_name,
                fmt::format("{} became {}: old = {:.6g} new{}", name_or_none(a.unit), new_unit, partner.to_old.gain,
                            offset_text(partner.to_old.offset)));
        const auto said_a = direction_in(a.description), said_b = direction_in(b.description);
        if (partner.gain < 0)
            add(Kind::sign, old_name, new_name, fmt::format("the map turns the sign (gain {:.6g})", partner.gain));
        else if (said_a && said_b && *said_a != *said_b)
            add(Kind::sign, old_name, new_name,
                fmt::format("descriptions state directions: \"{}\" and \"{}\"", a.description, b.description));
        ranges(partner, a, b, old_name, new_name);
        dependencies(partner, old_name, new_name);
    }

    static std::string offset_text(double offset) { return offset == 0 ? "" : fmt::format(" {:+.6g}", offset); }

    void ranges(const build::Partner& partner, const core::Variable& a, const core::Variable& b,
                const std::string& old_name, const std::string& new_name) {
        const auto mapped = [&](const std::optional<double>& limit) -> std::optional<double> {
            return limit ? std::optional(partner.to_old(*limit)) : std::nullopt;
        };
        std::optional<double> low = mapped(b.minimum), high = mapped(b.maximum);
        if (partner.to_old.gain < 0) std::swap(low, high);
        const auto text = [](const std::optional<double>& limit) {
            return limit ? fmt::format("{:.6g}", *limit) : std::string("open");
        };
        const auto differs = [](const std::optional<double>& x, const std::optional<double>& y) {
            return x.has_value() != y.has_value() || (x && std::abs(*x - *y) > 1e-9 * std::max(std::abs(*x), 1.0));
        };
        if (differs(a.minimum, low) || differs(a.maximum, high))
            add(Kind::range, old_name, new_name,
                fmt::format("{} .. {} became {} .. {} (in the old unit)", text(a.minimum), text(a.maximum), text(low),
                            text(high)));
    }

    void dependencies(const build::Partner& partner, const std::string& old_name, const std::string& new_name) {
        if (before_.variables[partner.before.variable].causality != core::Causality::output) return;
        const auto a = feedthrough(before_, partner.before.variable);
        const auto b = feedthrough(after_, partner.after.variable);
        std::set<std::uint32_t> over;  // what the new one depends on, as old variables
        std::string unknown;
        for (const std::uint32_t input : b.value_or(std::set<std::uint32_t>{})) {
            const auto old = old_of_.find(input);
            if (old != old_of_.end())
                over.insert(old->second);
            else
                unknown += " " + after_.variables[input].name;
        }
        if (a.has_value() == b.has_value() && (!a || (*a == over && unknown.empty()))) return;
        const auto text = [&](const std::optional<std::set<std::uint32_t>>& set, const core::UnitInfo& info) {
            if (!set) return std::string("all inputs (not stated)");
            std::string names;
            for (const std::uint32_t i : *set) names += (names.empty() ? "" : ", ") + info.variables[i].name;
            return names.empty() ? std::string("no input") : names;
        };
        add(Kind::dependency, old_name, new_name,
            fmt::format("depends on {} without a step; was {}", text(b, after_), text(a, before_)));
    }

    void lonely() {
        std::vector<std::string> free_old, free_new;
        for (std::uint32_t i = 0; i < before_.variables.size(); ++i)
            if (is_interface(before_.variables[i]) && !new_of_.contains(i))
                free_old.push_back(before_.variables[i].name);
        for (std::uint32_t i = 0; i < after_.variables.size(); ++i)
            if (is_interface(after_.variables[i]) && !old_of_.contains(i)) free_new.push_back(after_.variables[i].name);
        std::string parameters;
        std::size_t count = 0;
        for (const core::Variable& variable : before_.variables) {
            if (std::ranges::find(free_old, variable.name) == free_old.end()) continue;
            const std::string near = interfaces::text::closest(variable.name, free_new);
            if (near.empty() && core::is_parameter(variable)) {
                parameters += (count++ == 0 ? "" : ", ") + variable.name;
                continue;
            }
            add(near.empty() ? Kind::missing : Kind::renamed, variable.name, near,
                described(variable) + (near.empty() ? "" : "; no partner, closest name '" + near + "'"));
        }
        if (count > 0) add(Kind::missing, "", "", fmt::format("{} parameters: {}", count, parameters));
        for (const core::Variable& variable : after_.variables) {
            if (std::ranges::find(free_new, variable.name) == free_new.end()) continue;
            const bool named = std::ranges::any_of(changes_, [&](const InterfaceChange& change) {
                return change.kind == Kind::renamed && change.new_name == variable.name;
            });
            if (!named)
                add(Kind::extra, "", variable.name, described(variable) + ", starts at " + build::start_text(variable));
        }
    }

    void rate() {
        const auto text = [](const core::UnitInfo& info) {
            std::string result =
                info.fmi_version.empty() ? info.interface : "FMI " + info.fmi_version + " " + info.interface;
            if (!info.experiment.step.empty()) result += ", step " + info.experiment.step + " s";
            if (!info.fixed_internal_step.empty()) result += ", fixed internal step " + info.fixed_internal_step + " s";
            if (!info.can.variable_step) result += ", no variable step";
            return result;
        };
        if (text(before_) != text(after_)) add(Kind::rate, "", "", text(before_) + " became " + text(after_));
    }

    const core::UnitInfo& before_;
    const core::UnitInfo& after_;
    const build::Adapter& adapter_;
    std::map<std::uint32_t, std::uint32_t> old_of_, new_of_;
    std::vector<InterfaceChange> changes_;
};

}  // namespace

std::string_view to_string(InterfaceChange::Kind kind) {
    static constexpr std::array names{"missing", "extra", "renamed",    "type", "unit",
                                      "sign",    "range", "dependency", "rate"};
    return names[static_cast<std::size_t>(kind)];
}

std::vector<InterfaceChange> interface_diff(const core::UnitInfo& before, const core::UnitInfo& after,
                                            const build::Adapter& adapter) {
    return Differ(before, after, adapter).run();
}

}  // namespace master::analysis
