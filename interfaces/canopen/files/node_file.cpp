#include "interfaces/canopen/files/node_file.hpp"

#include "interfaces/canopen/files/eds_reader.hpp"
#include "interfaces/canopen/files/sections.hpp"
#include "interfaces/text/text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <pugixml.hpp>

namespace interfaces::canopen {
namespace {

constexpr std::uintmax_t longest_file = 16u << 20;

std::string content_of(const std::filesystem::path& path) {
    std::error_code problem;
    const std::uintmax_t size = std::filesystem::file_size(path, problem);
    if (problem) throw std::runtime_error("cannot be read: " + problem.message());
    if (size > longest_file)
        throw std::runtime_error("has " + std::to_string(size) + " bytes, too many for such a file");
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

class NodeFileReader {
public:
    NodeFileReader(std::string_view text, const std::string& shown, const SheetLoader& load_sheet)
        : shown_(shown), lines_(text), load_sheet_(load_sheet) {
        const pugi::xml_parse_result result = document_.load_buffer(text.data(), text.size());
        if (!result) throw FileError(shown_, lines_.line_of(result.offset), result.description());
    }

    NodeFile read() {
        const pugi::xml_node root = document_.document_element();
        constexpr std::string_view space = "urn:tandem:can:1";
        if (std::string_view(root.name()) != "CanOpen" || root.attribute("xmlns").value() != space)
            fail(root,
                 "found <" + std::string(root.name()) + ">, expected <CanOpen xmlns=\"" + std::string(space) + "\">");
        only(root, {"xmlns", "bitRate"});
        if (root.attribute("bitRate"))
            file_.bit_rate = static_cast<std::uint32_t>(whole(root, "bitRate", 10000, 1000000));
        for (const pugi::xml_node node : elements(root, "Node")) read_node(node);
        if (file_.nodes.empty()) fail(root, "there is no <Node>");
        return std::move(file_);
    }

private:
    [[noreturn]] void fail(pugi::xml_node node, const std::string& text) const {
        throw FileError(shown_, lines_.line_of(node.offset_debug()), text);
    }

    /// The child elements, all of which must have this name.
    std::vector<pugi::xml_node> elements(pugi::xml_node parent, const std::string& name) const {
        std::vector<pugi::xml_node> found;
        for (const pugi::xml_node child : parent.children()) {
            if (child.type() != pugi::node_element) continue;
            if (child.name() != name) fail(child, "<" + std::string(child.name()) + ">, expected <" + name + ">");
            found.push_back(child);
        }
        return found;
    }

    /// An attribute with a slip in its name would silently be its default.
    void only(pugi::xml_node node, std::initializer_list<const char*> known) const {
        const std::vector<std::string> names(known.begin(), known.end());
        for (const pugi::xml_attribute attribute : node.attributes()) {
            if (std::ranges::find(names, attribute.name()) != names.end()) continue;
            const std::string closest = text::closest(attribute.name(), names);
            fail(node, "<" + std::string(node.name()) + "> has no attribute '" + attribute.name() + "'" +
                           (closest.empty() ? "" : "; did you mean '" + closest + "'?"));
        }
    }

    std::string required(pugi::xml_node node, const char* attribute) const {
        std::string value = node.attribute(attribute).value();
        if (value.empty()) fail(node, "<" + std::string(node.name()) + "> has no '" + attribute + "'");
        return value;
    }

    std::uint64_t whole(pugi::xml_node node, const char* attribute, std::uint64_t low, std::uint64_t high) const {
        const std::string value = required(node, attribute);
        const auto number = parse_number(value);
        if (!number || number->negative || number->adds_node_id || number->magnitude < low || number->magnitude > high)
            fail(node, std::string(attribute) + " is '" + value + "', expected a number from " + std::to_string(low) +
                           " to " + std::to_string(high));
        return number->magnitude;
    }

    double real(pugi::xml_node node, const char* attribute, double otherwise) const {
        if (!node.attribute(attribute)) return otherwise;
        const std::string value = node.attribute(attribute).value();
        double number = 0;
        const auto [end, problem] = std::from_chars(value.data(), value.data() + value.size(), number);
        if (problem != std::errc() || end != value.data() + value.size() || !std::isfinite(number))
            fail(node, std::string(attribute) + " is '" + value + "', expected a finite number");
        return number;
    }

    void read_node(pugi::xml_node element) {
        only(element, {"name", "sheet", "id", "serial"});
        Node node{.name = required(element, "name")};
        const std::string sheet_name = required(element, "sheet");
        DataSheet sheet;
        try {
            sheet = parse_data_sheet(load_sheet_(sheet_name), sheet_name);
        } catch (const FileError&) {
            throw;
        } catch (const std::runtime_error& error) {
            fail(element, "data sheet '" + sheet_name + "' " + error.what());
        }
        file_.notes.insert(file_.notes.end(), sheet.notes.begin(), sheet.notes.end());
        node.commissioning.bit_rate = file_.bit_rate;
        node.commissioning.node_id = read_id(element, sheet);
        node.commissioning.serial = sheet.serial;
        if (element.attribute("serial"))
            node.commissioning.serial = static_cast<std::uint32_t>(whole(element, "serial", 0, 0xFFFFFFFF));
        node.device.profile = profile_of(sheet.dictionary);
        node.device.dictionary = std::move(sheet.dictionary);
        for (const pugi::xml_node signal : elements(element, "Signal")) read_signal(signal, node, sheet_name);
        file_.nodes.push_back(std::move(node));
    }

    /// As the file says, else as a DCF says; "none" is a device as it is delivered, for LSS.
    std::uint8_t read_id(pugi::xml_node element, const DataSheet& sheet) const {
        if (std::string_view(element.attribute("id").value()) == "none") return unconfigured_node_id;
        const bool from_sheet = !element.attribute("id") && sheet.node_id;
        const auto id = from_sheet ? *sheet.node_id : static_cast<std::uint8_t>(whole(element, "id", 1, 127));
        for (const Node& other : file_.nodes)
            if (other.commissioning.node_id == id)
                fail(element, "id " + std::to_string(id) + " of '" + required(element, "name") + "' is that of '" +
                                  other.name + "'");
        return id;
    }

    void read_signal(pugi::xml_node element, Node& node, const std::string& sheet_name) {
        only(element, {"name", "object", "gain", "offset", "unit", "direction"});
        Signal signal{.name = required(element, "name"), .unit = element.attribute("unit").value()};
        if (std::ranges::find(names_, signal.name) != names_.end())
            fail(element, "signal '" + signal.name + "' is there twice");
        names_.push_back(signal.name);
        const Key key = read_key(element);
        const Entry* entry = node.device.dictionary.find(key);
        if (entry == nullptr) fail(element, "'" + sheet_name + "' has no object " + shown(key));
        if (!is_number(entry->type)) fail(element, shown(key) + " of '" + sheet_name + "' is no number");
        signal.entry = *entry;
        const std::string direction = element.attribute("direction").as_string("transmit");
        if (direction != "transmit" && direction != "receive")
            fail(element, "direction is '" + direction + "', expected 'transmit' or 'receive'");
        signal.direction = direction == "receive" ? Direction::receive : Direction::transmit;
        signal.scale = {.gain = real(element, "gain", 1), .offset = real(element, "offset", 0)};
        if (signal.scale.gain == 0) fail(element, "gain is 0");
        const bool by_profile = !element.attribute("gain") && !element.attribute("offset") && node.device.profile;
        if (by_profile && signal.direction == Direction::transmit)
            signal.channel = node.device.profile->channel_of(key);
        node.signals.push_back(std::move(signal));
    }

    /// "0x6010:0", both parts as in an EDS.
    Key read_key(pugi::xml_node element) const {
        const std::string object = required(element, "object");
        const std::size_t colon = object.find(':');
        const auto index = parse_number(object.substr(0, colon));
        const auto sub =
            colon == std::string::npos ? std::optional(EdsNumber{}) : parse_number(object.substr(colon + 1));
        if (!index || !sub || index->magnitude > 0xFFFF || sub->magnitude > 0xFF || index->negative || sub->negative)
            fail(element, "object is '" + object + "', expected index:sub-index such as 0x6010:0");
        return {static_cast<std::uint16_t>(index->magnitude), static_cast<std::uint8_t>(sub->magnitude)};
    }

    const std::string& shown_;
    text::Lines lines_;
    const SheetLoader& load_sheet_;
    pugi::xml_document document_;
    std::vector<std::string> names_;
    NodeFile file_;
};

}  // namespace

NodeFile parse_node_file(std::string_view text, const std::string& shown, const SheetLoader& load_sheet) {
    return NodeFileReader(text, shown, load_sheet).read();
}

NodeFile read_node_file(const std::filesystem::path& path) {
    const std::string name = path.string();
    std::string text;
    try {
        text = content_of(path);
    } catch (const std::runtime_error& error) {
        throw FileError(name, 1, error.what());
    }
    return parse_node_file(text, name,
                           [&](const std::string& sheet) { return content_of(path.parent_path() / sheet); });
}

std::optional<std::vector<std::string>> sheets_named(std::string_view text) {
    pugi::xml_document document;
    if (!document.load_buffer(text.data(), text.size())) return std::nullopt;
    const pugi::xml_node root = document.document_element();
    if (std::string_view(root.name()) != "CanOpen") return std::nullopt;
    std::vector<std::string> sheets;
    for (const pugi::xml_node node : root.children("Node")) {
        const std::string sheet = node.attribute("sheet").value();
        if (!sheet.empty() && std::ranges::find(sheets, sheet) == sheets.end()) sheets.push_back(sheet);
    }
    return sheets;
}

}  // namespace interfaces::canopen
