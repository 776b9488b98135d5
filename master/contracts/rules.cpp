#include "master/contracts/rules.hpp"

#include "master/base/xml/values.hpp"
#include "master/ssp/common.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace master::contracts {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

struct Range {
    double low = -infinite, high = infinite;

    [[nodiscard]] bool stated() const { return low > -infinite || high < infinite; }
    [[nodiscard]] bool covers(const Range& other) const {
        return (low <= other.low || same(low, other.low)) && (high >= other.high || same(high, other.high));
    }
};

std::string text_of(const Range& range, const std::optional<core::PhysicalUnit>& unit) {
    if (!range.stated()) return "no range";
    const std::string name = unit && !unit->name.empty() ? " " + unit->name : "";
    if (range.high == infinite) return fmt::format("at least {:g}{}", range.low, name);
    if (range.low == -infinite) return fmt::format("at most {:g}{}", range.high, name);
    return fmt::format("{:g} to {:g}{}", range.low, range.high, name);
}

constexpr std::array<NumberType, 11> number_types{{{"Float64", 53, true, true},
                                                   {"Float32", 24, true, true},
                                                   {"Int8", 7, true, false},
                                                   {"UInt8", 8, false, false},
                                                   {"Int16", 15, true, false},
                                                   {"UInt16", 16, false, false},
                                                   {"Int32", 31, true, false},
                                                   {"UInt32", 32, false, false},
                                                   {"Int64", 63, true, false},
                                                   {"UInt64", 64, false, false},
                                                   {"Enumeration", 31, true, false}}};

bool widens(const std::string& from, const std::string& to) {
    const NumberType *narrow = number_type(from), *wide = number_type(to);
    if (narrow == nullptr || wide == nullptr) return false;
    return narrow->integer_bits <= wide->integer_bits && (!narrow->negative || wide->negative) &&
           (!narrow->fractions || wide->fractions);
}

using Item = std::pair<std::string, std::int64_t>;
using Items = std::vector<Item>;

std::string extent_text(const std::vector<std::optional<std::uint64_t>>& dimensions) {
    if (dimensions.empty()) return "a scalar";
    std::string text;
    for (const auto& extent : dimensions)
        text += (text.empty() ? "" : " x ") + (extent ? std::to_string(*extent) : std::string("any"));
    return "an array of " + text;
}

/// On a bus the names belong to raw codes; whoever else takes part has the values.
Items items_of(const Entry& entry, const Entry& other) {
    Items items = entry.enumeration->items;
    if (!entry.bus || other.bus) return items;
    const BusSignal& bus = *entry.bus;
    for (auto& [name, value] : items) {
        const double physical = static_cast<double>(value) * bus.signal.factor + bus.signal.offset;
        value = std::llround(bus.gain * physical + bus.offset);
    }
    return items;
}

const Item* with_number(const Items& items, std::int64_t number) {
    const auto found = std::ranges::find(items, number, &Item::second);
    return found == items.end() ? nullptr : &*found;
}

/// Tables of buses call several numbers 'reserved': such a name says nothing about which one is meant.
const Item* with_name(const Items& items, const std::string& name) {
    const auto found = std::ranges::find(items, name, &Item::first);
    const bool once = std::ranges::count(items, name, &Item::first) == 1;
    return once ? &*found : nullptr;
}

}  // namespace

const NumberType* number_type(const std::string& name) {
    const auto found = std::ranges::find(number_types, name, &NumberType::name);
    return found == number_types.end() ? nullptr : &*found;
}

Role role_of(ssp::Kind kind) {
    switch (kind) {
        case ssp::Kind::input:
            return Role::takes;
        case ssp::Kind::output:
        case ssp::Kind::local:
        case ssp::Kind::calculated_parameter:
        case ssp::Kind::constant:
            return Role::gives;
        case ssp::Kind::parameter:
        case ssp::Kind::structural_parameter:
            return Role::parameter;
        case ssp::Kind::inout:
        case ssp::Kind::unspecified:
            break;
    }
    return Role::open;
}

