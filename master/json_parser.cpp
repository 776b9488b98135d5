#include "master/error.hpp"
#include "master/json.hpp"

#include <charconv>
#include <unordered_set>

namespace master {
namespace {

constexpr int deepest = 200;  // nesting; the parser recurses

class Parser {
public:
    Parser(std::string_view text, const std::string& name) : text_(text), name_(name) {}

    JsonValue document() {
        JsonValue value = read_value(0);
        skip_blanks();
        if (at_ < text_.size()) refuse("unexpected text after the document");
        return value;
    }

private:
    JsonValue read_value(int depth) {
        if (depth > deepest) refuse("nested too deeply");
        skip_blanks();
        JsonValue value;
        value.line = line_;
        switch (peek()) {
            case '{':
                value.content = read_object(depth);
                break;
            case '[':
                value.content = read_array(depth);
                break;
            case '"':
                value.content = read_string();
                break;
            case 't':
                read_word("true");
                value.content = true;
                break;
            case 'f':
                read_word("false");
                value.content = false;
                break;
            case 'n':
                read_word("null");
                break;
            default:
                value.content = read_number();
                break;
        }
        return value;
    }

    JsonValue::Object read_object(int depth) {
        JsonValue::Object members;
        std::unordered_set<std::string> known;
        ++at_;
        for (bool first = true; !closes('}', first); first = false) {
            skip_blanks();
            if (peek() != '"') refuse("expected the name of a member in quotes");
            std::string key = read_string();
            if (!known.insert(key).second) refuse("the member '" + key + "' is there twice");
            skip_blanks();
            if (peek() != ':') refuse("expected ':' after the name '" + key + "'");
            ++at_;
            JsonValue value = read_value(depth + 1);
            members.emplace_back(std::move(key), std::move(value));
        }
        return members;
    }

    JsonValue::Array read_array(int depth) {
        JsonValue::Array elements;
        ++at_;
        for (bool first = true; !closes(']', first); first = false) elements.push_back(read_value(depth + 1));
        return elements;
    }

    /// Takes the closing bracket, or the comma before a further element.
    bool closes(char bracket, bool first) {
        skip_blanks();
        if (peek() == bracket) {
            ++at_;
            return true;
        }
        if (first) return false;
        if (peek() != ',') refuse(std::string("expected ',' or '") + bracket + "'");
        ++at_;
        return false;
    }

    std::string read_string() {
        std::string result;
        ++at_;
        while (peek() != '"') {
            const char character = text_[at_];
            if (static_cast<unsigned char>(character) < 0x20) refuse("a control character in a string");
            ++at_;
            if (character == '\\') {
                read_escape(result);
            } else {
                result += character;
            }
        }
        ++at_;
        return result;
    }

    void read_escape(std::string& result) {
        constexpr std::string_view codes = "\"\\/bfnrt";
        constexpr std::string_view meanings = "\"\\/\b\f\n\r\t";
        const char code = peek();
        ++at_;
        if (code == 'u') {
            append(read_code_point(), result);
            return;
        }
        const std::size_t known = codes.find(code);
        if (known == std::string_view::npos) refuse(std::string("unknown escape '\\") + code + "'");
        result += meanings[known];
    }

    std::uint32_t read_code_point() {
        const std::uint32_t first = read_four_digits();
        if (first >= 0xDC00 && first <= 0xDFFF) refuse("a low surrogate without a high one");
        if (first < 0xD800 || first > 0xDBFF) return first;
        if (text_.substr(at_, 2) != "\\u") refuse("a high surrogate without a low one");
        at_ += 2;
        const std::uint32_t second = read_four_digits();
        if (second < 0xDC00 || second > 0xDFFF) refuse("a high surrogate without a low one");
        return 0x10000 + ((first - 0xD800) << 10U) + (second - 0xDC00);
    }

    std::uint32_t read_four_digits() {
        const std::string_view digits = text_.substr(at_, 4);
        std::uint32_t code = 0;
        const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
        if (digits.size() < 4 || result.ec != std::errc{} || result.ptr != digits.data() + 4) {
            refuse("expected four hexadecimal digits after \\u");
        }
        at_ += 4;
        return code;
    }

    static void append(std::uint32_t code, std::string& to) {
        const auto tail = [&](unsigned int shift) { to += static_cast<char>(0x80U | ((code >> shift) & 0x3FU)); };
        if (code < 0x80) {
            to += static_cast<char>(code);
        } else if (code < 0x800) {
            to += static_cast<char>(0xC0U | (code >> 6U));
            tail(0);
        } else if (code < 0x10000) {
            to += static_cast<char>(0xE0U | (code >> 12U));
            tail(6);
            tail(0);
        } else {
            to += static_cast<char>(0xF0U | (code >> 18U));
            tail(12);
            tail(6);
            tail(0);
        }
    }

    JsonValue::Number read_number() {
        const std::size_t begin = at_;
        if (next_is('-')) ++at_;
        const bool leading_zero = next_is('0');
        if (read_digits() > 1 && leading_zero) refuse("a number with a leading zero");
        if (at_ == begin || !is_digit(text_[at_ - 1])) refuse("expected a value");
        if (next_is('.')) {
            ++at_;
            if (read_digits() == 0) refuse("expected digits after the decimal point");
        }
        if (next_is('e') || next_is('E')) {
            ++at_;
            if (next_is('+') || next_is('-')) ++at_;
            if (read_digits() == 0) refuse("expected digits in the exponent");
        }
        return {std::string(text_.substr(begin, at_ - begin))};
    }

    std::size_t read_digits() {
        const std::size_t begin = at_;
        while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
        return at_ - begin;
    }

    void read_word(std::string_view word) {
        if (text_.substr(at_, word.size()) != word) refuse("expected a value");
        at_ += word.size();
    }

    void skip_blanks() {
        while (at_ < text_.size()) {
            const char character = text_[at_];
            if (character == '\n') ++line_;
            if (character != ' ' && character != '\t' && character != '\n' && character != '\r') return;
            ++at_;
        }
    }

    static bool is_digit(char character) { return character >= '0' && character <= '9'; }
    [[nodiscard]] bool next_is(char character) const { return at_ < text_.size() && text_[at_] == character; }

    [[nodiscard]] char peek() const {
        if (at_ >= text_.size()) refuse("the text ends too early");
        return text_[at_];
    }

    [[noreturn]] void refuse(const std::string& what) const {
        throw Error("json", name_ + ":" + std::to_string(line_), "is no JSON: " + what);
    }

    std::string_view text_;
    const std::string& name_;
    std::size_t at_ = 0;
    std::size_t line_ = 1;
};

}  // namespace

JsonValue parse_json(std::string_view text, const std::string& name) {
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
    return Parser(text, name).document();
}

}  // namespace master
