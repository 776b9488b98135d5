#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace master {

/// Writes one JSON document. Calls must nest as the document does; inside an object each value follows a `key`.
class JsonWriter {
public:
    void begin_object();
    void end_object();
    void begin_array();
    void end_array();
    void key(std::string_view name);
    void string(std::string_view text);  // bytes that are no UTF-8 become U+FFFD
    void number(double value);           // shortest round trip; null where it is not finite
    void integer(std::int64_t value);
    void natural(std::uint64_t value);
    void boolean(bool value);
    void null();

    /// The document, with a newline at its end.
    [[nodiscard]] std::string text() const { return text_ + '\n'; }

private:
    struct Level {
        bool object = false;
        bool empty = true;
        bool lines = false;  // its elements stand on lines of their own
    };
    void begin(char bracket, bool object);
    void end(char bracket);
    void scalar(std::string_view text);
    void separate(bool on_a_line);
    void quote(std::string_view text);

    std::string text_;
    std::vector<Level> levels_;
    bool after_key_ = false;
};

/// A JSON value and the line it began on. Numbers keep their text, so that 64-bit integers stay exact.
struct JsonValue {
    struct Number {
        std::string text;
    };
    using Array = std::vector<JsonValue>;
    using Object = std::vector<std::pair<std::string, JsonValue>>;  // in the order of the file; keys are unique

    std::variant<std::nullptr_t, bool, Number, std::string, Array, Object> content = nullptr;
    std::size_t line = 1;

    /// The member of an object, or null where this is no object or has no such member.
    [[nodiscard]] const JsonValue* find(std::string_view key) const;
    [[nodiscard]] bool is_null() const { return std::holds_alternative<std::nullptr_t>(content); }
    /// Each nothing (null) where the value is of another kind.
    [[nodiscard]] std::optional<bool> boolean() const;
    [[nodiscard]] std::optional<double> number() const;
    [[nodiscard]] std::optional<std::int64_t> integer() const;
    [[nodiscard]] std::optional<std::uint64_t> natural() const;
    [[nodiscard]] const std::string* string() const { return std::get_if<std::string>(&content); }
    [[nodiscard]] const Array* array() const { return std::get_if<Array>(&content); }
    [[nodiscard]] const Object* object() const { return std::get_if<Object>(&content); }
};

/// Reads one document; throws `Error` with `name`:line for anything that is no JSON (RFC 8259).
[[nodiscard]] JsonValue parse_json(std::string_view text, const std::string& name);

}  // namespace master
