#include "master/base/json.hpp"

#include "master/base/error.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

namespace master::base {
namespace {

// Nobody nests deeper on purpose; copying and writing a value recurse.
constexpr int deepest = 100;

/// The library would write null for them.
void name_numbers_without_literal(Json& value) {
    if (value.is_structured()) {
        for (Json& element : value) name_numbers_without_literal(element);
        return;
    }
    if (!value.is_number_float()) return;
    const double number = value.get<double>();
    if (std::isnan(number)) value = "nan";
    if (std::isinf(number)) value = number > 0 ? "inf" : "-inf";
}

/// The library's message without its code and its own way to state the place.
std::string reason(std::string_view message) {
    message.remove_prefix(message.find("] ") + 2);
    if (message.starts_with("parse error")) message.remove_prefix(message.find(": ") + 2);
    return std::string(message);
}

/// `byte` counts from 1 and is the last one that was read.
std::string place(std::string_view text, std::size_t byte, const std::string& name) {
    const std::string_view before = text.substr(0, byte - 1);
    const auto line = 1 + std::ranges::count(before, '\n');
    const std::size_t start = before.rfind('\n') + 1;
    return name + ':' + std::to_string(line) + ':' + std::to_string(byte - start);
}

/// Of arrays and objects in JSON; in a text that is none, something. (The library can limit it too, but then looks
/// through all earlier elements of a list after each one.)
int depth_of(std::string_view text) {
    int depth = 0;
    int most = 0;
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '"') quoted = !quoted;
        if (quoted && c == '\\') ++i;
        if (quoted) continue;
        if (c == '[' || c == '{') most = std::max(most, ++depth);
        if (c == ']' || c == '}') --depth;
    }
    return most;
}

std::string dump(const Json& value, int indent) {
    return value.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::string json_text(Json value) {
    name_numbers_without_literal(value);
    return dump(value, 2) + '\n';
}

std::string json_quoted(std::string_view text) { return dump(Json(text), -1); }

Json parse_json(std::string_view text, const std::string& name) {
    if (depth_of(text) > deepest)
        throw Error("bad-record", name,
                    "values nested too deeply, expected at most " + std::to_string(deepest) + " levels");
    try {
        return Json::parse(text);
    } catch (const Json::parse_error& error) {
        throw Error("bad-record", place(text, error.byte, name), reason(error.what()));
    } catch (const Json::exception& error) {
        throw Error("bad-record", name, reason(error.what()));
    }
}

Json read_json(const std::filesystem::path& file) {
    std::ifstream stream(file, std::ios::binary);
    if (!stream || std::filesystem::is_directory(file))
        throw Error("missing-file", file.string(), "there is no such file, expected JSON");
    const std::string text(std::istreambuf_iterator<char>(stream), {});
    return parse_json(text, file.string());
}

}  // namespace master::base
