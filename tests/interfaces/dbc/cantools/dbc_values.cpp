// Shows what a DBC file holds as JSON in one line, then decodes and encodes what it is asked for, line by line:
//   raw MESSAGE HEX       raw value of each signal, or - where it is not present
//   physical MESSAGE HEX  the same in physical values
//   pack MESSAGE RAW...   the bytes of raw values
//   encode MESSAGE NUMBER...  the bytes of physical values
// usage: dbc_values FILE.dbc
#include "interfaces/dbc/plan.hpp"
#include "interfaces/dbc/read.hpp"

#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>

using namespace interfaces::dbc;

namespace {

nlohmann::json json_of(const Signal& signal, const Message& message) {
    nlohmann::json values = nlohmann::json::object();
    for (const ValueName& value : signal.values) values[std::to_string(value.value)] = value.name;
    nlohmann::json selected = nlohmann::json::array();
    for (const Range& range : signal.selected_by) selected.push_back({range.first, range.last});
    return {{"name", signal.name},
            {"unit", signal.unit},
            {"comment", signal.comment},
            {"start", signal.start},
            {"length", signal.length},
            {"big", signal.order == ByteOrder::big},
            {"signed", signal.kind != ValueKind::unsigned_integer},
            {"float", signal.kind == ValueKind::float32 || signal.kind == ValueKind::float64},
            {"factor", signal.factor},
            {"offset", signal.offset},
            {"minimum", signal.minimum},
            {"maximum", signal.maximum},
            {"receivers", signal.receivers},
            {"values", values},
            {"initial", signal.initial},
            {"selector", signal.selector ? message.signals[*signal.selector].name : ""},
            {"selected_by", selected}};
}

nlohmann::json json_of(const Database& database) {
    nlohmann::json messages = nlohmann::json::array();
    for (const Message& message : database.messages) {
        nlohmann::json signals = nlohmann::json::array();
        for (const Signal& signal : message.signals) signals.push_back(json_of(signal, message));
        messages.push_back({{"name", message.name},
                            {"id", message.id},
                            {"extended", message.extended},
                            {"size", message.size},
                            {"fd", message.fd},
                            {"j1939", message.j1939},
                            {"cycle_time", message.cycle_time},
                            {"comment", message.comment},
                            {"sender", message.sender},
                            {"signals", signals}});
    }
    nlohmann::json nodes = nlohmann::json::array();
    for (const Node& node : database.nodes) nodes.push_back({{"name", node.name}, {"comment", node.comment}});
    nlohmann::json remarks = nlohmann::json::array();
    for (const Remark& remark : database.remarks) remarks.push_back(remark.text);
    return {{"version", database.version}, {"nodes", nodes}, {"messages", messages}, {"remarks", remarks}};
}

std::vector<std::uint8_t> bytes_of(const std::string& hex) {
    std::vector<std::uint8_t> bytes;
    for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
        bytes.push_back(static_cast<std::uint8_t>(std::stoul(hex.substr(i, 2), nullptr, 16)));
    return bytes;
}

void show_raw(const MessagePlan& plan, const Message& message, const std::string& hex, bool physical) {
    std::vector<Raw> raws(plan.signal_count());
    if (!plan.decode_raw(bytes_of(hex), raws)) throw Error("too few bytes");
    for (std::size_t i = 0; i < raws.size(); ++i) {
        const auto bits = raws[i].bits;
        if (!raws[i].present) {
            std::printf("- ");
        } else if (physical) {
            std::printf("%.17g ", plan.physical(i, bits));
        } else if (message.signals[i].kind == ValueKind::signed_integer) {
            std::printf("%lld ", static_cast<long long>(bits));
        } else {
            std::printf("%llu ", static_cast<unsigned long long>(bits));
        }
    }
}

void show_bytes(const std::vector<std::uint8_t>& bytes) {
    for (const std::uint8_t byte : bytes) std::printf("%02x", byte);
}

void answer(const Database& database, const Plans& plans, const std::string& line) {
    std::istringstream words(line);
    std::string what, word;
    std::size_t index = 0;
    words >> what >> index;
    const MessagePlan& plan = plans[index];
    std::vector<std::uint8_t> bytes(plan.size());
    if (what == "raw" || what == "physical") {
        words >> word;
        show_raw(plan, database.messages.at(index), word, what == "physical");
    } else if (what == "pack") {
        std::vector<Raw> raws;
        while (words >> word)
            raws.push_back({word[0] == '-' ? static_cast<std::uint64_t>(std::stoll(word)) : std::stoull(word), true});
        if (!plan.encode_raw(raws, bytes)) throw Error("too few values");
        show_bytes(bytes);
    } else {
        std::vector<double> values;
        while (words >> word) values.push_back(std::stod(word));
        if (!plan.encode(values, bytes)) throw Error("too few values");
        show_bytes(bytes);
    }
    std::printf("\n");
}

}  // namespace

int main(int count, char** arguments) {
    if (count != 2) return 2;
    try {
        const Database database = read_file(arguments[1]);
        const Plans plans(database);
        std::printf("%s\n", json_of(database).dump().c_str());
        for (std::string line; std::getline(std::cin, line);) answer(database, plans, line);
    } catch (const Error& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 2;
    }
}