std::string difference(const Comparison& comparison, const std::string& found, const std::string& wanted) {
    return comparison.versions ? fmt::format("was {}, is {}", wanted, found)
                               : fmt::format("is {}, expected {}", found, wanted);
}

bool EntryRules::takes() const {
    const Role own = role_of(actual_.kind), wanted = role_of(expected_.kind);
    // A bus is the other end: it takes what the unit gives.
    if (actual_.bus && !expected_.bus) return wanted == Role::gives;
    const Role role = own != Role::open ? own : wanted;
    return role == Role::takes || role == Role::parameter;
}

void EntryRules::add(const char* code, bool breaking, const std::string& text) {
    const ssp::Contract& contract = expected_.contract;
    comparison_.findings.push_back({.code = code,
                                    .subject = subject_,
                                    .breaking = breaking && contract.severity == ssp::Severity::error,
                                    .text = text,
                                    .where = actual_.where,
                                    .expected_where = expected_.where,
                                    .requirement = contract.requirement});
}

void EntryRules::differ(const char* code, bool breaking, const std::string& what, const std::string& found,
                        const std::string& wanted) {
    add(code, breaking, what + " " + difference(comparison_, found, wanted));
}

bool EntryRules::one_sided(const char* code, const char* what, bool found, bool wanted) {
    if (found == wanted) return false;
    // Who gives has to keep what it promised, who takes may not ask for more than before.
    if (comparison_.versions)
        add(code, takes() ? found : wanted, fmt::format("{} is {}", what, found ? "stated now" : "stated no longer"));
    else if (wanted && !takes() && (comparison_.unstated.empty() || comparison_.unstated.back() != subject_))
        comparison_.unstated.push_back(subject_);
    return true;
}

void EntryRules::bound(const char* code, const char* what, const std::optional<double>& found,
                       const std::optional<double>& wanted) {
    if (one_sided(code, what, found.has_value(), wanted.has_value()) || !found || same(*found, *wanted)) return;
    differ(code, takes() ? *found < *wanted : *found > *wanted, what, fmt::format("{:g}", *found),
           fmt::format("{:g}", *wanted));
}

std::optional<double> EntryRules::converted(const std::optional<double>& value) const {
    return value ? std::optional(scale_(*value)) : std::nullopt;
}

std::optional<double> EntryRules::converted_span(const std::optional<double>& value) const {
    return value ? std::optional(std::abs(scale_.gain) * *value) : std::nullopt;
}

void EntryRules::apply(const std::optional<base::Fraction>& step) {
    check_causality();
    if (actual_.bus && expected_.bus) {
        check_layout();
    } else if (actual_.bus || expected_.bus) {
        check_dimensions();
        check_bus_type();
        if (check_unit()) {
            check_bits();
            check_rate();
        }
    } else {
        check_type();
        check_dimensions();
        if (check_unit()) {
            check_range();
            check_nominal();
            check_start();
            check_rate();
        }
    }
    check_variability();
    check_period(step);
    check_times();
    check_age(step);
    check_dependencies();
    check_enumeration();
    check_codes();
}

void EntryRules::check_causality() {
    const Role found = role_of(actual_.kind), wanted = role_of(expected_.kind);
    if (found == Role::open || wanted == Role::open || actual_.kind == expected_.kind) return;
    const auto name = [](ssp::Kind kind) { return "'" + std::string(ssp::to_string(kind)) + "'"; };
    differ("causality", found != wanted, "its causality", name(actual_.kind), name(expected_.kind));
}

void EntryRules::check_type() {
    const std::string &found = actual_.type, &wanted = expected_.type;
    if (found.empty() || wanted.empty() || found == wanted) return;
    const bool enumerated =
        (found == "Enumeration" && wanted == "Int32") || (found == "Int32" && wanted == "Enumeration");
    const bool fits = enumerated || (takes() ? widens(wanted, found) : widens(found, wanted));
    differ("type", !fits, "its type", found, wanted);
}

