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
        // A transformation is the author's own conversion between units that nobody else understands.
        const bool stated = conversion.outcome == UnitConversion::Outcome::doubtful && chain.transforms;
        if (!stated) remarks.add(conversion, label, hop.where);
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

void UnitRemarks::count(Remark& remark, const std::string& label, const std::string& where) {
    if (++remark.count > 1) return;
    remark.label = label;
    remark.where = where;
}

void UnitRemarks::add(const UnitConversion& conversion, const std::string& label, const std::string& where) {
    if (conversion.outcome == UnitConversion::Outcome::unchanged) {
        if (unchanged_.count == 0) unchanged_text_ = conversion.text;
        count(unchanged_, label, where);
    }
    if (conversion.outcome == UnitConversion::Outcome::doubtful) count(doubtful_[conversion.text], label, where);
    if (conversion.scale.identity()) return;
    for (const std::string& assumed : conversion.assumed) count(assumed_[assumed], label, where);
}

void UnitRemarks::report(const std::string& fate, base::Diagnostics& diagnostics) const {
    const auto more = [](const Remark& remark) {
        return remark.count == 1 ? std::string{} : fmt::format(" (and {} more)", remark.count - 1);
    };
    for (const auto& [text, remark] : assumed_)
        diagnostics.note("unit-undefined", remark.where,
                         fmt::format("{}{}: unit {}", remark.label, more(remark), text));
    for (const auto& [text, remark] : doubtful_)
        diagnostics.warn("unit-mismatch", remark.where,
                         fmt::format("{}{}: {}: {}. Define the units, or say what is meant by suppressUnitConversion "
                                     "or a LinearTransformation",
                                     remark.label, more(remark), text, fate));
    if (unchanged_.count > 0)
        diagnostics.note("unit-undefined", unchanged_.where,
                         fmt::format("{}: {}: {}{}", unchanged_.label, unchanged_text_, fate, more(unchanged_)));
}

std::optional<Chain> chain_of(std::span<const ssp::Hop> hops, const UsedUnit& from, const UsedUnit& to,
                              const std::string& label, UnitRemarks& remarks, base::Diagnostics& diagnostics) {
    Chain chain;
    // A transformation on any hop counts for all of them: units of systems in between may be left out.
    chain.transforms =
        std::ranges::any_of(hops, [](const ssp::Hop& hop) { return hop.transformation.form == Form::linear; });
    UsedUnit unit = from;
    for (std::size_t i = 0; i < hops.size(); ++i) {
        const bool last = i + 1 == hops.size();
        // A nested connector without a unit of its own passes values on in the unit they came in.
        const bool known = hops[i].unit && understood(*hops[i].unit);
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
