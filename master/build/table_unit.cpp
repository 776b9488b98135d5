#include "master/build/table_unit.hpp"

#include "master/base/diagnostics.hpp"
#include "master/base/error.hpp"
#include "master/build/native_types.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

namespace master::build {
namespace {

class TableSnapshot final : public core::Snapshot {
public:
    explicit TableSnapshot(base::Time t) : time(t) {}
    base::Time time;
};

core::Type type_of(const core::Value& values) {
    if (std::holds_alternative<std::vector<double>>(values)) return core::Type::real;
    if (std::holds_alternative<std::vector<std::int64_t>>(values)) return core::Type::integer;
    if (std::holds_alternative<std::vector<std::uint64_t>>(values)) return core::Type::natural;
    if (std::holds_alternative<std::vector<std::uint8_t>>(values)) return core::Type::boolean;
    return core::Type::string;
}

std::string spelled(core::Type type) {
    switch (type) {
        case core::Type::real:
            return "a real";
        case core::Type::integer:
            return "an integer";
        case core::Type::natural:
            return "an unsigned integer";
        case core::Type::boolean:
            return "a boolean (0, 1, true, false)";
        case core::Type::string:
            return "a string";
        case core::Type::bytes:
            return "a binary value";
        case core::Type::clock:
            return "a clock";
    }
    return {};
}

/// The narrowest type of the family that holds every value: any receiver with room for them takes it.
template <class Element>
std::string narrowest(const std::vector<Element>& values, const std::string& family) {
    int bits = 8;
    for (const Element value : values) {
        const auto holds = [value](int width) {
            if (width >= 64) return true;
            const Element limit = Element{1} << (std::is_signed_v<Element> ? width - 1 : width);
            return value < limit && (!std::is_signed_v<Element> || value >= Element{0} - limit);
        };
        while (!holds(bits)) bits *= 2;
    }
    return family + std::to_string(bits);
}

std::string declared(const core::Value& values) {
    if (const auto* integers = std::get_if<std::vector<std::int64_t>>(&values)) return narrowest(*integers, "Int");
    if (const auto* naturals = std::get_if<std::vector<std::uint64_t>>(&values)) return narrowest(*naturals, "UInt");
    if (std::holds_alternative<std::vector<double>>(values)) return "Float64";
    return std::holds_alternative<std::vector<std::uint8_t>>(values) ? "Boolean" : "String";
}

template <class Number>
std::string text_of(Number value) {
    char buffer[32];
    return {buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr};
}

/// True when `Target` can hold the value exactly.
template <class Target, class Number>
bool fits(Number value) {
    if constexpr (std::is_floating_point_v<Target>) {
        return true;
    } else if constexpr (std::is_floating_point_v<Number>) {
        // 2^63, 2^64 and 2 are exact doubles, so the comparison is too.
        const double limit =
            std::is_same_v<Target, std::uint8_t> ? 2.0 : std::ldexp(1.0, std::numeric_limits<Target>::digits);
        return value == std::floor(value) && value < limit && value >= (std::is_signed_v<Target> ? -limit : 0.0);
    } else if constexpr (std::is_same_v<Target, std::uint8_t>) {
        return value == 0 || value == 1;
    } else {
        return std::in_range<Target>(value);
    }
}

}  // namespace

TableUnit::TableUnit(std::string name, results::Table table, base::Timebase timebase, const WantedTypes& wanted)
    : name_(std::move(name)), table_(std::move(table)), timebase_(timebase) {
    if (table_.time.empty())
        throw base::Error("bad-table", table_.source, "the table has no rows, expected at least one");
    for (const auto& [column, type] : wanted.types) {
        if (table_.find(column) == nullptr)
            throw base::Error("bad-table", table_.source,
                              "there is no column '" + column + "'" + base::did_you_mean(column, table_.names()));
    }
    info_.model_name = table_.source;
    info_.interface = "table";
    info_.can.refreshes_outputs = true;
    info_.can.variable_step = true;
    info_.can.save_state = true;
    for (results::TableColumn& column : table_.columns) {
        if (const auto type = wanted.types.find(column.name); type != wanted.types.end()) convert(column, type->second);
        core::Variable variable;
        variable.name = column.name;
        variable.type = type_of(column.values);
        variable.declared_type = declared(column.values);
        if (variable.type == core::Type::real && wanted.singles.contains(column.name)) {
            check_singles(column);
            variable.declared_type = "Float32";
        }
        variable.causality = core::Causality::output;
        variable.variability =
            variable.type == core::Type::real ? core::Variability::continuous : core::Variability::discrete;
        variable.initial = core::Initial::calculated;
        variable.unit = column.unit;
        const auto index = static_cast<std::uint32_t>(info_.variables.size());
        info_.variables.push_back(std::move(variable));
        info_.outputs.push_back({index, std::vector<std::uint32_t>{}});
        info_.initial_unknowns.push_back({index, std::vector<std::uint32_t>{}});
    }
    put_jumps_on_ticks();
    collect_jumps();
}

double TableUnit::value_at(std::uint32_t column, double t, core::Side side) const {
    return results::interpolate(std::get<std::vector<double>>(table_.columns[column].values),
                                results::locate(table_.time, t, side));
}

double TableUnit::next_corner(std::uint32_t /*column*/, double t) const {
    const auto next = std::ranges::upper_bound(table_.time, t);
    return next == table_.time.end() ? std::numeric_limits<double>::infinity() : *next;
}

std::vector<double> TableUnit::jumps(std::uint32_t column) const {
    std::vector<double> found;
    std::visit(
        [&]<class Element>(const std::vector<Element>& values) {
            for (std::size_t row = 1; row < values.size(); ++row) {
                const bool sudden = !std::is_same_v<Element, double> || table_.time[row] == table_.time[row - 1];
                if (sudden && values[row] != values[row - 1]) found.push_back(table_.time[row]);
            }
        },
        table_.columns[column].values);
    return found;
}

std::optional<double> TableUnit::next_jump(double t) const {
    const auto next = std::ranges::upper_bound(jumps_, t);
    return next == jumps_.end() ? std::nullopt : std::optional(*next);
}

void TableUnit::configure(const core::Values& structural) {
    if (!structural.empty()) throw base::Error("bad-table", name_, "a table has no structural parameters");
}

void TableUnit::bind(const core::Ports& ports) {
    if (!ports.inputs.empty()) throw base::Error("bad-table", name_, "a table has no inputs");
    outputs_ = core::layout(info_, ports.outputs);
}

void TableUnit::set_start(const core::Values& values) {
    if (!values.empty()) throw base::Error("bad-table", name_, "a table has no parameters or start values");
}

void TableUnit::write_one(std::size_t /*input*/, const core::ConstBlock& /*inputs*/) {}

void TableUnit::read_one(std::size_t output, const core::Block& outputs) { read_slot(outputs_.slots[output], outputs); }

void TableUnit::write(core::Group /*group*/, const core::ConstBlock& /*inputs*/) {}

core::StepResult TableUnit::step(base::Time t, base::Duration h) {
    const std::optional<double> jump = next_jump(timebase_.seconds(t));
    move_to(t + h);
    core::StepResult result{.reached = now_};
    result.event = jump && *jump <= timebase_.seconds(now_);
    return result;
}

void TableUnit::read(core::Group /*group*/, const core::Block& outputs) {
    for (const core::Layout::Slot& slot : outputs_.slots) read_slot(slot, outputs);
}

std::unique_ptr<core::Snapshot> TableUnit::save() { return std::make_unique<TableSnapshot>(now_); }

void TableUnit::restore(const core::Snapshot& snapshot) { move_to(dynamic_cast<const TableSnapshot&>(snapshot).time); }

void TableUnit::convert(results::TableColumn& column, core::Type type) const {
    if (type == type_of(column.values)) return;
    const auto refuse = [&](std::size_t row, const std::string& found) {
        throw base::Error("bad-table", table_.where(row),
                          "found '" + found + "' in column '" + column.name + "', expected " + spelled(type));
    };
    const auto converted = [&]<class Target>(std::vector<Target> result) {
        std::visit(
            [&]<class From>(const std::vector<From>& values) {
                for (std::size_t row = 0; row < values.size(); ++row) {
                    if constexpr (std::is_same_v<From, std::string>) {
                        refuse(row, values[row]);
                    } else if constexpr (!std::is_same_v<From, core::ByteString>) {
                        if (!fits<Target>(values[row])) refuse(row, text_of(values[row]));
                        result.push_back(static_cast<Target>(values[row]));
                    }
                }
            },
            column.values);
        return core::Value(std::move(result));
    };
    const auto as_text = [](const auto& values) {
        std::vector<std::string> result;
        for (const auto& value : values) {
            if constexpr (std::is_arithmetic_v<std::decay_t<decltype(value)>>) result.push_back(text_of(value));
        }
        return result;
    };
    if (type == core::Type::real) column.values = converted(std::vector<double>());
    if (type == core::Type::integer) column.values = converted(std::vector<std::int64_t>());
    if (type == core::Type::natural) column.values = converted(std::vector<std::uint64_t>());
    if (type == core::Type::boolean) column.values = converted(std::vector<std::uint8_t>());
    if (type == core::Type::string) column.values = std::visit(as_text, column.values);
    if (type == core::Type::bytes || type == core::Type::clock)
        throw base::Error("bad-table", table_.source,
                          "column '" + column.name + "' cannot feed " + spelled(type) + ", expected a number or text");
}

void TableUnit::check_singles(const results::TableColumn& column) const {
    const auto& values = std::get<std::vector<double>>(column.values);
    for (std::size_t row = 0; row < values.size(); ++row)
        if (!holds({NativeType::Family::real, 32}, values[row]))
            throw base::Error("bad-table", table_.where(row),
                              "found '" + text_of(values[row]) + "' in column '" + column.name +
                                  "', expected a number within the range of Float32");
}

/// Tools add times up: 0.30000000000000004 is meant to be 0.3, where a unit has its point and must see the jump.
void TableUnit::put_jumps_on_ticks() {
    constexpr double rounding = 1e-3;  // of a tick
    for (std::uint32_t column = 0; column < table_.columns.size(); ++column) {
        for (const double jump : jumps(column)) {
            const double tick = timebase_.seconds(timebase_.nearest(jump));
            if (std::fabs(tick - jump) * static_cast<double>(timebase_.ticks_per_second) > rounding) continue;
            const auto [first, last] = std::equal_range(table_.time.begin(), table_.time.end(), jump);
            const bool in_order = (first == table_.time.begin() || *std::prev(first) <= tick) &&
                                  (last == table_.time.end() || tick <= *last);
            if (in_order) std::fill(first, last, tick);
        }
    }
}

void TableUnit::collect_jumps() {
    for (std::uint32_t column = 0; column < table_.columns.size(); ++column)
        std::ranges::copy(jumps(column), std::back_inserter(jumps_));
    std::ranges::sort(jumps_);
    jumps_.erase(std::unique(jumps_.begin(), jumps_.end()), jumps_.end());
}

void TableUnit::move_to(base::Time t) {
    now_ = t;
    position_ = results::locate(table_.time, timebase_.seconds(t), core::Side::after);
}

void TableUnit::read_slot(const core::Layout::Slot& slot, const core::Block& outputs) const {
    const core::Value& values = table_.columns[slot.variable].values;
    core::with_lane(slot.type, outputs, [&]<class Element>(Element* lane) {
        if constexpr (std::is_same_v<Element, double>) {
            lane[slot.offset] = results::interpolate(std::get<std::vector<double>>(values), position_);
        } else if constexpr (!std::is_same_v<Element, core::Bytes>) {
            lane[slot.offset] = std::get<std::vector<Element>>(values)[position_.held];
        }
    });
}

}  // namespace master::build
