#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace master::base {

/// A JSON value. Objects keep the order of their members; integers of 64 bits are kept exactly; numbers that JSON
/// cannot express (nan, inf) are written as text.
class Json {
public:
    using Array = std::vector<Json>;
    using Member = std::pair<std::string, Json>;
    using Object = std::vector<Member>;

    Json() = default;
    Json(std::nullptr_t) {}
    Json(bool value) : value_(value) {}
    Json(double value) : value_(value) {}
    Json(int value) : value_(static_cast<std::int64_t>(value)) {}
    Json(unsigned value) : value_(static_cast<std::int64_t>(value)) {}
    Json(std::int64_t value) : value_(value) {}
    Json(std::uint64_t value) : value_(value) {}
    Json(const char* value) : value_(std::string(value)) {}
    Json(std::string value) : value_(std::move(value)) {}
    Json(Array value) : value_(std::move(value)) {}
    Json(Object value) : value_(std::move(value)) {}

    [[nodiscard]] bool is_null() const { return std::holds_alternative<std::nullptr_t>(value_); }
    [[nodiscard]] const Array* array() const { return std::get_if<Array>(&value_); }
    [[nodiscard]] const Object* object() const { return std::get_if<Object>(&value_); }
    [[nodiscard]] const std::string* string() const { return std::get_if<std::string>(&value_); }
    [[nodiscard]] const bool* boolean() const { return std::get_if<bool>(&value_); }
    /// Any number as a double; also the texts nan, inf and -inf. NaN for anything else.
    [[nodiscard]] double number() const;
    /// The member of that name, or null if there is none or this is no object.
    [[nodiscard]] const Json* find(std::string_view name) const;

    /// The member of that name, made if it is missing; turns null into an object.
    Json& operator[](std::string_view name);
    /// Appends; turns null into an array.
    void push(Json element);

    /// Indented by two spaces; ends with a newline.
    [[nodiscard]] std::string text() const;
    /// On one line.
    [[nodiscard]] std::string line() const;

private:
    void write(std::string& out, int depth, bool indented) const;

    std::variant<std::nullptr_t, bool, double, std::int64_t, std::uint64_t, std::string, Array, Object> value_;
};

/// A JSON string literal with its quotes.
[[nodiscard]] std::string json_quoted(std::string_view text);

/// Reads JSON (RFC 8259); `Error` with name:line:column for anything else.
[[nodiscard]] Json parse_json(std::string_view text, const std::string& name);
[[nodiscard]] Json read_json(const std::filesystem::path& file);

}  // namespace master::base
