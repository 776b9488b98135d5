#include "interfaces/machine_file/document.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace interfaces::machine_file {

Document::Document(std::string_view text, std::string shown) : lines_(text), shown_(std::move(shown)) {
    const pugi::xml_parse_result result = document_.load_buffer(text.data(), text.size());
    if (!result) throw Error(shown_ + ":" + std::to_string(lines_.line_of(result.offset)), result.description());
}

std::string Document::where(pugi::xml_node node) const {
    return shown_ + ":" + std::to_string(lines_.line_of(node.offset_debug()));
}

void Document::fail(pugi::xml_node node, const std::string& text) const { throw Error(where(node), text); }

pugi::xml_node Document::child(pugi::xml_node node, const char* name) const {
    const pugi::xml_node found = node.child(name);
    if (!found) fail(node, std::string("<") + node.name() + "> has no <" + name + ">");
    return found;
}

std::string Document::text(pugi::xml_node node, const char* attribute) const {
    std::string value = node.attribute(attribute).value();
    if (value.empty()) fail(node, std::string("<") + node.name() + "> has no '" + attribute + "'");
    return value;
}

std::vector<double> Document::numbers(pugi::xml_node node, const char* attribute, std::size_t count) const {
    const std::string all = text(node, attribute);
    const auto wrong = [&]() {
        fail(node, std::string("'") + attribute + "' of <" + node.name() + "> is '" + all + "', expected " +
                       std::to_string(count) + (count == 1 ? " finite number" : " finite numbers"));
    };
    std::vector<double> values;
    const char* at = all.data();
    const char* const end = at + all.size();
    while (true) {
        while (at != end && (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r')) ++at;
        if (at == end) break;
        if (*at == '+') ++at;
        double value = 0;
        const auto [next, problem] = std::from_chars(at, end, value);
        if (problem != std::errc() || !std::isfinite(value)) wrong();
        if (next != end && *next != ' ' && *next != '\t' && *next != '\n' && *next != '\r') wrong();
        values.push_back(value);
        at = next;
    }
    if (values.size() != count) wrong();
    return values;
}

double Document::number(pugi::xml_node node, const char* attribute) const { return numbers(node, attribute, 1)[0]; }

std::optional<double> Document::optional_number(pugi::xml_node node, const char* attribute) const {
    if (!node.attribute(attribute)) return std::nullopt;
    return number(node, attribute);
}

double Document::positive(pugi::xml_node node, const char* attribute) const {
    const double value = number(node, attribute);
    if (!(value > 0))
        fail(node, std::string("'") + attribute + "' of <" + node.name() + "> is " + node.attribute(attribute).value() +
                       ", expected more than 0");
    return value;
}

Vector Document::vector(pugi::xml_node node, const char* attribute) const {
    const std::vector<double> values = numbers(node, attribute, 3);
    return {values[0], values[1], values[2]};
}

Vector Document::positive_vector(pugi::xml_node node, const char* attribute) const {
    const Vector values = vector(node, attribute);
    if (!std::all_of(values.begin(), values.end(), [](double value) { return value > 0; }))
        fail(node, std::string("'") + attribute + "' of <" + node.name() + "> is '" +
                       node.attribute(attribute).value() + "', expected numbers above 0");
    return values;
}

Origin Document::origin(pugi::xml_node node) const {
    Origin pose;
    const pugi::xml_node origin = node.child("origin");
    if (origin.attribute("xyz")) pose.xyz = vector(origin, "xyz");
    if (origin.attribute("rpy")) pose.rpy = vector(origin, "rpy");
    return pose;
}

void Document::only(pugi::xml_node node, std::initializer_list<const char*> attributes) const {
    const std::vector<std::string> known(attributes.begin(), attributes.end());
    for (const pugi::xml_attribute attribute : node.attributes())
        if (std::find(known.begin(), known.end(), attribute.name()) == known.end())
            fail(node, std::string("<") + node.name() + "> has no attribute '" + attribute.name() + "'" +
                           suggestion(attribute.name(), known));
}

}  // namespace interfaces::machine_file