void EntryRules::check_dimensions() {
    const auto &found = actual_.dimensions, &wanted = expected_.dimensions;
    // A description that says nothing of the type says nothing of the size.
    if ((found.empty() && actual_.type.empty()) || (wanted.empty() && expected_.type.empty())) return;
    bool fits = found.size() == wanted.size();
    for (std::size_t i = 0; fits && i < found.size(); ++i) fits = !found[i] || !wanted[i] || *found[i] == *wanted[i];
    if (!fits) differ("dimension", true, "it", extent_text(found), extent_text(wanted));
}

bool EntryRules::check_unit() {
    if (!actual_.unit && !expected_.unit) return true;
    const auto name = [](const std::optional<core::PhysicalUnit>& unit) {
        return unit && !unit->name.empty() ? "'" + unit->name + "'" : std::string("none");
    };
    const core::PhysicalUnit none;
    const build::UnitConversion conversion =
        build::convert({actual_.unit.value_or(none)}, {expected_.unit.value_or(none)});
    using Outcome = build::UnitConversion::Outcome;
    const bool nameless = !actual_.unit || !expected_.unit;
    if (nameless) {
        // The empty name is the unit 1, which many leave out.
        const core::PhysicalUnit& stated = actual_.unit ? *actual_.unit : *expected_.unit;
        const bool plain = stated.exponents ? *stated.exponents == std::array<int, 8>{} && stated.factor == 1
                                            : stated.name == "1" || stated.name.empty();
        if (!plain && (expected_.unit || comparison_.versions))
            differ("unit", false, "its unit", name(actual_.unit),
                   name(expected_.unit) + "; the values are taken to be in it");
        return true;
    }
    if (conversion.outcome == Outcome::refused || conversion.outcome == Outcome::doubtful) {
        differ("unit", true, "its unit", name(actual_.unit), name(expected_.unit) + ": " + conversion.text);
        return false;
    }
    scale_ = conversion.scale;
    const bool identity = same(scale_.gain, 1) && std::abs(scale_.offset) < rounding;
    if (identity) {
        scale_ = {};
        return true;
    }
    const bool one_name = actual_.unit->name == expected_.unit->name;
    const std::string factor = fmt::format("; one is {:g} of the other{}", scale_.gain,
                                           scale_.offset != 0 ? fmt::format(" and {:g} more", scale_.offset) : "");
    if (one_name) {
        add("scale", true,
            fmt::format("both sides call the unit '{}', and mean different ones{}", actual_.unit->name, factor));
        return false;
    }
    // The raw values of a bus are not converted by anybody.
    const bool on_bus = actual_.bus || expected_.bus;
    const char* const consequence = !on_bus        ? ", which the master converts"
                                    : same_codes() ? ", and a raw code means the same"
                                                   : "";
    add("scale", on_bus && !same_codes(),
        "its unit " + difference(comparison_, name(actual_.unit), name(expected_.unit)) + factor + consequence);
    return true;
}

void EntryRules::check_variability() {
    static constexpr std::array<std::string_view, 5> order{"constant", "fixed", "tunable", "discrete", "continuous"};
    const std::string &found = actual_.contract.variability, &wanted = expected_.contract.variability;
    if (found.empty() || wanted.empty() || found == wanted) return;
    const auto rank = [](const std::string& name) { return std::ranges::find(order, name) - order.begin(); };
    const bool fits = takes() ? rank(found) >= rank(wanted) : rank(found) <= rank(wanted);
    differ("variability", !fits, "its variability", found, wanted);
}

