#include "interfaces/can_mapping/mapping.hpp"

#include "interfaces/dbc/layout.hpp"
#include "interfaces/dbc/read.hpp"
#include "interfaces/machine_file/document.hpp"
#include "interfaces/text/suggestion.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

namespace interfaces::can_mapping {

namespace {

using interfaces::machine_file::Document;
using interfaces::text::suggestion;

constexpr std::size_t largest_file = std::size_t{16} << 20;
constexpr const char* name_space = "urn:tandem:can:1";

template <typename Items>
std::vector<std::string> names_of(const Items& items) {
    std::vector<std::string> names;
    names.reserve(items.size());
    for (const auto& item : items) names.push_back(item.name);
    return names;
}

void check_root(const Document& document) {
    const pugi::xml_node root = document.root();
    if (std::string_view(root.name()) != "CanMapping")
        document.fail(root, std::string("the root is <") + root.name() + ">, expected <CanMapping>");
    if (std::string_view(root.attribute("xmlns").value()) != name_space)
        document.fail(root, std::string("<CanMapping> has the namespace '") + root.attribute("xmlns").value() +
                                "', expected '" + name_space + "'");
    document.only(root, {"xmlns", "database"});
}

/// Decimal or 0x hexadecimal.
std::uint32_t whole_number(const Document& document, pugi::xml_node node, const char* attribute, std::string_view text,
                           std::uint32_t largest) {
    const bool hex = text.starts_with("0x") || text.starts_with("0X");
    const std::string_view digits = hex ? text.substr(2) : text;
    std::uint32_t value = 0;
    const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), value, hex ? 16 : 10);
    if (problem != std::errc() || end != digits.data() + digits.size() || value > largest)
        document.fail(node, std::string("'") + attribute + "' of <" + node.name() + "> is '" + std::string(text) +
                                "', expected a number from 0 to " + std::to_string(largest));
    return value;
}

std::uint32_t find_signal(const Document& document, pugi::xml_node node, const char* attribute,
                          const dbc::Message& message) {
    const std::string name = document.text(node, attribute);
    for (std::uint32_t i = 0; i < message.signals.size(); ++i)
        if (message.signals[i].name == name) return i;
    document.fail(node, "message '" + message.name + "' has no signal '" + name + "'" +
                            suggestion(name, names_of(message.signals)));
}

/// The byte that a counter or checksum lies in; counters of more than eight bits or across bytes are nobody's.
dbc::Layout byte_of(const Document& document, pugi::xml_node node, const dbc::Signal& signal, const std::string& what) {
    const dbc::Layout place = dbc::layout(signal);
    if (place.count != 1 || signal.selector)
        document.fail(node, what + " '" + signal.name + "' must lie in one byte and in every frame; it has start bit " +
                                std::to_string(signal.start) + " and " + std::to_string(signal.length) + " bits");
    return place;
}

template <typename Find>
auto chosen(const Document& document, pugi::xml_node node, const char* attribute, const Find& find,
            const std::vector<std::string>& known) {
    const std::string name = document.text(node, attribute);
    const auto found = find(name);
    if (!found)
        document.fail(node, std::string("'") + attribute + "' of <" + node.name() + "> is '" + name + "'" +
                                suggestion(name, known));
    return *found;
}

void read_data_ids(const Document& document, pugi::xml_node node, e2e::Protection& protection) {
    if (node.attribute("dataId"))
        protection.data_id =
            static_cast<std::uint16_t>(whole_number(document, node, "dataId", document.text(node, "dataId"), 0xFFFF));
    if (node.attribute("dataIds")) {
        std::istringstream words(document.text(node, "dataIds"));
        std::vector<std::string> ids{std::istream_iterator<std::string>(words), std::istream_iterator<std::string>()};
        if (ids.size() != protection.data_ids.size())
            document.fail(node,
                          "'dataIds' of <Protection> has " + std::to_string(ids.size()) + " numbers, expected 16");
        for (std::size_t i = 0; i < ids.size(); ++i)
            protection.data_ids[i] = static_cast<std::uint8_t>(whole_number(document, node, "dataIds", ids[i], 0xFF));
    }
    const bool list = protection.kind == e2e::Kind::profile_2, one = protection.kind == e2e::Kind::profile_1;
    if (list && !node.attribute("dataIds")) document.fail(node, "e2e-profile-2 needs sixteen 'dataIds'");
    if (one && !node.attribute("dataId")) document.fail(node, "e2e-profile-1 needs a 'dataId'");
    if (!list && node.attribute("dataIds")) document.fail(node, "only e2e-profile-2 has 'dataIds'");
    if (list && node.attribute("dataId")) document.fail(node, "e2e-profile-2 has 'dataIds', no 'dataId'");
    if (!node.attribute("dataIdMode")) return;
    if (!one) document.fail(node, "only e2e-profile-1 has a 'dataIdMode'");
    protection.mode = chosen(document, node, "dataIdMode", e2e::data_id_mode_of, e2e::data_id_mode_names());
    // AUTOSAR's variant 1C: the half of the second byte that the counter leaves free.
    if (protection.mode == e2e::DataIdMode::nibble && protection.counter_byte) {
        protection.nibble_byte = *protection.counter_byte;
        protection.nibble_shift = protection.counter_shift == 0 ? 4 : 0;
    }
}

