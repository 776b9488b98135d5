#include "master/base/json.hpp"

#include "master/base/error.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <optional>

namespace master::base {
namespace {

// Nobody nests deeper on purpose; the reader recurses.
constexpr int deepest = 100;

template <class Number>
void write_number(std::string& out, Number value) {
    char buffer[32];
    out.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
}

void append_utf8(std::string& out, std::uint32_t code) {
    const auto tail = [&](int shift) { out += static_cast<char>(0x80 | ((code >> shift) & 0x3F)); };
    if (code < 0x80) {
        out += static_cast<char>(code);
        return;
    }
    if (code < 0x800) {
        out += static_cast<char>(0xC0 | (code >> 6));
        return tail(0);
    }
    if (code < 0x10000) {
        out += static_cast<char>(0xE0 | (code >> 12));
        tail(6);
        return tail(0);
    }
    out += static_cast<char>(0xF0 | (code >> 18));
    tail(12);
    tail(6);
    tail(0);
}

class Parser {
public:
    Parser(std::string_view text, const std::string& name) : text_(text), name_(name) {}

    Json parse() {
        Json value = parse_value(0);
        skip_spaces();
        if (position_ != text_.size()) fail("something after the end");
        return value;
    }

private:
    [[noreturn]] void fail(const std::string& found) const {
        const std::string_view before = text_.substr(0, position_);
        const auto line = 1 + std::ranges::count(before, '\n');
        const std::size_t start = before.rfind('\n') + 1;
        throw Error("json", name_ + ':' + std::to_string(line) + ':' + std::to_string(position_ - start + 1),
                    "found " + found + ", expected JSON");
    }

    [[nodiscard]] std::string here() const {
        return position_ < text_.size() ? std::string("'") + text_[position_] + "'" : "the end";
    }

    void skip_spaces() { position_ = std::min(text_.find_first_not_of(" \t\r\n", position_), text_.size()); }

    bool take(std::string_view token) {
        if (!text_.substr(position_).starts_with(token)) return false;
        position_ += token.size();
        return true;
    }

    void need(char c) {
        skip_spaces();
        if (!take({&c, 1})) fail(here() + " where '" + c + "' belongs");
    }

    Json parse_value(int depth) {
        if (depth > deepest) fail("values nested too deeply");
        skip_spaces();
        if (take("null")) return {};
        if (take("true")) return true;
        if (take("false")) return false;
        if (take("{")) return parse_object(depth);
        if (take("[")) return parse_array(depth);
        if (take("\"")) return parse_string();
        return parse_number();
    }

    Json parse_object(int depth) {
        Json::Object members;
        skip_spaces();
        if (take("}")) return members;
        do {
            need('"');
            std::string name = parse_string();
            need(':');
            members.emplace_back(std::move(name), parse_value(depth + 1));
            skip_spaces();
        } while (take(","));
        need('}');
        return members;
    }

    Json parse_array(int depth) {
        Json::Array elements;
        skip_spaces();
        if (take("]")) return elements;
        do {
            elements.push_back(parse_value(depth + 1));
            skip_spaces();
        } while (take(","));
        need(']');
        return elements;
    }

    std::string parse_string() {
        std::string out;
        while (true) {
            if (position_ >= text_.size()) fail("a string without end");
            const char c = text_[position_++];
            if (c == '"') return out;
            if (static_cast<unsigned char>(c) < 0x20) fail("a control character in a string");
            if (c != '\\') {
                out += c;
                continue;
            }
            parse_escape(out);
        }
    }

    void parse_escape(std::string& out) {
        if (position_ >= text_.size()) fail("a string without end");
        const char c = text_[position_++];
        constexpr std::string_view names = "\"\\/bfnrt";
        constexpr std::string_view meanings = "\"\\/\b\f\n\r\t";
        if (const std::size_t k = names.find(c); k != std::string_view::npos) {
            out += meanings[k];
            return;
        }
        if (c != 'u') fail("an unknown escape sequence");
        std::uint32_t code = parse_hexadecimal();
        const bool first_of_pair = code >= 0xD800 && code < 0xDC00;
        if (first_of_pair && take("\\u")) {
            const std::uint32_t second = parse_hexadecimal();
            if (second < 0xDC00 || second > 0xDFFF) fail("half a surrogate pair");
            code = 0x10000 + ((code - 0xD800) << 10) + (second - 0xDC00);
        } else if (code >= 0xD800 && code <= 0xDFFF) {
            fail("half a surrogate pair");
        }
        append_utf8(out, code);
    }

    std::uint32_t parse_hexadecimal() {
        std::uint32_t code = 0;
        const std::string_view digits = text_.substr(position_, 4);
        const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
        if (digits.size() != 4 || parsed.ptr != digits.data() + 4) fail("an escape sequence without four digits");
        position_ += 4;
        return code;
    }