void EntryRules::check_range() {
    Range found{scale_(actual_.contract.minimum.value_or(-infinite)),
                scale_(actual_.contract.maximum.value_or(infinite))};
    if (found.low > found.high) std::swap(found.low, found.high);
    const Range wanted{expected_.contract.minimum.value_or(-infinite), expected_.contract.maximum.value_or(infinite)};
    if (!found.stated()) {
        one_sided("range", takes() ? "the range that it takes" : "its range", false, wanted.stated());
        return;
    }
    if (comparison_.versions &&
        one_sided("range", takes() ? "the range that it takes" : "its range", true, wanted.stated()))
        return;
    const bool narrower = wanted.covers(found), wider = found.covers(wanted);
    if (narrower && wider) return;
    differ("range", takes() ? !wider && wanted.stated() : !narrower, takes() ? "the range that it takes" : "its range",
           text_of(found, expected_.unit), text_of(wanted, expected_.unit));
}

void EntryRules::check_nominal() {
    const auto found = converted_span(actual_.contract.nominal);
    const auto& wanted = expected_.contract.nominal;
    // Solvers scale their tolerance by it: a factor of ten shows.
    if (!found || !wanted || *wanted == 0 || (*found / *wanted < 10 && *wanted / *found < 10)) return;
    differ("nominal", false, "its nominal value", fmt::format("{:g}", *found), fmt::format("{:g}", *wanted));
}

void EntryRules::check_rate() {
    bound("rate", "the largest change per second", converted_span(actual_.contract.rate), expected_.contract.rate);
}

void EntryRules::check_start() {
    const auto &found = actual_.contract.start, &wanted = expected_.contract.start;
    if (comparison_.versions && !found != !wanted)
        add("start", false, fmt::format("its start value is {}", found ? "stated now" : "stated no longer"));
    if (!found || !wanted || *found == *wanted) return;
    const auto number = base::parse_double(*found), other = base::parse_double(*wanted);
    if (number && other && same(scale_(*number), *other)) return;
    // Nobody has to set a parameter: its start value is what the system runs with.
    const bool breaking = role_of(actual_.kind) == Role::parameter;
    differ("start", breaking, "its start value", number ? fmt::format("{:g}", scale_(*number)) : "'" + *found + "'",
           "'" + *wanted + "'");
}

void EntryRules::check_period(const std::optional<base::Fraction>& step) {
    const bool stated = actual_.contract.period.has_value();
    const auto& period = stated ? actual_.contract.period : step;
    const bool wished = expected_.contract.period.has_value();
    if ((comparison_.versions || !period) && one_sided("period", "its period", stated, wished)) return;
    if (!period || !wished) return;
    const double found = period->value(), wanted = expected_.contract.period->value();
    const auto text = [](double seconds) { return fmt::format("{:g} s", seconds); };
    const char* what = stated ? "its period" : "the step of its unit";
    if (found > wanted && !same(found, wanted)) {
        differ("period", !takes() || stated, what, text(found), text(wanted) + " or less");
        return;
    }
    if (stated) {
        // A period with a jitter is a beat: what comes sooner leaves it too.
        const double jitter = expected_.contract.jitter.value_or(infinite);
        const bool early = wanted - found > jitter && !same(wanted - found, jitter) && !takes();
        if (!same(found, wanted)) differ("period", early, what, text(found), text(wanted));
        return;
    }
    // New values come at multiples of the step: where those are none of the period, its beat is uneven by a step.
    const double beats = wanted / found;
    if (same(beats, std::round(beats)) || expected_.contract.jitter.value_or(infinite) >= found || takes()) return;
    differ("jitter", true, "the period", fmt::format("uneven by up to a step of {:g} s", found),
           fmt::format("{:g} s with a jitter of {:g} s", wanted, *expected_.contract.jitter));
}

void EntryRules::check_times() {
    bound("jitter", "its jitter in s", actual_.contract.jitter, expected_.contract.jitter);
    const std::string &counted = actual_.contract.age_from, &wanted = expected_.contract.age_from;
    if (counted == wanted || !actual_.contract.maximal_age || !expected_.contract.maximal_age)
        bound("age", "its maximal age in s", actual_.contract.maximal_age, expected_.contract.maximal_age);
    else
        differ("age", true, "where its age counts from", "'" + counted + "'", "'" + wanted + "'");
    if (actual_.bus || expected_.bus) return;
    bound("resolution", "its resolution", converted_span(actual_.contract.resolution), expected_.contract.resolution);
}

