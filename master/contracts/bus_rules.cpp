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
    if (found.factor != wanted.factor)
        differ("scaling", true, "its factor", fmt::format("{:g}", found.factor), fmt::format("{:g}", wanted.factor));
    if (found.offset != wanted.offset)
        differ("offset", true, "its offset", fmt::format("{:g}", found.offset), fmt::format("{:g}", wanted.offset));
    if (selected_text(*actual_.bus) != selected_text(*expected_.bus) || found.multiplexor != wanted.multiplexor)
        differ("multiplexing", true, "it", (found.multiplexor ? "a multiplexor, " : "") + selected_text(*actual_.bus),
               (wanted.multiplexor ? "a multiplexor, " : "") + selected_text(*expected_.bus));
    if (found.initial != wanted.initial)
        differ("start", false, "its raw start value", fmt::format("{:g}", found.initial),
               fmt::format("{:g}", wanted.initial));
    if (check_unit()) check_range();
}

void EntryRules::check_bits() {
    const Entry& bus = actual_.bus ? actual_ : expected_;
    const Entry& other = actual_.bus ? expected_ : actual_;
    if (other.type == "String" || other.type == "Binary" || other.type == "Clock") {
        differ("type", true, "its type", actual_.type, expected_.type);
        return;
    }
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
    }
    const bool whole = bus.bus->signal.kind == dbc::ValueKind::unsigned_integer ||
                       bus.bus->signal.kind == dbc::ValueKind::signed_integer;
    const bool real = other.type.empty() || other.type.starts_with("Float");
    if (!whole || !real) return;
    const double quantum = std::abs(bus.bus->signal.factor * bus.bus->gain);
    const double unit = actual_.bus ? std::abs(scale_.gain) : 1 / std::abs(scale_.gain);  // bus to the other's
    const double lost = quantum * unit;
    if (contract.resolution && lost > *contract.resolution * (1 + rounding))
        add("resolution", true,
            fmt::format("one bit is {:g}, coarser than the resolution of {:g}", lost, *contract.resolution));
    else if (!contract.resolution && contract.minimum && contract.maximum &&
             lost * fewest_steps > *contract.maximum - *contract.minimum)
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
