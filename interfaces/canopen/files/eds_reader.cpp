#include "interfaces/canopen/files/eds_reader.hpp"

#include "interfaces/canopen/files/sections.hpp"
#include "interfaces/canopen/slave/pdo.hpp"
#include "interfaces/text/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace interfaces::canopen {
namespace {

constexpr std::size_t most_entries = 10000, most_notes = 200;

/// Hexadecimal digits and nothing else.
std::optional<std::uint32_t> index_in(std::string_view text) {
    std::uint32_t number = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number, 16);
    if (text.empty() || problem != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return number;
}

std::optional<Access> access_of(const std::string& name) {
    static constexpr std::array<const char*, 6> names{"ro", "wo", "rw", "rwr", "rww", "const"};
    const auto found = std::ranges::find(names, name);
    if (found == names.end()) return std::nullopt;
    return static_cast<Access>(found - names.begin());
}

/// The bits of a number in a type; none if it does not fit. Negative numbers are also written as their two's
/// complement.
std::optional<std::uint64_t> raw_in(Type type, const EdsNumber& number) {
    const int width = bits(type);
    const std::uint64_t all = width >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
    if (!number.negative) return number.magnitude <= all ? std::optional(number.magnitude) : std::nullopt;
    if (!is_signed(type) || number.magnitude > std::uint64_t{1} << (width - 1)) return std::nullopt;
    return (~number.magnitude + 1) & all;
}

std::optional<std::uint64_t> real_in(Type type, const std::string& text) {
    if (text.starts_with("0x") || text.starts_with("0X")) {
        const auto number = parse_number(text);
        return number ? raw_in(type, *number) : std::nullopt;
    }
    double value = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (problem != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
    return raw_of(type, value);
}

class DataSheetReader {
public:
    DataSheetReader(std::string_view text, const std::string& shown)
        : shown_(shown), sections_(parse_sections(text, shown)) {}

    DataSheet read() {
        for (const auto& [name, section] : sections_)
            if (const auto index = index_in(name); index && name.size() == 4)
                read_object(static_cast<std::uint16_t>(*index), name, section);
        check_lists();
        check_pdos();
        if (entries_.empty()) throw FileError(shown_, 1, "no object: expected sections such as [1000]");
        read_device();
        sheet_.dictionary = Dictionary(std::move(objects_), std::move(entries_));
        return std::move(sheet_);
    }

private:
    void note(std::size_t line, const std::string& text) {
        if (sheet_.notes.size() < most_notes) sheet_.notes.push_back(shown_ + ":" + std::to_string(line) + ": " + text);
    }

    static std::string text_of(const Section& section, const char* key) {
        const Section::Value* value = section.find(key);
        return value != nullptr ? value->text : std::string();
    }

    /// A number that the format itself needs.
    std::optional<std::uint64_t> plain(const Section& section, const char* key) {
        const Section::Value* value = section.find(key);
        if (value == nullptr || value->text.empty()) return std::nullopt;
        const auto number = parse_number(value->text);
        if (!number || number->negative || number->adds_node_id)
            throw FileError(shown_, value->line, std::string(key) + " is '" + value->text + "', expected a number");
        return number->magnitude;
    }

    void read_object(std::uint16_t index, const std::string& prefix, const Section& section) {
        const std::uint64_t kind = plain(section, "objecttype").value_or(0x7);
        const std::string name = text_of(section, "parametername");
        if (kind == 0x7 || kind == 0x2) {
            objects_.push_back({index, name, static_cast<ObjectKind>(kind)});
            return read_entry({index, 0}, name, section, kind == 0x2 ? std::optional(Type::domain) : std::nullopt);
        }
        if (kind != 0x8 && kind != 0x9)
            return note(section.line, "object of type " + std::to_string(kind) + " left out");
        objects_.push_back({index, name, static_cast<ObjectKind>(kind)});
        if (const auto count = plain(section, "compactsubobj"); count && *count > 0)
            return read_compact(index, prefix, section, *count);
        const std::size_t before = entries_.size();
        const std::string start = prefix + "sub";
        for (auto at = sections_.lower_bound(start); at != sections_.end() && at->first.starts_with(start); ++at) {
            const auto sub = index_in(std::string_view(at->first).substr(start.size()));
            if (!sub || *sub > 0xFF)
                throw FileError(shown_, at->second.line, "section [" + at->first + "]: expected a sub-index 0 to FF");
            read_entry({index, static_cast<std::uint8_t>(*sub)}, text_of(at->second, "parametername"), at->second, {});
        }
        const std::size_t found = entries_.size() - before;
        if (const auto count = plain(section, "subnumber"); count && *count != found)
            note(section.line,
                 "SubNumber is " + std::to_string(*count) + ", found " + std::to_string(found) + " entries");
    }

    /// Entries of one kind are not written one by one; names and values of some may be.
    void read_compact(std::uint16_t index, const std::string& prefix, const Section& section, std::uint64_t count) {
        if (count > 0xFE)
            throw FileError(shown_, section.line, "CompactSubObj is " + std::to_string(count) + ", at most 254");
        const std::string name = text_of(section, "parametername");
        add({.key = {index, 0}, .name = "NrOfObjects", .type = Type::unsigned8, .initial = count}, section.line);
        const auto names = sections_.find(prefix + "name"), values = sections_.find(prefix + "value");
        for (std::uint64_t sub = 1; sub <= count; ++sub) {
            const std::string key = std::to_string(sub);
            std::string own = name + key;
            if (names != sections_.end() && names->second.find(key) != nullptr) own = names->second.find(key)->text;
            const Section::Value* initial = values != sections_.end() ? values->second.find(key) : nullptr;
            read_entry({index, static_cast<std::uint8_t>(sub)}, own, section, {}, initial);
        }
    }

    void read_entry(Key key, const std::string& name, const Section& section, std::optional<Type> type,
                    const Section::Value* initial = nullptr) {
        if (const auto code = plain(section, "datatype")) {
            type = type_of(*code);
            if (!type)
                note(section.line,
                     shown(key) + ": data type " + std::to_string(*code) + " is unknown; taken as a domain");
            if (!type) type = Type::domain;
        }
        if (!type) return note(section.line, shown(key) + " has no DataType; left out");
        Entry entry{.key = key, .name = name, .type = *type};
        const auto access = access_of(text::lower(text_of(section, "accesstype")));
        if (!access)
            note(section.line, shown(key) + ": AccessType '" + text_of(section, "accesstype") + "' taken as ro");
        entry.access = access.value_or(Access::ro);
        entry.mappable = plain(section, "pdomapping").value_or(0) != 0;
        if (initial == nullptr) initial = section.find("parametervalue");
        if (initial == nullptr || initial->text.empty()) initial = section.find("defaultvalue");
        if (initial != nullptr) read_initial(entry, *initial);
        if (is_number(entry.type)) {
            entry.low = limit(entry, section, "lowlimit");
            entry.high = limit(entry, section, "highlimit");
        }
        if (entry.low && entry.high && below(entry.type, *entry.high, *entry.low)) {
            note(section.line, shown(key) + ": HighLimit is below LowLimit; both left out");
            entry.low = entry.high = std::nullopt;
        }
        add(std::move(entry), section.line);
    }

    void read_initial(Entry& entry, const Section::Value& value) {
        if (!is_number(entry.type)) {
            entry.initial_text = value.text;
            return;
        }
        if (value.text.empty()) return;
        const auto number = is_real(entry.type) ? std::nullopt : parse_number(value.text);
        const auto raw = is_real(entry.type) ? real_in(entry.type, value.text)
                         : number            ? raw_in(entry.type, *number)
                                             : std::nullopt;
        if (!raw)
            throw FileError(shown_, value.line,
                            shown(entry.key) + " is '" + value.text + "', expected a number of " +
                                std::to_string(bits(entry.type)) + " bits");
        entry.initial = *raw;
        entry.adds_node_id = number && number->adds_node_id;
    }

    /// Vendors write ends that a type cannot have; such a limit limits nothing.
    std::optional<std::uint64_t> limit(const Entry& entry, const Section& section, const char* key) {
        const Section::Value* value = section.find(key);
        if (value == nullptr || value->text.empty()) return std::nullopt;
        const auto number = parse_number(value->text);
        const auto raw = is_real(entry.type)               ? real_in(entry.type, value->text)
                         : number && !number->adds_node_id ? raw_in(entry.type, *number)
                                                           : std::nullopt;
        if (!raw) note(value->line, shown(entry.key) + ": " + key + " '" + value->text + "' left out");
        return raw;
    }

    void add(Entry entry, std::size_t line) {
        if (entries_.size() == most_entries)
            throw FileError(shown_, line, "more than " + std::to_string(most_entries) + " entries");
        entries_.push_back(std::move(entry));
    }

    /// Objects that a list promises and that are not there.
    void check_lists() {
        for (const char* name : {"mandatoryobjects", "optionalobjects", "manufacturerobjects"}) {
            const auto found = sections_.find(name);
            if (found == sections_.end()) continue;
            for (const auto& [key, value] : found->second.values) {
                if (key == "supportedobjects") continue;
                const auto number = parse_number(value.text);
                if (!number || number->magnitude > 0xFFFF)
                    throw FileError(shown_, value.line, "'" + value.text + "', expected the index of an object");
                std::array<char, 8> section{};
                std::snprintf(section.data(), section.size(), "%04x", static_cast<unsigned>(number->magnitude));
                if (!sections_.contains(section.data()))
                    note(value.line, "lists " + value.text + ", but there is no section [" + section.data() + "]");
            }
        }
    }

    /// Of an entry; 1 where it has no section of its own.
    std::size_t line_of(Key key) const {
        std::array<char, 16> name{};
        std::snprintf(name.data(), name.size(), "%04xsub%x", unsigned{key.index}, unsigned{key.sub});
        const auto section = sections_.find(name.data());
        return section != sections_.end() ? section->second.line : 1;
    }

    /// PDOs with identifiers of other services, and with objects that are not there or have another length.
    void check_pdos() {
        std::map<Key, const Entry*> known;
        for (const Entry& entry : entries_) known.emplace(entry.key, &entry);
        for (const auto& [key, entry] : known) {
            check_identifier(*entry);
            const bool receives = key.index >= 0x1600 && key.index < 0x1800,
                       sends = key.index >= 0x1A00 && key.index < 0x1C00;
            if ((!receives && !sends) || key.sub == 0 || !is_number(entry->type)) continue;
            const auto count = known.find({key.index, 0});
            if (count == known.end() || key.sub > count->second->initial) continue;
            const Key object{static_cast<std::uint16_t>(entry->initial >> 16),
                             static_cast<std::uint8_t>(entry->initial >> 8)};
            // The indices of types stand for bits that nobody uses (CiA 301, dummy mapping).
            if (object.index < 0x20) continue;
            const auto target = known.find(object);
            const unsigned length = entry->initial & 0xFF;
            if (target == known.end())
                note(line_of(key), shown(key) + " maps " + shown(object) + ", which is not there: " +
                                       (sends ? "its bits are sent as 0" : "its bits go nowhere"));
            else if (is_number(target->second->type) && bits(target->second->type) != length)
                note(line_of(key), shown(key) + " maps " + std::to_string(length) + " bits of " + shown(object) +
                                       ", which has " + std::to_string(bits(target->second->type)));
        }
    }

    void check_identifier(const Entry& entry) {
        const Key key = entry.key;
        const bool receives = key.index >= first_rpdo && key.index < first_rpdo + most_pdos,
                   sends = key.index >= first_tpdo && key.index < first_tpdo + most_pdos;
        constexpr std::uint64_t off = 0x80000000, lowest_node = 1;
        if ((!receives && !sends) || key.sub != 1 || (entry.initial & off) != 0) return;
        const std::uint64_t id = (entry.initial & 0x1FFFFFFF) + (entry.adds_node_id ? lowest_node : 0);
        if (is_free_cob_id(static_cast<std::uint32_t>(id))) return;
        std::array<char, 16> number{};
        std::snprintf(number.data(), number.size(), "0x%X", static_cast<unsigned>(entry.initial & 0x1FFFFFFF));
        note(line_of(key), shown(key) + ": the identifier " + (entry.adds_node_id ? "$NODEID+" : "") + number.data() +
                               " belongs to another service or has more than 11 bits: the PDO is never " +
                               (sends ? "sent" : "taken"));
    }

    void read_device() {
        if (const auto device = sections_.find("deviceinfo"); device != sections_.end()) {
            sheet_.vendor_name = text_of(device->second, "vendorname");
            sheet_.product_name = text_of(device->second, "productname");
        }
        for (const char* name : {"devicecomissioning", "devicecommissioning"}) {
            const auto place = sections_.find(name);
            if (place == sections_.end()) continue;
            if (const auto id = plain(place->second, "nodeid")) {
                if (*id < 1 || *id > 127)
                    throw FileError(shown_, place->second.find("nodeid")->line,
                                    "NodeID is " + std::to_string(*id) + ", expected 1 to 127");
                sheet_.node_id = static_cast<std::uint8_t>(*id);
            }
            if (const auto rate = plain(place->second, "baudrate"); rate && *rate > 0 && *rate <= 1000)
                sheet_.bit_rate = static_cast<std::uint32_t>(*rate * 1000);
            if (const auto serial = plain(place->second, "lss_serialnumber"); serial && *serial != 0)
                sheet_.serial = static_cast<std::uint32_t>(*serial);
        }
    }

    const std::string& shown_;
    std::map<std::string, Section> sections_;
    std::vector<Object> objects_;
    std::vector<Entry> entries_;
    DataSheet sheet_;
};

}  // namespace

DataSheet parse_data_sheet(std::string_view text, const std::string& shown) {
    return DataSheetReader(text, shown).read();
}

}  // namespace interfaces::canopen
