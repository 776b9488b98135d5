#include "interfaces/dbc/cursor.hpp"

#include "interfaces/text/spelt.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace interfaces::dbc {

namespace {

bool is_blank(char letter) { return letter == ' ' || letter == '\t' || letter == '\r' || letter == '\n'; }

bool is_word(char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || (letter >= '0' && letter <= '9') ||
           letter == '_' || static_cast<unsigned char>(letter) >= 0x80;
}

}  // namespace

void Cursor::fail(std::size_t line, const std::string& text) const {
    throw Error(shown_ + ":" + std::to_string(line) + ": " + text::spelt(text));
}

void Cursor::skip_blanks() {
    while (at_ < text_.size()) {
        if (is_blank(text_[at_])) {
            ++at_;
        } else if (text_.substr(at_, 2) == "//") {  // no DBC, but written by hand into some
            at_ = std::min(text_.find('\n', at_), text_.size());
        } else {
            return;
        }
    }
}

bool Cursor::at_end() {
    skip_blanks();
    return at_ == text_.size();
}

bool Cursor::next_is(char sign) {
    skip_blanks();
    return at_ < text_.size() && text_[at_] == sign;
}

bool Cursor::skip(char sign) {
    const std::size_t before = at_;
    const bool found = next_is(sign);
    at_ = found ? at_ + 1 : before;
    return found;
}

std::string Cursor::next_shown() const {
    if (at_ >= text_.size()) return "the end of the file";
    std::size_t end = at_;
    while (end < text_.size() && !is_blank(text_[end]) && end < at_ + 30) ++end;
    return "'" + std::string(text_.substr(at_, end - at_)) + "'";
}

void Cursor::fail_found(const std::string& expected) {
    const std::size_t before = line();
    skip_blanks();
    fail(before, "found " + next_shown() + ", expected " + expected);
}

void Cursor::expect(char sign, const char* after) {
    if (!skip(sign)) fail_found(std::string("'") + sign + "' after " + after);
}

std::string_view Cursor::peek_word() {
    skip_blanks();
    std::size_t end = at_;
    while (end < text_.size() && is_word(text_[end])) ++end;
    return text_.substr(at_, end - at_);
}

std::string_view Cursor::take_word() {
    const std::string_view found = peek_word();
    at_ += found.size();
    return found;
}

std::string Cursor::word(const char* what) {
    const std::string_view found = take_word();
    if (found.empty()) fail_found(what);
    return std::string(found);
}

std::string Cursor::quoted(const char* what) {
    if (!next_is('"')) fail_found(std::string(what) + " in quotes");
    const std::size_t begin = line();
    std::string value;
    for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
        if (text_[at_] == '\\' && at_ + 1 < text_.size() && text_[at_ + 1] == '"') ++at_;
        if (text_[at_] != '\r') value += text_[at_];  // lines of comments end alike on all systems
    }
    if (at_ == text_.size()) fail(begin, std::string("the quotes of ") + what + " never end");
    ++at_;
    return value;
}

double Cursor::number(const char* what) {
    skip_blanks();
    std::size_t begin = at_;
    if (begin < text_.size() && text_[begin] == '+') ++begin;
    double value = 0;
    const auto [end, problem] = std::from_chars(text_.data() + begin, text_.data() + text_.size(), value);
    if (problem == std::errc::result_out_of_range) fail_found(std::string(what) + " that a double can hold");
    if (problem != std::errc() || !std::isfinite(value)) fail_found(std::string(what) + ", a number");
    at_ = static_cast<std::size_t>(end - text_.data());
    return value;
}

std::int64_t Cursor::integer(const char* what) {
    skip_blanks();
    const std::size_t begin = at_ < text_.size() && text_[at_] == '+' ? at_ + 1 : at_;
    std::int64_t value = 0;
    const auto [end, problem] = std::from_chars(text_.data() + begin, text_.data() + text_.size(), value);
    // Some tools write "3.0", and values of 64 bits without a sign.
    const bool real =
        problem == std::errc() && end < text_.data() + text_.size() && (*end == '.' || *end == 'e' || *end == 'E');
    if (problem == std::errc() && !real) {
        at_ = static_cast<std::size_t>(end - text_.data());
        return value;
    }
    std::uint64_t large = 0;
    const auto [large_end, large_problem] = std::from_chars(text_.data() + begin, text_.data() + text_.size(), large);
    if (!real && large_problem == std::errc()) {
        at_ = static_cast<std::size_t>(large_end - text_.data());
        return static_cast<std::int64_t>(large);
    }
    const std::size_t line_before = line();
    const double found = number(what);
    if (!(std::abs(found) < 0x1p63) || found != std::trunc(found))
        fail(line_before, std::string("expected ") + what + ", a whole number of at most 64 bits");
    return static_cast<std::int64_t>(found);
}

std::uint32_t Cursor::unsigned_integer(const char* what, std::uint32_t largest) {
    skip_blanks();
    const std::size_t line_before = line();
    const std::int64_t value = integer(what);
    if (value < 0 || value > largest)
        fail(line_before,
             std::string(what) + " is " + std::to_string(value) + ", expected 0 to " + std::to_string(largest));
    return static_cast<std::uint32_t>(value);
}

void Cursor::skip_statement() {
    const std::size_t begin = line();
    bool inside = false;
    for (; at_ < text_.size(); ++at_) {
        if (inside && text_[at_] == '\\' && at_ + 1 < text_.size() && text_[at_ + 1] == '"') {
            ++at_;
        } else if (text_[at_] == '"') {
            inside = !inside;
        } else if (text_[at_] == ';' && !inside) {
            ++at_;
            return;
        }
    }
    fail(begin, "a statement begins here that no ';' ends");
}

bool Cursor::at_line_end() const {
    std::size_t at = at_;
    while (at < text_.size() && (text_[at] == ' ' || text_[at] == '\t' || text_[at] == '\r')) ++at;
    return at == text_.size() || text_[at] == '\n';
}

}  // namespace interfaces::dbc