    Json parse_number() {
        const std::size_t end = std::min(text_.find_first_not_of("+-.0123456789eE", position_), text_.size());
        const std::string_view literal = text_.substr(position_, end - position_);
        const std::string_view digits = literal.substr(literal.starts_with('-') ? 1 : 0);
        const bool proper = !digits.empty() && digits[0] >= '0' && digits[0] <= '9' && literal.back() != '.' &&
                            !(digits.size() > 1 && digits[0] == '0' && digits[1] >= '0' && digits[1] <= '9');
        if (!proper) fail(here());
        Json number;
        if (!(read_as<std::int64_t>(literal, number) || read_as<std::uint64_t>(literal, number) ||
              read_as<double>(literal, number)))
            fail("'" + std::string(literal) + "'");
        position_ = end;
        return number;
    }

    template <class Number>
    static bool read_as(std::string_view literal, Json& number) {
        Number value{};
        const auto parsed = std::from_chars(literal.data(), literal.data() + literal.size(), value);
        if (parsed.ec != std::errc{} || parsed.ptr != literal.data() + literal.size()) return false;
        number = Json(value);
        return true;
    }

    std::string_view text_;
    const std::string& name_;
    std::size_t position_ = 0;
};

}  // namespace

double Json::number() const {
    if (const auto* value = std::get_if<double>(&value_)) return *value;
    if (const auto* value = std::get_if<std::int64_t>(&value_)) return static_cast<double>(*value);
    if (const auto* value = std::get_if<std::uint64_t>(&value_)) return static_cast<double>(*value);
    const std::string* text = string();
    if (text != nullptr && *text == "inf") return std::numeric_limits<double>::infinity();
    if (text != nullptr && *text == "-inf") return -std::numeric_limits<double>::infinity();
    return std::numeric_limits<double>::quiet_NaN();
}

const Json* Json::find(std::string_view name) const {
    const Object* members = object();
    if (members == nullptr) return nullptr;
    const auto found = std::ranges::find(*members, name, &Member::first);
    return found == members->end() ? nullptr : &found->second;
}

Json& Json::operator[](std::string_view name) {
    if (is_null()) value_ = Object{};
    Object& members = std::get<Object>(value_);
    const auto found = std::ranges::find(members, name, &Member::first);
    if (found != members.end()) return found->second;
    return members.emplace_back(std::string(name), Json()).second;
}

void Json::push(Json element) {
    if (is_null()) value_ = Array{};
    std::get<Array>(value_).push_back(std::move(element));
}

std::string Json::text() const {
    std::string out;
    write(out, 0, true);
    return out + '\n';
}

std::string Json::line() const {
    std::string out;
    write(out, 0, false);
    return out;
}

void Json::write(std::string& out, int depth, bool indented) const {
    const auto new_line = [&](int level) {
        if (indented) out += '\n' + std::string(static_cast<std::size_t>(2 * level), ' ');
    };
    const auto write_all = [&](const auto& elements, char open, char close, const auto& write_one) {
        out += open;
        for (std::size_t i = 0; i < elements.size(); ++i) {
            if (i > 0) out += ',';
            new_line(depth + 1);
            write_one(elements[i]);
        }
        if (!elements.empty()) new_line(depth);
        out += close;
    };
    if (is_null()) out += "null";
    if (const bool* value = boolean()) out += *value ? "true" : "false";
    if (const std::string* value = string()) out += json_quoted(*value);
    if (const auto* value = std::get_if<std::int64_t>(&value_)) write_number(out, *value);
    if (const auto* value = std::get_if<std::uint64_t>(&value_)) write_number(out, *value);
    if (const auto* value = std::get_if<double>(&value_)) {
        std::string literal;
        write_number(literal, std::isnan(*value) ? std::abs(*value) : *value);
        out += std::isfinite(*value) ? literal : json_quoted(literal);
    }
    if (const Array* elements = array())
        write_all(*elements, '[', ']', [&](const Json& element) { element.write(out, depth + 1, indented); });
    if (const Object* members = object())
        write_all(*members, '{', '}', [&](const Member& member) {
            out += json_quoted(member.first) + (indented ? ": " : ":");
            member.second.write(out, depth + 1, indented);
        });
}

std::string json_quoted(std::string_view text) {
    constexpr std::string_view hexadecimal = "0123456789abcdef";
    std::string out = "\"";
    for (const char c : text) {
        const auto code = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') out += '\\';
        if (code >= 0x20) {
            out += c;
            continue;
        }
        if (c == '\n') {
            out += "\\n";
            continue;
        }
        out += "\\u00";
        out += hexadecimal[code >> 4];
        out += hexadecimal[code & 15];
    }
    return out + '"';
}

Json parse_json(std::string_view text, const std::string& name) { return Parser(text, name).parse(); }

Json read_json(const std::filesystem::path& file) {
    std::ifstream stream(file, std::ios::binary);
    if (!stream || std::filesystem::is_directory(file))
        throw Error("no-file", file.string(), "there is no such file, expected JSON");
    const std::string text(std::istreambuf_iterator<char>(stream), {});
    return parse_json(text, file.string());
}

}  // namespace master::base
