#include "master/contracts/rules.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace master::contracts {
namespace {

namespace dbc = interfaces::dbc;

// A value that is read in fewer steps than this over its range has visibly lost something.
constexpr double fewest_steps = 1000;

std::string order_text(dbc::ByteOrder order) {
    return order == dbc::ByteOrder::little ? "little endian" : "big endian";
}

std::string kind_text(dbc::ValueKind kind) {
    switch (kind) {
        case dbc::ValueKind::unsigned_integer:
            return "unsigned";
        case dbc::ValueKind::signed_integer:
            return "signed";
        case dbc::ValueKind::float32:
            return "a 32-bit float";
        case dbc::ValueKind::float64:
            break;
    }
    return "a 64-bit float";
}

std::string selected_text(const BusSignal& place) {
    if (place.selector.empty()) return "always there";
    std::string values;
    for (const dbc::Range& range : place.signal.selected_by)
        values +=
            (values.empty() ? "" : ", ") +
            (range.first == range.last ? std::to_string(range.first) : fmt::format("{}-{}", range.first, range.last));
    return fmt::format("selected by {} = {}", place.selector, values);
}

bool is_whole(double value) { return std::abs(value - std::round(value)) <= rounding * std::max(1.0, std::abs(value)); }

/// What a signal of a bus can be, in values of its entry.
struct BusValues {
    double lowest, highest;  // that its bits hold
    double low, high;        // that it is said to have, or else the same
    double step, origin;     // between two neighbours, and the value of the raw code 0; a float has no step
    bool whole_codes;
    int float_bits;  // of a whole number that a float keeps

    explicit BusValues(const Entry& entry)
        : lowest(entry.bus->lowest),
          highest(entry.bus->highest),
          low(std::max(lowest, entry.contract.minimum.value_or(lowest))),
          high(std::min(highest, entry.contract.maximum.value_or(highest))),
          step(std::abs(entry.bus->signal.factor * entry.bus->gain)),
          origin(entry.bus->gain * entry.bus->signal.offset + entry.bus->offset),
          whole_codes(entry.bus->signal.kind == dbc::ValueKind::unsigned_integer ||
                      entry.bus->signal.kind == dbc::ValueKind::signed_integer),
          float_bits(entry.bus->signal.kind == dbc::ValueKind::float32 ? 24 : 53) {}

    [[nodiscard]] bool whole() const { return whole_codes && is_multiple(step, 1) && is_whole(origin); }
    /// Every multiple of `quantum` up to `largest` is one of its values, as far as its bits go.
    [[nodiscard]] bool keeps_multiples_of(double quantum, double largest) const {
        if (!whole_codes) return largest <= std::exp2(float_bits);
        return is_multiple(quantum, step) && is_whole(origin / step);
    }
    /// The largest distance of two neighbours where no value is larger than `largest`.
    [[nodiscard]] double quantum(double largest) const {
        return whole_codes ? step : largest * std::exp2(1 - float_bits);
    }
    [[nodiscard]] bool holds(double value) const {
        const double slack = rounding * std::max(std::abs(lowest), std::abs(highest));
        return value >= lowest - slack && value <= highest + slack &&
               (!whole_codes || is_whole((value - origin) / step));
    }
    [[nodiscard]] std::string words() const {
        return fmt::format("{:g} to {:g}", low, high) + (whole_codes ? fmt::format(" in steps of {:g}", step) : "");
    }

private:
    static bool is_multiple(double value, double of) { return std::round(value / of) >= 1 && is_whole(value / of); }
};

bool takes_from_bus(const Entry& other) { return role_of(other.kind) != Role::gives; }

bool gives_to_bus(const Entry& other) {
    const Role role = role_of(other.kind);
    return role == Role::gives || role == Role::open;
}

std::string id_text(const MessageFacts& message) {
    return fmt::format("{:#x}{}{}", message.id, message.extended ? " (29 bits)" : "", message.fd ? " (FD)" : "");
}

}  // namespace