void read_protection(const Document& document, pugi::xml_node node, const dbc::Message& message, MessageMap& map) {
    document.only(node, {"kind", "counter", "checksum", "dataId", "dataIds", "dataIdMode", "mostMissing"});
    e2e::Protection& protection = map.protection;
    protection.kind = chosen(document, node, "kind", e2e::kind_of, e2e::kind_names());
    if (node.attribute("counter")) {
        map.counter = find_signal(document, node, "counter", message);
        const dbc::Signal& signal = message.signals[*map.counter];
        const dbc::Layout place = byte_of(document, node, signal, "the counter");
        protection.counter_byte = static_cast<std::uint8_t>(place.first);
        protection.counter_shift = static_cast<std::uint8_t>(place.shift);
        protection.counter_bits = static_cast<std::uint8_t>(signal.length);
    }
    if (node.attribute("checksum")) {
        map.checksum = find_signal(document, node, "checksum", message);
        const dbc::Signal& signal = message.signals[*map.checksum];
        protection.checksum_byte = static_cast<std::uint8_t>(byte_of(document, node, signal, "the checksum").first);
        if (signal.length != 8)
            document.fail(
                node, "the checksum '" + signal.name + "' has " + std::to_string(signal.length) + " bits, expected 8");
    }
    const bool profile = protection.kind == e2e::Kind::profile_1 || protection.kind == e2e::Kind::profile_2;
    if (protection.kind != e2e::Kind::none && !map.checksum)
        document.fail(node, "a protection of this kind needs a 'checksum'");
    if (protection.kind == e2e::Kind::none && map.checksum) document.fail(node, "the kind 'none' has no 'checksum'");
    if (profile && (!map.counter || protection.counter_bits != 4))
        document.fail(node, "the E2E profiles need a 'counter' of four bits");
    read_data_ids(document, node, protection);
    if (node.attribute("mostMissing"))
        map.limits.most_missing = static_cast<std::uint8_t>(
            whole_number(document, node, "mostMissing", document.text(node, "mostMissing"), 255));
}

void read_signals(const Document& document, pugi::xml_node node, const dbc::Message& message, MessageMap& map) {
    for (const pugi::xml_node child : node.children("Signal")) {
        document.only(child, {"name", "connector", "gain", "offset"});
        SignalMap signal{.signal = find_signal(document, child, "name", message),
                         .connector = document.text(child, "connector")};
        signal.gain = document.optional_number(child, "gain").value_or(1);
        signal.offset = document.optional_number(child, "offset").value_or(0);
        if (signal.gain == 0) document.fail(child, "'gain' of <Signal> is 0, expected another number");
        const std::string& name = message.signals[signal.signal].name;
        if (signal.signal == map.counter || signal.signal == map.checksum)
            document.fail(child, "signal '" + name + "' belongs to the protection and is no connector");
        if (std::any_of(map.signals.begin(), map.signals.end(),
                        [&](const SignalMap& other) { return other.signal == signal.signal; }))
            document.fail(child, "signal '" + name + "' is mapped twice");
        map.signals.push_back(std::move(signal));
    }
}

MessageMap read_message(const Document& document, pugi::xml_node node, const Mapping& mapping) {
    document.only(node, {"name", "timeout", "source"});
    MessageMap map;
    const std::string name = document.text(node, "name");
    const auto& messages = mapping.database.messages;
    const auto found =
        std::find_if(messages.begin(), messages.end(), [&](const dbc::Message& m) { return m.name == name; });
    if (found == messages.end())
        document.fail(node,
                      mapping.database_file + " has no message '" + name + "'" + suggestion(name, names_of(messages)));
    map.message = static_cast<std::size_t>(found - messages.begin());
    if (!dbc::is_one_frame(*found))
        document.fail(node, "message '" + name + "' (" + mapping.database_file + ":" + std::to_string(found->line) +
                                ") has " + std::to_string(found->size) +
                                " bytes, expected what one frame carries: at most 8, or 12, 16, 20, 24, 32, 48 or 64 "
                                "with FD");
    for (const MessageMap& other : mapping.messages)
        if (other.message == map.message) document.fail(node, "message '" + name + "' is mapped twice");
    if (node.attribute("timeout")) map.limits.timeout = document.positive(node, "timeout");
    if (node.attribute("source")) {
        if (!found->j1939) document.fail(node, "message '" + name + "' is no J1939 message and has no 'source'");
        map.source =
            static_cast<std::uint8_t>(whole_number(document, node, "source", document.text(node, "source"), 253));
    }
    if (const pugi::xml_node protection = node.child("Protection")) read_protection(document, protection, *found, map);
    read_signals(document, node, *found, map);
    return map;
}

