#include "master/build/resolve/chain.hpp"

#include "master/base/xml/values.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace master::build {
namespace {

using Form = ssp::Transformation::Form;

bool convert_unit(const ssp::Hop& hop, UsedUnit& unit, const UsedUnit& target, Chain& chain, const std::string& label,
                  UnitRemarks& remarks, base::Diagnostics& diagnostics) {
    if (!hop.suppress_unit_conversion) {
        const UnitConversion conversion = convert(unit, target);
        if (conversion.outcome == UnitConversion::Outcome::refused) {
            diagnostics.error("unit-mismatch", hop.where, label + ": " + conversion.text);
            return false;
        }
        if (conversion.outcome == UnitConversion::Outcome::unchanged && ++remarks.unchanged == 1) {
            remarks.where = hop.where;
            remarks.text = label + ": " + conversion.text;
        }
        chain.scale = chain.scale.then(conversion.scale);
    }
    unit = target;
    return true;
}

/// A second table reads what the first one wrote.
std::vector<std::pair<std::string, std::string>> composed(
    const std::vector<std::pair<std::string, std::string>>& first,
    const std::vector<std::pair<std::string, std::string>>& second) {
    std::vector<std::pair<std::string, std::string>> result;
    for (const auto& [source, middle] : first) {
        const auto next = std::ranges::find(second, middle, &std::pair<std::string, std::string>::first);
        if (next != second.end()) result.emplace_back(source, next->second);
    }
    return result;
}

bool transform(const ssp::Hop& hop, Chain& chain, const std::string& label, base::Diagnostics& diagnostics) {
    const ssp::Transformation& next = hop.transformation;
    if (next.form == Form::none) return true;
    const bool mixes = next.form == Form::linear
                           ? chain.form != Form::none
                           : chain.transforms || (chain.form != Form::none && chain.form != next.form);
    if (mixes) {
        diagnostics.error("transformation", next.where,
                          label + ": different kinds of transformations follow each other, which cannot be combined");
        return false;
    }
    if (next.form == Form::linear) {
        chain.transforms = true;
        chain.scale = chain.scale.then({next.factor, next.offset});
        return true;
    }
    chain.table = chain.form == Form::none ? next.table : composed(chain.table, next.table);
    chain.form = next.form;
    return true;
}

std::optional<std::int64_t> number_of(Form form, const std::string& text, const core::Enumeration* enumeration) {
    if (form == Form::integer) return base::parse_integer(text);
    if (form == Form::enumeration) return enumeration == nullptr ? std::nullopt : item_value(*enumeration, text);
    const std::optional<bool> flag = base::parse_boolean(text);
    if (!flag) return std::nullopt;
    return *flag ? 1 : 0;
}

}  // namespace

std::optional<Chain> chain_of(std::span<const ssp::Hop> hops, const UsedUnit& from, const UsedUnit& to,
                              const std::string& label, UnitRemarks& remarks, base::Diagnostics& diagnostics) {
    Chain chain;
    UsedUnit unit = from;
    for (std::size_t i = 0; i < hops.size(); ++i) {
        const bool last = i + 1 == hops.size();
        // A nested connector without a unit of its own passes values on in the unit they came in.
        const bool known = hops[i].unit && hops[i].unit->exponents;
        const UsedUnit target = last ? to : known ? UsedUnit{*hops[i].unit, unit.relative} : unit;
        if (!convert_unit(hops[i], unit, target, chain, label, remarks, diagnostics)) return std::nullopt;
        if (!transform(hops[i], chain, label, diagnostics)) return std::nullopt;
    }
    return chain;
}

std::optional<Chain> chain_without_units(std::span<const ssp::Hop> hops, const std::string& label,
                                         base::Diagnostics& diagnostics) {
    Chain chain;
    for (const ssp::Hop& hop : hops)
        if (!transform(hop, chain, label, diagnostics)) return std::nullopt;
    return chain;
}

std::optional<std::vector<std::pair<std::int64_t, std::int64_t>>> numbers_of(const Chain& chain,
                                                                             const core::Enumeration* from,
                                                                             const core::Enumeration* to,
                                                                             const std::string& where,
                                                                             base::Diagnostics& diagnostics) {
    std::vector<std::pair<std::int64_t, std::int64_t>> table;
    for (const auto& [source, target] : chain.table) {
        const std::optional<std::int64_t> first = number_of(chain.form, source, from);
        const std::optional<std::int64_t> second = number_of(chain.form, target, to);
        if (first && second) {
            table.emplace_back(*first, *second);
            continue;
        }
        const std::string& wrong = first ? target : source;
        const core::Enumeration* enumeration = first ? to : from;
        std::string hint;
        if (chain.form == Form::enumeration)
            hint = enumeration == nullptr ? ", whose enumeration is not known"
                                          : base::did_you_mean(wrong, item_names(*enumeration));
        diagnostics.error("bad-value", where,
                          fmt::format("the mapping has '{}', which is no value there{}", wrong, hint));
        return std::nullopt;
    }
    return table;
}

std::optional<std::int64_t> item_value(const core::Enumeration& enumeration, const std::string& name) {
    const auto found = std::ranges::find(enumeration.items, name, &std::pair<std::string, std::int64_t>::first);
    if (found == enumeration.items.end()) return std::nullopt;
    return found->second;
}

std::vector<std::string> item_names(const core::Enumeration& enumeration) {
    std::vector<std::string> names;
    names.reserve(enumeration.items.size());
    for (const auto& [name, value] : enumeration.items) names.push_back(name);
    return names;
}

}  // namespace master::build
