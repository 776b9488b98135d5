#pragma once

#include "interfaces/dbc/database.hpp"
#include "interfaces/text/text.hpp"

#include <string>
#include <string_view>

namespace interfaces::dbc {

/// A place in the text of a DBC file that moves on by words, numbers, texts and signs, and knows its line.
class Cursor {
public:
    Cursor(std::string_view text, std::string shown) : text_(text), lines_(text), shown_(std::move(shown)) {}

    [[nodiscard]] bool at_end();
    [[nodiscard]] std::size_t line() const { return lines_.line_of(static_cast<std::ptrdiff_t>(at_)); }
    [[noreturn]] void fail(std::size_t line, const std::string& text) const;
    [[noreturn]] void fail(const std::string& text) const { fail(line(), text); }

    /// Says what stands here instead of what was expected.
    [[noreturn]] void fail_found(const std::string& expected);

    /// The next sign is this one; not taken.
    [[nodiscard]] bool next_is(char sign);
    /// Takes the sign if it is the next one, else nothing, not even blanks.
    bool skip(char sign);
    void expect(char sign, const char* after);

    /// Letters, digits and underscores; empty where none begins.
    [[nodiscard]] std::string_view peek_word();
    [[nodiscard]] std::string_view take_word();
    [[nodiscard]] std::string word(const char* what);
    /// In quotes, over any number of lines.
    [[nodiscard]] std::string quoted(const char* what);
    [[nodiscard]] bool next_is_quoted() { return next_is('"'); }
    [[nodiscard]] double number(const char* what);
    [[nodiscard]] std::int64_t integer(const char* what);
    [[nodiscard]] std::uint32_t unsigned_integer(const char* what, std::uint32_t largest);
    /// Behind the next semicolon that stands in no quotes.
    void skip_statement();
    /// Nothing but blanks between here and the end of the line.
    [[nodiscard]] bool at_line_end() const;

private:
    void skip_blanks();
    [[nodiscard]] std::string next_shown() const;

    std::string_view text_;
    std::size_t at_ = 0;
    interfaces::text::Lines lines_;
    std::string shown_;
};

}  // namespace interfaces::dbc