void EntryRules::check_layout() {
    const dbc::Signal &found = actual_.bus->signal, &wanted = expected_.bus->signal;
    if (found.start != wanted.start)
        differ("position", true, "its first bit", std::to_string(found.start), std::to_string(wanted.start));
    if (found.length != wanted.length)
        differ("width", true, "its width in bits", std::to_string(found.length), std::to_string(wanted.length));
    if (found.order != wanted.order)
        differ("byte-order", true, "its byte order", order_text(found.order), order_text(wanted.order));
    if (found.kind != wanted.kind) differ("sign", true, "its value", kind_text(found.kind), kind_text(wanted.kind));
    const bool comparable = check_unit();
    const bool follows_unit = comparable && !scale_.identity() && same_codes();
    if (found.factor != wanted.factor && !follows_unit)
        differ("scaling", true, "its factor", fmt::format("{:g}", found.factor), fmt::format("{:g}", wanted.factor));
    if (found.offset != wanted.offset && !follows_unit)
        differ("offset", true, "its offset", fmt::format("{:g}", found.offset), fmt::format("{:g}", wanted.offset));
    if (actual_.bus->gain != expected_.bus->gain)
        differ("scaling", true, "the gain of its mapping", fmt::format("{:g}", actual_.bus->gain),
               fmt::format("{:g}", expected_.bus->gain));
    if (actual_.bus->offset != expected_.bus->offset)
        differ("offset", true, "the offset of its mapping", fmt::format("{:g}", actual_.bus->offset),
               fmt::format("{:g}", expected_.bus->offset));
    if (selected_text(*actual_.bus) != selected_text(*expected_.bus) || found.multiplexor != wanted.multiplexor)
        differ("multiplexing", true, "it", (found.multiplexor ? "a multiplexor, " : "") + selected_text(*actual_.bus),
               (wanted.multiplexor ? "a multiplexor, " : "") + selected_text(*expected_.bus));
    if (found.initial != wanted.initial)
        differ("start", false, "its raw start value", fmt::format("{:g}", found.initial),
               fmt::format("{:g}", wanted.initial));
    if (comparable) check_range();
}

bool EntryRules::same_codes() const {
    if (!actual_.bus || !expected_.bus) return false;
    const dbc::Signal &found = actual_.bus->signal, &wanted = expected_.bus->signal;
    const double slack = rounding * std::max(std::abs(wanted.offset), std::abs(wanted.factor));
    return same(scale_.gain * found.factor, wanted.factor) && std::abs(scale_(found.offset) - wanted.offset) <= slack;
}

/// What the side that receives can lose is breaking; who gives may give less than there is room for.
void EntryRules::check_bus_type() {
    const Entry& bus = actual_.bus ? actual_ : expected_;
    const Entry& other = actual_.bus ? expected_ : actual_;
    if (other.type.empty()) return;
    const NumberType* number = number_type(other.type);
    if (other.type == "Boolean")
        check_boolean(bus, other);
    else if (number == nullptr)
        differ("type", true, "its type", actual_.type, expected_.type);
    else if (number->fractions)
        check_float(bus, other);
    else if (other.type == "Enumeration")
        check_items(bus, other);
    else
        check_whole_numbers(bus, other);
}

void EntryRules::check_boolean(const Entry& bus, const Entry& other) {
    const BusValues values(bus);
    const bool nothing_else = values.whole() && values.low >= 0 && values.high <= 1;
    if (takes_from_bus(other) && !nothing_else)
        add("type", true, fmt::format("a Boolean takes 0 and 1 alone, and the bus gives {}", values.words()));
    else if (gives_to_bus(other) && !(values.holds(0) && values.holds(1)))
        add("type", true, fmt::format("a Boolean gives 0 and 1, and the bus holds {}", values.words()));
    else if (!nothing_else)
        add("type", false, fmt::format("a Boolean gives 0 and 1 alone, and the bus holds {}", values.words()));
}

