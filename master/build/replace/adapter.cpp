#include "master/build/replace/adapter.hpp"

#include "master/build/replace/flow.hpp"
#include "master/build/resolve/names.hpp"
#include "master/core/value_text.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace master::build {
namespace {

/// Parameters stand for parameters, what takes values for what takes them, and whatever can be read for outputs.
bool same_side(const core::Variable& before, const core::Variable& after) {
    if (core::is_parameter(before) || core::is_parameter(after))
        return core::is_parameter(before) && core::is_parameter(after);
    return flows_in(before) == flows_in(after);
}

class AdapterMaker {
public:
    AdapterMaker(const AdaptedUnit& before, const AdaptedUnit& after, base::Diagnostics& diagnostics)
        : before_(before), after_(after), diagnostics_(diagnostics), old_names_(before.info), new_names_(after.info) {}

    void add(const MapRow& row) {
        std::optional<VariablePart> old_part, new_part;
        if (!row.old_name.empty()) {
            old_part = find(row.old_name, before_, old_names_, row.where);
            if (!old_part) return;
        }
        if (!row.new_name.empty()) {
            new_part = find(row.new_name, after_, new_names_, row.where);
            if (!new_part) return;
        }
        if (doubled(row, old_part, new_part)) return;
        if (old_part && new_part) return add_partner(row, std::move(*old_part), std::move(*new_part));
        if (old_part) {
            if (row.form == MapRow::Form::of_old_unit && flows_in(before_.info.variables[old_part->variable]))
                return wrong(row, fmt::format("'{}' is no output: the old unit cannot give it", row.old_name));
            adapter_.old_without.push_back({std::move(*old_part), row});
            return;
        }
        if (!flows_in(after_.info.variables[new_part->variable]) && row.form == MapRow::Form::constant)
            return wrong(row, fmt::format("'{}' is no input or parameter of the new unit: it cannot be held at a value",
                                          row.new_name));
        adapter_.new_without.push_back({std::move(*new_part), row});
    }

    /// What the map does not name.
    void add_equal_names() {
        for (std::uint32_t i = 0; i < before_.info.variables.size(); ++i) {
            const core::Variable& variable = before_.info.variables[i];
            if (variable.causality == core::Causality::independent || named_old_.contains(i)) continue;
            const std::optional<std::uint32_t> same = new_names_.find(variable.name);
            if (!same || named_new_.contains(*same)) continue;
            const core::Variable& other = after_.info.variables[*same];
            if (!same_side(variable, other)) continue;
            const bool inner =
                variable.causality == core::Causality::local || other.causality == core::Causality::local;
            if (inner && variable.unit != other.unit) continue;
            MapRow row;
            row.where = after_.file;
            row.old_name = row.new_name = variable.name;
            add_partner(row, {i, {}}, {*same, {}});
            if (!adapter_.partners.empty() && adapter_.partners.back().before.variable == i)
                adapter_.partners.back().by_name = true;
        }
    }

    Adapter take() { return std::move(adapter_); }

private:
    void wrong(const MapRow& row, std::string text) { diagnostics_.error("bad-map", row.where, std::move(text)); }

    std::optional<VariablePart> find(const std::string& name, const AdaptedUnit& unit, const VariableNames& names,
                                     const std::string& where) {
        if (const auto variable = names.find(name)) return VariablePart{*variable, {}};
        if (const auto split = split_indices(name))
            if (const auto variable = names.find(split->name)) return VariablePart{*variable, split->indices};
        diagnostics_.error("unknown-name", where,
                           fmt::format("no variable '{}' in {}{}", name, unit.file, names.hint(name)));
        return std::nullopt;
    }

    /// An input takes one value and an output of the old unit is replaced by one.
    bool doubled(const MapRow& row, const std::optional<VariablePart>& old_part,
                 const std::optional<VariablePart>& new_part) {
        const auto taken = [&](std::vector<std::pair<VariablePart, std::string>>& all, const VariablePart& part,
                               const std::string& name) {
            const auto first = std::ranges::find(all, part, &std::pair<VariablePart, std::string>::first);
            if (first == all.end()) {
                all.emplace_back(part, row.where);
                return false;
            }
            wrong(row, fmt::format("'{}' is mapped a second time; first at {}. The sum of several signals is the work "
                                   "of a unit (fmus/adapters/sum)",
                                   name, first->second));
            return true;
        };
        if (old_part) named_old_.insert(old_part->variable);
        if (new_part) named_new_.insert(new_part->variable);
        const bool to_old = old_part && !flows_in(before_.info.variables[old_part->variable]);
        const bool to_new = new_part && flows_in(after_.info.variables[new_part->variable]);
        if (to_old && taken(old_targets_, *old_part, row.old_name)) return true;
        return to_new && taken(new_targets_, *new_part, row.new_name);
    }

