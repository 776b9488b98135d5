#include "interfaces/foxglove/rows.hpp"

#include "interfaces/protobuf/schema.hpp"

#include <array>
#include <map>
#include <set>
#include <string_view>

namespace interfaces::foxglove {
namespace {

constexpr std::uint32_t first_reserved = 19'000, after_reserved = 20'000;  // by Protocol Buffers, for itself

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Names as Protocol Buffers take them. Two that differ only in case and underscores are the same for some readers.
class Identifiers {
public:
    [[nodiscard]] std::string add(std::string_view text) {
        std::string name;
        for (const char c : text) name += is_letter(c) || is_digit(c) ? c : '_';
        if (name.empty() || is_digit(name.front())) name.insert(0, "n");
        std::string free = name;
        for (int number = 2; !known_.insert(key(free)).second; ++number) free = name + "_n" + std::to_string(number);
        return free;
    }

private:
    static std::string key(const std::string& name) {
        std::string key;
        for (const char c : name)
            if (c != '_') key += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
        return key;
    }
    std::set<std::string> known_;
};

struct SplitName {
    std::string_view component, variable, array;  // array: name without its index, or empty
};

SplitName split(std::string_view name) {
    const std::size_t dot = name.find('.');
    SplitName parts{.component = dot == std::string_view::npos ? std::string_view{} : name.substr(0, dot),
                    .variable = dot == std::string_view::npos ? name : name.substr(dot + 1),
                    .array = {}};
    if (parts.variable.ends_with(']'))
        if (const std::size_t bracket = parts.variable.rfind('['); bracket != std::string_view::npos)
            parts.array = parts.variable.substr(0, bracket);
    return parts;
}

protobuf::FieldType type_of(Kind kind) {
    using enum protobuf::FieldType;
    constexpr std::array types{real, sfixed64, fixed64, boolean, text};
    return types[static_cast<std::size_t>(kind)];
}

/// A row that grows.
struct OpenRow {
    Row row;
    Identifiers names;
    std::string_view last_array;
};

void add(OpenRow& open, const SplitName& name, Kind kind, std::size_t index) {
    std::vector<RowField>& fields = open.row.fields;
    const std::size_t place = open.row.signals.size();
    open.row.signals.push_back(index);
    const bool array = !name.array.empty();
    if (array && name.array == open.last_array && fields.back().kind == kind) {
        ++fields.back().count;
        return;
    }
    open.last_array = name.array;
    std::uint32_t number = fields.empty() ? Row::time_field + 1 : fields.back().number + 1;
    if (number == first_reserved) number = after_reserved;
    fields.push_back({open.names.add(array ? name.array : name.variable), number, kind, array, place, 1});
}

}  // namespace

std::vector<Row> rows_of(std::span<const Signal> signals) {
    std::vector<OpenRow> rows;
    std::map<std::string_view, std::size_t> places;
    Identifiers messages;
    std::set<std::string, std::less<>> topics;
    for (std::size_t i = 0; i < signals.size(); ++i) {
        const SplitName name = split(signals[i].name);
        const auto [place, added] = places.try_emplace(name.component, rows.size());
        if (added) {
            const std::string component(name.component.empty() ? std::string_view("signals") : name.component);
            OpenRow& open = rows.emplace_back();
            open.row.topic = "/" + component;
            while (!topics.insert(open.row.topic).second) open.row.topic += "_";
            open.row.message = "tandem." + messages.add(component);
            static_cast<void>(open.names.add("time"));
        }
        add(rows[place->second], name, signals[i].kind, i);
    }
    std::vector<Row> result;
    result.reserve(rows.size());
    for (OpenRow& open : rows) result.push_back(std::move(open.row));
    return result;
}

Schema schema_of(const Row& row) {
    const std::string name = row.message.substr(row.message.find('.') + 1);
    protobuf::MessageSchema message{.name = name, .fields = {{"time", Row::time_field}}};
    for (const RowField& field : row.fields)
        message.fields.push_back({field.name, field.number, type_of(field.kind), {}, field.array});
    return {row.message, protobuf::descriptor_set({{.name = "tandem/" + name + ".proto",
                                                    .package = "tandem",
                                                    .imports = {},
                                                    .messages = {std::move(message)}}})};
}

}  // namespace interfaces::foxglove