void EntryRules::check_whole_numbers(const Entry& bus, const Entry& other) {
    const BusValues values(bus);
    const NumberType& type = *number_type(other.type);
    if (takes_from_bus(other)) {
        const bool fits = values.low >= type.lowest() && values.high <= type.highest();
        if (!values.whole())
            add("type", true,
                fmt::format("fractions are lost: the bus gives {}, and {} takes whole numbers", values.words(),
                            other.type));
        else if (!fits)
            add("type", true,
                fmt::format("the bus gives {}, and {} takes {:g} to {:g}", values.words(), other.type, type.lowest(),
                            type.highest()));
        if (!values.whole() || !fits) return;
    }
    if (!gives_to_bus(other)) return;
    const double largest = std::max(std::abs(other.contract.minimum.value_or(type.lowest())),
                                    std::abs(other.contract.maximum.value_or(type.highest())));
    if (!values.keeps_multiples_of(other.contract.resolution.value_or(1), largest))
        add("type", true, fmt::format("whole numbers of {} are rounded: the bus holds {}", other.type, values.words()));
    else if (!values.whole())
        add("type", false,
            fmt::format("{} gives whole numbers alone, and the bus holds {}", other.type, values.words()));
}

void EntryRules::check_items(const Entry& bus, const Entry& other) {
    const BusValues values(bus);
    if (takes_from_bus(other) && !values.whole()) {
        add("type", true,
            fmt::format("fractions are lost: the bus gives {}, and an Enumeration takes whole numbers",
                        values.words()));
        return;
    }
    if (!other.enumeration || other.enumeration->items.empty()) return;
    double first = std::numeric_limits<double>::infinity(), last = -first;
    for (const auto& [name, number] : other.enumeration->items) {
        const auto value = static_cast<double>(number);
        first = std::min(first, value);
        last = std::max(last, value);
        if (gives_to_bus(other) && !values.holds(value))
            add("enumeration", true,
                fmt::format("item '{}' = {} is none of the values on the bus, {:g} to {:g} in steps of {:g}", name,
                            number, values.lowest, values.highest, values.step));
    }
    // Where the bus names its values, names are compared.
    if (takes_from_bus(other) && !bus.enumeration && (values.low < first || values.high > last))
        add("enumeration", true,
            fmt::format("the bus gives {} and names none of them; the items are {:g} to {:g}", values.words(), first,
                        last));
}

void EntryRules::check_float(const Entry& bus, const Entry& other) {
    if (!takes_from_bus(other)) return;
    const BusValues values(bus);
    const int bits = number_type(other.type)->integer_bits;
    const double codes =
        std::max(std::abs(values.low - values.origin), std::abs(values.high - values.origin)) / values.step;
    const bool fits = values.whole_codes ? codes <= std::exp2(bits) : values.float_bits <= bits;
    if (!fits)
        add("type", true,
            fmt::format("the bus gives {}, of which {} with its {} bits does not tell all apart", values.words(),
                        other.type, bits));
}