/// A value stands from one step to the next, whatever it does in a run.
void EntryRules::check_age(const std::optional<base::Fraction>& step) {
    const ssp::Contract& wanted = expected_.contract;
    const auto& period = actual_.contract.period ? actual_.contract.period : step;
    if (comparison_.versions || takes() || !wanted.maximal_age || !wanted.age_from.empty() || !period) return;
    if (period->value() > *wanted.maximal_age && !same(period->value(), *wanted.maximal_age))
        add("age", true,
            fmt::format("its value stands for {:g} s, from one to the next, expected {:g} s or less", period->value(),
                        *wanted.maximal_age));
}

void EntryRules::check_dependencies() {
    if (!expected_.dependencies || takes()) return;
    if (!actual_.dependencies && comparison_.versions)
        add("dependency", true, "that it depends on some inputs alone in the same instant is stated no longer");
    if (!actual_.dependencies) {
        if (actual_.implemented)
            add("dependency", true,
                "its FMU states no dependencies, which means feedthrough from every input; expected " +
                    (expected_.dependencies->empty() ? std::string("none") : "only some"));
        return;
    }
    for (const std::string& input : *actual_.dependencies)
        if (std::ranges::find(*expected_.dependencies, input) == expected_.dependencies->end())
            add("dependency", true,
                fmt::format("it depends on '{}' in the same instant (feedthrough), which is not allowed", input));
}

void EntryRules::check_enumeration() {
    if (!actual_.enumeration || !expected_.enumeration) return;
    const Items found = items_of(actual_, expected_), wanted = items_of(expected_, actual_);
    if (found.empty() || wanted.empty()) return;
    const auto has = [](const Items& items, const Item& item) { return std::ranges::find(items, item) != items.end(); };
    for (const Item& item : wanted) {
        const auto& [name, number] = item;
        if (has(found, item)) continue;
        if (const Item* other = with_name(wanted, name) != nullptr ? with_name(found, name) : nullptr)
            differ("enumeration", true, fmt::format("the number of item '{}'", name), std::to_string(other->second),
                   std::to_string(number));
        else if (const Item* same_number = with_number(found, number))
            differ("enumeration", true, fmt::format("the item of number {}", number), "'" + same_number->first + "'",
                   "'" + name + "'");
        else
            add("enumeration", takes(), fmt::format("it has no item '{}' = {}", name, number));
    }
    for (const Item& item : found) {
        const bool known = has(wanted, item) || with_name(wanted, item.first) != nullptr ||
                           with_number(wanted, item.second) != nullptr;
        if (!known)
            add("enumeration", !takes(),
                fmt::format("it has an item '{}' = {} that nobody expects", item.first, item.second));
    }
}

void EntryRules::check_codes() {
    const auto check = [&](const char* what, const std::optional<std::int64_t>& found,
                           const std::optional<std::int64_t>& wanted) {
        if (!found || !wanted || *found == *wanted) return;
        differ("raw-code", true, what, fmt::format("{:#x}", *found), fmt::format("{:#x}", *wanted));
    };
    check("the raw code for 'invalid'", actual_.contract.invalid, expected_.contract.invalid);
    check("the raw code for 'not available'", actual_.contract.not_available, expected_.contract.not_available);
    const bool on_bus = actual_.bus.has_value() || expected_.bus.has_value();
    for (const auto* wanted : {&expected_.contract.invalid, &expected_.contract.not_available}) {
        const bool invalid = wanted == &expected_.contract.invalid;
        const auto& found = invalid ? actual_.contract.invalid : actual_.contract.not_available;
        if (*wanted && !found && on_bus)
            add("raw-code", true,
                fmt::format("it has no raw code for '{}', expected {:#x}", invalid ? "invalid" : "not available",
                            **wanted));
    }
}

}  // namespace master::contracts