    void add_partner(const MapRow& row, VariablePart old_part, VariablePart new_part) {
        const core::Variable& before = before_.info.variables[old_part.variable];
        const core::Variable& after = after_.info.variables[new_part.variable];
        if (!same_side(before, after))
            return wrong(row,
                         fmt::format("'{}' is of causality {} and '{}' of causality {}", row.old_name,
                                     core::name_of(before.causality), row.new_name, core::name_of(after.causality)));
        Partner partner{.before = std::move(old_part), .after = std::move(new_part)};
        partner.gain = row.gain;
        partner.offset = row.offset;
        partner.where = row.where;
        partner.old_unit = used_unit(before_, before);
        core::PhysicalUnit new_unit = used_unit(after_, after);
        if (!row.unit.empty()) {
            if (understood(new_unit) && new_unit.name != row.unit)
                return wrong(row, fmt::format("'{}' is in '{}', as its FMU says, and not in '{}'", row.new_name,
                                              new_unit.name, row.unit));
            new_unit = defined(row.unit);
            if (!understood(new_unit))
                return wrong(row, fmt::format("unit '{}' of '{}' is not known", row.unit, row.new_name));
            partner.stated_unit = new_unit;
        }
        const bool real = before.type == core::Type::real && after.type == core::Type::real;
        if (!real && (row.gain != 1 || row.offset != 0 || !row.unit.empty()))
            return wrong(row, fmt::format("'{}' and '{}' are not both reals: no gain, offset or unit applies",
                                          row.old_name, row.new_name));
        if (real && !scale(row, before, after, new_unit, partner)) return;
        adapter_.partners.push_back(std::move(partner));
    }

    bool scale(const MapRow& row, const core::Variable& before, const core::Variable& after,
               const core::PhysicalUnit& new_unit, Partner& partner) {
        const UsedUnit from{new_unit, after.relative_quantity}, to{partner.old_unit, before.relative_quantity};
        const UnitConversion conversion = convert(from, to);
        if (conversion.outcome == UnitConversion::Outcome::refused) {
            diagnostics_.error(
                "unit-mismatch", row.where,
                fmt::format("'{}' and '{}' are no partners: {}", before.name, after.name, conversion.text));
            return false;
        }
        // old = gain * (c new + d) + offset
        const Scale units = conversion.scale;
        partner.to_old = units.then({row.gain, row.offset});
        const Scale& there = partner.to_old;
        partner.to_new = {1 / there.gain, -there.offset / there.gain};
        // On the way to the new unit the conversion of units comes first, as SSP has it; the rest is what is left.
        const Scale back = convert(to, from).scale;
        const double factor = 1 / row.gain;
        partner.transform_to_new = {factor, back.offset * (1 - factor) - back.gain * row.offset * factor};
        return true;
    }

    [[nodiscard]] core::PhysicalUnit used_unit(const AdaptedUnit& unit, const core::Variable& variable) const {
        core::PhysicalUnit own = unit_of_measure(unit.info, variable);
        if (understood(own) || !unit.stated) return own;
        const std::optional<core::PhysicalUnit> stated = unit.stated(variable.name);
        return stated && understood(*stated) ? *stated : own;
    }

    [[nodiscard]] core::PhysicalUnit defined(const std::string& name) const {
        for (const core::UnitInfo* info : {&after_.info, &before_.info}) {
            const auto found = std::ranges::find(info->units, name, &core::PhysicalUnit::name);
            if (found != info->units.end()) return *found;
        }
        return {.name = name, .exponents = {}};
    }

    const AdaptedUnit& before_;
    const AdaptedUnit& after_;
    base::Diagnostics& diagnostics_;
    VariableNames old_names_, new_names_;
    std::set<std::uint32_t> named_old_, named_new_;
    std::vector<std::pair<VariablePart, std::string>> old_targets_, new_targets_;  // with where they were mapped
    Adapter adapter_;
};

const Lonely* said_of(const std::vector<Lonely>& all, std::uint32_t variable) {
    const auto found = std::ranges::find(all, variable, [](const Lonely& lonely) { return lonely.part.variable; });
    return found == all.end() ? nullptr : &*found;
}

}  // namespace

const Lonely* Adapter::said_of_old(std::uint32_t variable) const { return said_of(old_without, variable); }
const Lonely* Adapter::said_of_new(std::uint32_t variable) const { return said_of(new_without, variable); }

bool Adapter::keeps_old_unit() const {
    return std::ranges::any_of(old_without,
                               [](const Lonely& one) { return one.row.form == MapRow::Form::of_old_unit; });
}

Adapter make_adapter(std::span<const MapRow> rows, const AdaptedUnit& before, const AdaptedUnit& after,
                     base::Diagnostics& diagnostics) {
    AdapterMaker maker(before, after, diagnostics);
    for (const MapRow& row : rows) maker.add(row);
    maker.add_equal_names();
    return maker.take();
}

std::string name_of(const core::UnitInfo& info, const VariablePart& part) {
    std::string name = info.variables[part.variable].name;
    if (part.indices.empty()) return name;
    name += "[";
    for (const std::uint64_t index : part.indices) name += (name.back() == '[' ? "" : ",") + std::to_string(index);
    return name + "]";
}

core::PhysicalUnit unit_of_measure(const core::UnitInfo& info, const core::Variable& variable) {
    const auto found = std::ranges::find(info.units, variable.unit, &core::PhysicalUnit::name);
    return found != info.units.end() ? *found : core::PhysicalUnit{.name = variable.unit, .exponents = {}};
}

std::string start_text(const core::Variable& variable) {
    return (variable.start ? core::value_text(*variable.start) : std::string("0")) +
           (variable.unit.empty() ? "" : " " + variable.unit);
}

}  // namespace master::build
