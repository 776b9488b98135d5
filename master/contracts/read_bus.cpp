#include "interfaces/can_mapping/mapping.hpp"
#include "interfaces/dbc/read.hpp"
#include "interfaces/text/text.hpp"
#include "master/base/error.hpp"
#include "master/contracts/read_interface.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <map>

namespace master::contracts {
namespace {

namespace dbc = interfaces::dbc;
namespace can_mapping = interfaces::can_mapping;

bool says(const std::string& name, std::initializer_list<std::string_view> words) {
    std::string plain = interfaces::text::lower(name);
    std::ranges::replace(plain, '_', ' ');
    return std::ranges::any_of(words, [&](std::string_view word) { return plain.find(word) != std::string::npos; });
}

/// Names of raw values by which people say that there is no value.
void read_codes(const dbc::Signal& signal, bool j1939, ssp::Contract& contract) {
    for (const dbc::ValueName& value : signal.values) {
        if (says(value.name, {"not available", "notavailable", "sna"})) contract.not_available = value.value;
        if (says(value.name, {"invalid", "error"})) contract.invalid = value.value;
    }
    if (!j1939 || signal.length < 8 || signal.length > 32 || signal.kind != dbc::ValueKind::unsigned_integer) return;
    // SAE J1939-71: the topmost byte 0xFF is "not available", 0xFE an error.
    const std::int64_t all = (std::int64_t{1} << signal.length) - 1;
    if (!contract.not_available) contract.not_available = all;
    if (!contract.invalid) contract.invalid = all - (std::int64_t{1} << (signal.length - 8));
}

/// What the bits hold, as physical values.
std::pair<double, double> physical_range(const dbc::Signal& signal) {
    const bool whole = signal.kind == dbc::ValueKind::unsigned_integer || signal.kind == dbc::ValueKind::signed_integer;
    if (!whole) {
        const double most = signal.kind == dbc::ValueKind::float32 ? 3.4028234663852886e38 : 1.7976931348623157e308;
        return {-most, most};
    }
    const bool negative = signal.kind == dbc::ValueKind::signed_integer;
    const double lowest = negative ? -std::exp2(signal.length - 1) : 0;
    const double highest = (negative ? std::exp2(signal.length - 1) : std::exp2(signal.length)) - 1;
    const double a = lowest * signal.factor + signal.offset, b = highest * signal.factor + signal.offset;
    return {std::min(a, b), std::max(a, b)};
}

std::string type_of(const dbc::Signal& signal) {
    if (signal.kind == dbc::ValueKind::float32) return "Float32";
    if (signal.kind == dbc::ValueKind::float64) return "Float64";
    const bool whole = signal.factor == std::floor(signal.factor) && signal.offset == std::floor(signal.offset);
    if (!whole) return "Float64";
    if (signal.length == 1 && signal.factor == 1 && signal.offset == 0) return "Boolean";
    // A number without named values means nothing but itself.
    return signal.kind == dbc::ValueKind::signed_integer ? fmt::format("Int{}", signal.length <= 32 ? 32 : 64)
                                                         : fmt::format("UInt{}", signal.length <= 32 ? 32 : 64);
}

Entry entry_of(const dbc::Message& message, const dbc::Signal& signal, const std::string& file) {
    Entry entry{.name = message.name + "." + signal.name,
                .other_names = {signal.name},
                .kind = ssp::Kind::inout,
                .type = type_of(signal),
                .where = fmt::format("{}:{}", file, signal.line)};
    if (!signal.unit.empty()) entry.unit = core::PhysicalUnit{.name = signal.unit, .exponents = {}};
    const auto [lowest, highest] = physical_range(signal);
    entry.bus = BusSignal{.signal = signal,
                          .selector = signal.selector ? message.signals[*signal.selector].name : "",
                          .lowest = lowest,
                          .highest = highest};
    if (signal.minimum < signal.maximum) {
        entry.contract.minimum = signal.minimum;
        entry.contract.maximum = signal.maximum;
    }
    if (!signal.values.empty()) {
        entry.enumeration.emplace();
        for (const dbc::ValueName& value : signal.values)
            entry.enumeration->items.emplace_back(value.name, value.value);
    }
    read_codes(signal, message.j1939, entry.contract);
    if (message.cycle_time > 0)
        entry.contract.period = base::simplest_fraction(fmt::format("{:.9g}", message.cycle_time));
    entry.contract.where = entry.where;
    return entry;
}

/// The entry as the connector that a mapping gives it.
void rename(Entry& entry, const can_mapping::SignalMap& map) {
    entry.other_names = {entry.name, entry.other_names.front()};
    entry.name = map.connector;
    if (map.gain == 1 && map.offset == 0) return;
    const auto moved = [&](double value) { return map.gain * value + map.offset; };
    const auto turn = [&](double& low, double& high) {
        low = moved(low);
        high = moved(high);
        if (low > high) std::swap(low, high);
    };
    turn(entry.bus->lowest, entry.bus->highest);
    if (entry.contract.minimum) turn(*entry.contract.minimum, *entry.contract.maximum);
    entry.bus->gain = map.gain;
    entry.bus->offset = map.offset;
    entry.unit.reset();  // the mapping converts into a unit that it does not name
    entry.type = "Float64";
}

void add_element(Interface& interface, const dbc::Message& message, std::vector<Entry> entries) {
    interface.elements.push_back({.name = message.name,
                                  .entries = std::move(entries),
                                  .message = MessageFacts{.id = message.id,
                                                          .extended = message.extended,
                                                          .fd = message.fd,
                                                          .size = message.size,
                                                          .cycle_time = message.cycle_time,
                                                          .sender = message.sender},
                                  .where = fmt::format("{}:{}", interface.file, message.line)});
}

void warn_of(const dbc::Database& database, const std::string& file, base::Diagnostics& diagnostics) {
    for (const dbc::Remark& remark : database.remarks)
        diagnostics.warn("bad-dbc", fmt::format("{}:{}", file, remark.line), remark.text);
}

void read_mapped(const std::string& file, Interface& interface, base::Diagnostics& diagnostics) {
    const can_mapping::Mapping mapping = can_mapping::read_file(file);
    const std::string database = (std::filesystem::path(file).parent_path() / mapping.database_file).string();
    warn_of(mapping.database, database, diagnostics);
    interface.file = database;
    for (const can_mapping::MessageMap& map : mapping.messages) {
        const dbc::Message& message = mapping.database.messages[map.message];
        std::vector<Entry> entries;
        for (const can_mapping::SignalMap& signal : map.signals) {
            entries.push_back(entry_of(message, message.signals[signal.signal], database));
            rename(entries.back(), signal);
        }
        add_element(interface, message, std::move(entries));
    }
    interface.file = file;
}

void read_plain(const std::string& file, Interface& interface, base::Diagnostics& diagnostics) {
    const dbc::Database database = dbc::read_file(file);
    warn_of(database, file, diagnostics);
    for (const dbc::Message& message : database.messages) {
        std::vector<Entry> entries;
        entries.reserve(message.signals.size());
        for (const dbc::Signal& signal : message.signals) entries.push_back(entry_of(message, signal, file));
        add_element(interface, message, std::move(entries));
    }
}

/// The text of such an error begins with file:line.
base::Error located(const char* code, const std::string& text) {
    const std::size_t end = text.find(": ");
    if (end == std::string::npos) return {code, "", text};
    return {code, text.substr(0, end), text.substr(end + 2)};
}

}  // namespace

Interface read_bus(const std::filesystem::path& file, base::Diagnostics& diagnostics) {
    Interface interface {
        .form = Interface::Form::bus, .file = file.string(), .elements = {}
    };
    try {
        if (file.extension() == ".dbc")
            read_plain(file.string(), interface, diagnostics);
        else
            read_mapped(file.string(), interface, diagnostics);
    } catch (const dbc::Error& error) {
        throw located("bad-dbc", error.what());
    } catch (const can_mapping::Error& error) {
        throw located("bad-mapping", error.what());
    }
    return interface;
}

}  // namespace master::contracts
