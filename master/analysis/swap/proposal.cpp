#include "master/analysis/swap/proposal.hpp"

#include "master/analysis/swap/known_factors.hpp"
#include "master/build/replace/adapter.hpp"
#include "master/build/resolve/well_known_units.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <string_view>

namespace master::analysis {
namespace {

/// Of a gain that is one but for what a measurement leaves.
constexpr double nearly_one = 0.02;

const core::Variable& found(const NamedVariable& variable) {
    return *std::ranges::find(variable.info.variables, variable.name, &core::Variable::name);
}

core::PhysicalUnit measure_of(const NamedVariable& variable) {
    return build::unit_of_measure(variable.info, found(variable));
}

bool is_power_of_ten(double factor) {
    const double power = std::log10(factor);
    return std::fabs(power - std::round(power)) < 1e-9;
}

/// What stands alone: the parts between commas, semicolons and brackets, and the word behind "in".
std::vector<std::string> words_for_a_unit(const std::string& description) {
    std::vector<std::string> words;
    std::string part;
    const auto end = [&] {
        const std::size_t first = part.find_first_not_of(' '), last = part.find_last_not_of(' ');
        if (first != std::string::npos) words.push_back(part.substr(first, last - first + 1));
        if (const std::size_t in = part.rfind(" in "); in != std::string::npos) words.push_back(part.substr(in + 4));
        part.clear();
    };
    for (const char c : description) {
        if (std::string_view(",;()[]{}").find(c) == std::string_view::npos)
            part += c;
        else
            end();
    }
    end();
    return words;
}

}  // namespace

std::string Proposal::text() const {
    std::string out = std::string(build::adapter_map_header) + "\n";
    for (const Row& row : rows) out += build::text_of(row.row, row.note) + "\n";
    for (const std::string& open : ambiguous) out += "# open: " + open + "\n";
    return out;
}

void Proposal::leave_to_old(const std::string& variable, build::MapRow::Form form, const char* note) {
    if (std::ranges::any_of(rows, [&](const Row& one) { return one.row.old_name == variable; })) return;
    Row row;
    row.row.form = form;
    row.row.old_name = variable;
    row.note = note;
    rows.push_back(std::move(row));
}

double meant_gain(const NamedVariable& before, const NamedVariable& after, double measured) {
    const double used = known_factor(measured).value_or(measured);
    const auto declared = declared_scale(after, before);
    const bool near = declared && std::fabs(std::fabs(used / declared->gain) - 1) < nearly_one;
    return near ? std::copysign(declared->gain, used) : used;
}

std::optional<build::Scale> declared_scale(const NamedVariable& before, const NamedVariable& after) {
    const core::PhysicalUnit from = measure_of(before), to = measure_of(after);
    if (!build::understood(from) || !build::understood(to)) return std::nullopt;
    return build::convert({from, false}, {to, false}).scale;
}

Proposal::Row proposed_row(const NamedVariable& before, const NamedVariable& after, const MeasuredLine& line,
                           std::string note) {
    Proposal::Row result;
    result.row.old_name = before.name;
    result.row.new_name = after.name;
    const double used = meant_gain(before, after, line.gain);
    result.row.gain = used;
    double offset = line.offset.value_or(0);
    const auto declared = declared_scale(after, before);
    if (declared) {
        result.row.gain = used / declared->gain;
        if (line.offset) offset -= result.row.gain * declared->offset;
    } else if (known_factor(line.gain)) {
        result.row.unit = unit_by_factor(measure_of(before), used);
        if (!result.row.unit.empty()) result.row.gain = std::copysign(1, used);
    }
    if (std::fabs(offset) > line.least_offset) result.row.offset = offset;
    if (!known_factor(line.gain) && std::fabs(result.row.gain) != 1)
        note += fmt::format(", gain {:.6g} is no factor between units: physics?", line.gain);
    if (result.row.gain < 0) note += ", sign turned";
    if (result.row.offset != 0) note += ", offset measured";
    result.note = std::move(note);
    return result;
}

std::vector<double> possible_factors(const NamedVariable& before, const NamedVariable& after) {
    const build::UsedUnit from{measure_of(before), false}, to{measure_of(after), false};
    if (build::understood(from.unit) && build::understood(to.unit)) {
        const build::UnitConversion conversion = build::convert(from, to);
        if (conversion.outcome == build::UnitConversion::Outcome::refused) return {};
        return {conversion.scale.gain, -conversion.scale.gain};
    }
    const core::Variable& a = found(before);
    const core::Variable& b = found(after);
    if (a.minimum && a.maximum && b.minimum && b.maximum) {
        const auto known = known_factor((*b.maximum - *b.minimum) / (*a.maximum - *a.minimum));
        if (known) return {*known, -*known};
    }
    std::vector<double> all;
    for (const double factor : known_factors()) {
        const bool fits =
            !build::understood(from.unit) || is_power_of_ten(factor) || !unit_by_factor(from.unit, 1 / factor).empty();
        if (!fits) continue;
        all.push_back(factor);
        all.push_back(-factor);
    }
    return all;
}

std::optional<double> described_factor(const NamedVariable& before, const NamedVariable& after) {
    const build::UsedUnit from{measure_of(before), false};
    if (!build::understood(from.unit)) return std::nullopt;
    for (const std::string& word : words_for_a_unit(found(after).description)) {
        const core::PhysicalUnit* unit = build::well_known_unit(word);
        if (unit == nullptr) continue;
        const build::UnitConversion conversion = build::convert(from, {*unit, false});
        if (conversion.outcome != build::UnitConversion::Outcome::refused) return conversion.scale.gain;
    }
    return std::nullopt;
}

OutputGains known_gains(const core::UnitInfo& before, std::span<const std::uint32_t> old_outputs,
                        const core::UnitInfo& after, std::span<const std::uint32_t> new_outputs) {
    OutputGains gains;
    for (const std::uint32_t o : old_outputs) {
        std::vector<double>& row = gains.emplace_back();
        for (const std::uint32_t p : new_outputs) {
            const std::vector<double> factors =
                possible_factors({before, before.variables[o].name}, {after, after.variables[p].name});
            row.push_back(factors.empty()       ? 0
                          : factors.size() == 2 ? 1 / std::fabs(factors.front())
                                                : std::numeric_limits<double>::quiet_NaN());
        }
    }
    return gains;
}

}  // namespace master::analysis
