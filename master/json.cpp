#include "master/json.hpp"

#include <array>
#include <cassert>
#include <charconv>
#include <cmath>

namespace master {
namespace {

/// How many bytes at the front of `text` are one valid UTF-8 character; 0 for none (RFC 3629).
std::size_t character_size(std::string_view text) {
    const auto at = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char first = at(0);
    if (first < 0x80) return 1;
    const std::size_t size = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
    if (first < 0xC2 || first > 0xF4 || text.size() < size) return 0;
    for (std::size_t i = 1; i < size; ++i) {
        if ((at(i) & 0xC0U) != 0x80) return 0;
    }
    const bool overlong = (first == 0xE0 && at(1) < 0xA0) || (first == 0xF0 && at(1) < 0x90);
    const bool outside = (first == 0xED && at(1) > 0x9F) || (first == 0xF4 && at(1) > 0x8F);
    return overlong || outside ? 0 : size;
}

template <typename Number>
std::string shortest(Number value) {
    std::array<char, 32> buffer{};
    const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
    return {buffer.data(), result.ptr};
}

template <typename Number>
std::optional<Number> number_of(const JsonValue& value) {
    const auto* text = std::get_if<JsonValue::Number>(&value.content);
    if (text == nullptr) return std::nullopt;
    Number number{};
    const char* end = text->text.data() + text->text.size();
    const auto result = std::from_chars(text->text.data(), end, number);
    if (result.ec != std::errc{} || result.ptr != end) return std::nullopt;
    return number;
}

}  // namespace

void JsonWriter::begin_object() { begin('{', true); }
void JsonWriter::end_object() { end('}'); }
void JsonWriter::begin_array() { begin('[', false); }
void JsonWriter::end_array() { end(']'); }

void JsonWriter::begin(char bracket, bool object) {
    separate(true);
    text_ += bracket;
    levels_.push_back({.object = object});
}

void JsonWriter::end(char bracket) {
    assert(!levels_.empty() && !after_key_);
    const Level level = levels_.back();
    levels_.pop_back();
    if (level.lines) text_ += '\n' + std::string(2 * levels_.size(), ' ');
    text_ += bracket;
}

void JsonWriter::key(std::string_view name) {
    assert(!levels_.empty() && levels_.back().object && !after_key_);
    separate(true);
    quote(name);
    text_ += ": ";
    after_key_ = true;
}

void JsonWriter::string(std::string_view text) {
    separate(false);
    quote(text);
}

void JsonWriter::number(double value) {
    if (std::isfinite(value)) {
        scalar(shortest(value));
    } else {
        null();
    }
}

void JsonWriter::integer(std::int64_t value) { scalar(shortest(value)); }
void JsonWriter::natural(std::uint64_t value) { scalar(shortest(value)); }
void JsonWriter::boolean(bool value) { scalar(value ? "true" : "false"); }
void JsonWriter::null() { scalar("null"); }

void JsonWriter::scalar(std::string_view text) {
    separate(false);
    text_ += text;
}

/// Members and nested containers get a line each; numbers of an array share one.
void JsonWriter::separate(bool on_a_line) {
    if (after_key_) {
        after_key_ = false;
        return;
    }
    if (levels_.empty()) return;
    Level& level = levels_.back();
    if (!level.empty) text_ += on_a_line || level.lines ? "," : ", ";
    level.empty = false;
    level.lines = level.lines || on_a_line;
    if (level.lines) text_ += '\n' + std::string(2 * levels_.size(), ' ');
}

void JsonWriter::quote(std::string_view text) {
    constexpr std::string_view digits = "0123456789abcdef";
    text_ += '"';
    while (!text.empty()) {
        const std::size_t size = character_size(text);
        const auto first = static_cast<unsigned char>(text.front());
        if (size == 0) {
            text_ += "\xEF\xBF\xBD";
        } else if (first == '"' || first == '\\') {
            text_ += {'\\', text.front()};
        } else if (first == '\n') {
            text_ += "\\n";
        } else if (first == '\t') {
            text_ += "\\t";
        } else if (first < 0x20) {
            text_ += {'\\', 'u', '0', '0', digits[first >> 4U], digits[first & 15U]};
        } else {
            text_ += text.substr(0, size);
        }
        text.remove_prefix(std::max<std::size_t>(size, 1));
    }
    text_ += '"';
}

const JsonValue* JsonValue::find(std::string_view key) const {
    const Object* members = object();
    if (members == nullptr) return nullptr;
    for (const auto& [name, value] : *members) {
        if (name == key) return &value;
    }
    return nullptr;
}

std::optional<bool> JsonValue::boolean() const {
    const bool* value = std::get_if<bool>(&content);
    return value == nullptr ? std::nullopt : std::optional(*value);
}

std::optional<double> JsonValue::number() const { return number_of<double>(*this); }
std::optional<std::int64_t> JsonValue::integer() const { return number_of<std::int64_t>(*this); }
std::optional<std::uint64_t> JsonValue::natural() const { return number_of<std::uint64_t>(*this); }

}  // namespace master