SetMap read_set(const Document& document, pugi::xml_node node, const Mapping& mapping) {
    document.only(node, {"name"});
    SetMap set{.name = document.text(node, "name")};
    std::vector<std::string> known;
    known.reserve(mapping.messages.size());
    for (const MessageMap& map : mapping.messages) known.push_back(mapping.database.messages[map.message].name);
    for (const pugi::xml_node child : node.children("Member")) {
        document.only(child, {"message"});
        const std::string name = document.text(child, "message");
        const auto found = std::find(known.begin(), known.end(), name);
        if (found == known.end())
            document.fail(child, "no <Message> is called '" + name + "'" + suggestion(name, known));
        const auto index = static_cast<std::size_t>(found - known.begin());
        if (!mapping.messages[index].counter)
            document.fail(child, "message '" + name + "' has no counter, so it is no member of a set");
        for (const SetMap& other : mapping.sets)
            if (std::find(other.members.begin(), other.members.end(), index) != other.members.end())
                document.fail(child, "message '" + name + "' is a member of set '" + other.name + "' already");
        if (std::find(set.members.begin(), set.members.end(), index) != set.members.end())
            document.fail(child, "message '" + name + "' is a member twice");
        const auto range = [&](std::size_t i) { return mapping.messages[i].protection.largest_counter(); };
        if (!set.members.empty() && range(index) != range(set.members.front()))
            document.fail(child, "the counter of message '" + name + "' runs to " + std::to_string(range(index)) +
                                     ", that of the first member to " + std::to_string(range(set.members.front())));
        set.members.push_back(index);
    }
    if (set.members.size() < 2) document.fail(node, "a set has at least two members");
    return set;
}

/// A connector takes its value from one signal; one value may be sent in many.
void check_connectors(const Document& document, const Mapping& mapping) {
    std::set<std::pair<std::string, std::string>> seen;  // sender, connector
    std::size_t at = 0;
    for (const pugi::xml_node node : document.root().children("Message")) {
        const MessageMap& map = mapping.messages[at++];
        const std::string& sender = mapping.database.messages[map.message].sender;
        for (const SignalMap& signal : map.signals)
            if (!seen.emplace(sender, signal.connector).second)
                document.fail(node, "connector '" + signal.connector + "' has two signals from the same sender");
    }
}

void check_children(const Document& document) {
    const std::vector<std::string> known{"Message", "Set"}, inside{"Protection", "Signal"};
    for (const pugi::xml_node node : document.root().children()) {
        if (node.type() != pugi::node_element) continue;
        if (std::find(known.begin(), known.end(), node.name()) == known.end())
            document.fail(node, std::string("unknown element <") + node.name() + ">" + suggestion(node.name(), known));
        if (std::string_view(node.name()) != "Message") continue;
        for (const pugi::xml_node child : node.children())
            if (child.type() == pugi::node_element &&
                std::find(inside.begin(), inside.end(), child.name()) == inside.end())
                document.fail(child,
                              std::string("unknown element <") + child.name() + ">" + suggestion(child.name(), inside));
    }
}

}  // namespace

std::string database_named(std::string_view text, const std::string& shown) {
    try {
        const Document document(text, shown);
        check_root(document);
        return document.text(document.root(), "database");
    } catch (const machine_file::Error& error) {
        throw Error(error.what());
    }
}

Mapping read(std::string_view text, const std::string& shown, dbc::Database database) {
    try {
        const Document document(text, shown);
        check_root(document);
        check_children(document);
        Mapping mapping{.database_file = document.text(document.root(), "database"), .database = std::move(database)};
        for (const pugi::xml_node node : document.root().children("Message"))
            mapping.messages.push_back(read_message(document, node, mapping));
        if (mapping.messages.empty()) document.fail(document.root(), "the mapping has no <Message>");
        for (const pugi::xml_node node : document.root().children("Set"))
            mapping.sets.push_back(read_set(document, node, mapping));
        check_connectors(document, mapping);
        return mapping;
    } catch (const machine_file::Error& error) {
        throw Error(error.what());
    }
}

Mapping read_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    if (!file) throw Error(path + ": cannot be opened");
    if (file.tellg() > static_cast<std::streamoff>(largest_file))
        throw Error(path + ":1: the file has more than 16 MiB");
    file.seekg(0);
    const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    const std::filesystem::path database = std::filesystem::path(path).parent_path() / database_named(text, path);
    return read(text, path, dbc::read_file(database.string()));
}

}  // namespace interfaces::can_mapping