void EntryRules::check_bits() {
    const Entry& bus = actual_.bus ? actual_ : expected_;
    const Entry& other = actual_.bus ? expected_ : actual_;
    if (!other.type.empty() && other.type != "Boolean" && number_type(other.type) == nullptr) return;
    // Values of the other side as the bus has them.
    const auto on_bus = [&](double value) {
        return actual_.bus ? (value - scale_.offset) / scale_.gain : scale_(value);
    };
    const ssp::Contract& contract = other.contract;
    const bool receives = takes() && !actual_.bus;  // a unit that is given what comes from the bus
    if (receives) {
        if (contract.minimum || contract.maximum) check_range();
    } else if (contract.minimum || contract.maximum) {
        constexpr double infinite = std::numeric_limits<double>::infinity();
        double low = contract.minimum ? on_bus(*contract.minimum) : -infinite;
        double high = contract.maximum ? on_bus(*contract.maximum) : infinite;
        if (low > high) std::swap(low, high);
        const double slack = rounding * std::max(std::abs(bus.bus->lowest), std::abs(bus.bus->highest));
        const std::string bits = fmt::format("{:g} to {:g}, which is all that its {} bits hold", bus.bus->lowest,
                                             bus.bus->highest, bus.bus->signal.length);
        if (low < 0 && bus.bus->lowest >= 0)
            add("sign", true, fmt::format("values down to {:g} go into an unsigned signal of {}", low, bits));
        else if (low < bus.bus->lowest - slack || high > bus.bus->highest + slack)
            add("saturation", true, fmt::format("values from {:g} to {:g} are cut to {}", low, high, bits));
        else if (bus.contract.minimum && (low < *bus.contract.minimum - slack || high > *bus.contract.maximum + slack))
            add("range", true,
                fmt::format("values from {:g} to {:g} go beyond the {:g} to {:g} of the bus", low, high,
                            *bus.contract.minimum, *bus.contract.maximum));
    } else if (!actual_.bus && other.type != "Boolean" && other.type != "Enumeration") {
        one_sided("range", "its range", false, true);
    }
    // A unit that is given what comes from the bus, where that is looked at from the other side.
    if (actual_.bus && role_of(other.kind) == Role::takes && (contract.minimum || contract.maximum)) check_range();
    const BusValues values(bus);
    const bool real = other.type.empty() || other.type.starts_with("Float");
    const bool bounded = contract.minimum && contract.maximum;
    if (!real || (!values.whole_codes && !bounded)) return;
    const double largest =
        bounded ? std::max(std::abs(on_bus(*contract.minimum)), std::abs(on_bus(*contract.maximum))) : 0;
    const double unit = actual_.bus ? std::abs(scale_.gain) : 1 / std::abs(scale_.gain);  // bus to the other's
    const double lost = values.quantum(largest) * unit;
    if (contract.resolution && lost > *contract.resolution * (1 + rounding))
        add("resolution", true,
            fmt::format("one bit is {:g}, coarser than the resolution of {:g}", lost, *contract.resolution));
    else if (!contract.resolution && bounded && lost * fewest_steps > *contract.maximum - *contract.minimum)
        add("resolution", false,
            fmt::format("one bit is {:g}: the range of {:g} to {:g} is left with {:.0f} steps", lost, *contract.minimum,
                        *contract.maximum, (*contract.maximum - *contract.minimum) / lost));
}

void check_message(const Element& actual, const Element& expected, Comparison& comparison) {
    if (!actual.message || !expected.message) return;
    const MessageFacts &found = *actual.message, &wanted = *expected.message;
    const auto differ = [&](const char* code, bool breaking, const char* what, const std::string& is,
                            const std::string& should) {
        comparison.findings.push_back({.code = code,
                                       .subject = expected.name,
                                       .breaking = breaking,
                                       .text = std::string(what) + " " + difference(comparison, is, should),
                                       .where = actual.where,
                                       .expected_where = expected.where});
    };
    if (id_text(found) != id_text(wanted))
        differ("identifier", true, "its identifier", id_text(found), id_text(wanted));
    if (found.size != wanted.size)
        differ("size", true, "its size in bytes", std::to_string(found.size), std::to_string(wanted.size));
    if (found.cycle_time != wanted.cycle_time) {
        const auto text = [](double s) { return s > 0 ? fmt::format("{:g} ms", s * 1e3) : std::string("not cyclic"); };
        const bool slower = wanted.cycle_time > 0 && (found.cycle_time == 0 || found.cycle_time > wanted.cycle_time);
        differ("cycle-time", slower, "its cycle time", text(found.cycle_time), text(wanted.cycle_time));
    }
    if (found.sender != wanted.sender)
        differ("sender", true, "its sender", "'" + found.sender + "'", "'" + wanted.sender + "'");
}

}  // namespace master::contracts
