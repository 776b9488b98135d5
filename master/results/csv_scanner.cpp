#include "master/results/csv_scanner.hpp"

#include "master/base/error.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace master::results {

std::string CsvCell::text() const {
    if (!doubled_quotes) return std::string(raw);
    std::string result;
    for (std::size_t i = 0; i < raw.size(); ++i) {
        if (raw[i] == '"') ++i;
        result += raw[i];
    }
    return result;
}

CsvScanner::CsvScanner(std::string_view text, std::string source) : text_(text), source_(std::move(source)) {
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
    if (text_.starts_with(byte_order_mark)) text_.remove_prefix(byte_order_mark.size());
}

bool CsvScanner::next_row(std::vector<CsvCell>& cells) {
    cells.clear();
    skip_blank_lines();
    if (position_ >= text_.size()) return false;
    if (separator_ == 0) detect_separator();
    while (true) {
        skip_spaces();
        cells.push_back(position_ < text_.size() && text_[position_] == '"' ? quoted_cell() : plain_cell());
        if (at_end_of_line()) break;
        ++position_;
    }
    new_line();
    return true;
}

std::string CsvScanner::where(const CsvCell& cell) const {
    return source_ + ':' + std::to_string(cell.line) + ':' + std::to_string(cell.column);
}

void CsvScanner::skip_blank_lines() {
    while (position_ < text_.size()) {
        const std::size_t first = text_.find_first_not_of(" \t\r", position_);
        if (first == std::string_view::npos) {
            position_ = text_.size();
            return;
        }
        if (text_[first] != '\n' && text_[first] != '#') return;
        position_ = std::min(text_.find('\n', first), text_.size());
        new_line();
    }
}

void CsvScanner::detect_separator() {
    std::array<std::size_t, 256> count{};
    bool quoted = false;
    for (std::size_t i = position_; i < text_.size() && (quoted || text_[i] != '\n'); ++i) {
        if (text_[i] == '"') quoted = !quoted;
        if (!quoted) ++count[static_cast<unsigned char>(text_[i])];
    }
    separator_ = ',';
    for (const char candidate : {';', '\t'}) {
        if (count[static_cast<unsigned char>(candidate)] > count[static_cast<unsigned char>(separator_)])
            separator_ = candidate;
    }
}

CsvCell CsvScanner::plain_cell() {
    CsvCell cell = here();
    const char* const begin = text_.data() + position_;
    const char* const end = text_.data() + text_.size();
    const char* stop = begin;
    while (stop != end && *stop != separator_ && *stop != '\n') ++stop;
    position_ += static_cast<std::size_t>(stop - begin);
    while (stop != begin && (stop[-1] == ' ' || stop[-1] == '\t' || stop[-1] == '\r')) --stop;
    cell.raw = {begin, static_cast<std::size_t>(stop - begin)};
    return cell;
}

CsvCell CsvScanner::quoted_cell() {
    CsvCell cell = here();
    cell.quoted = true;
    const std::size_t begin = ++position_;
    while (true) {
        const std::size_t quote = text_.find('"', position_);
        if (quote == std::string_view::npos)
            throw base::Error("bad-table", where(cell), "the quote that begins here is never closed");
        for (std::size_t i = position_; i < quote; ++i) {
            if (text_[i] != '\n') continue;
            ++line_;
            line_start_ = i + 1;
        }
        position_ = quote + 1;
        if (position_ >= text_.size() || text_[position_] != '"') break;
        cell.doubled_quotes = true;
        ++position_;
    }
    cell.raw = text_.substr(begin, position_ - 1 - begin);
    skip_spaces();
    if (!at_end_of_line() && text_[position_] != separator_)
        throw base::Error("bad-table", where(here()),
                          std::string("found '") + text_[position_] + "' after a quoted cell, expected a separator");
    return cell;
}

void CsvScanner::skip_spaces() {
    while (position_ < text_.size()) {
        const char c = text_[position_];
        if (c == separator_ || (c != ' ' && c != '\t' && c != '\r')) return;
        ++position_;
    }
}

void CsvScanner::new_line() {
    if (position_ < text_.size()) ++position_;
    ++line_;
    line_start_ = position_;
}

bool CsvScanner::at_end_of_line() const { return position_ >= text_.size() || text_[position_] == '\n'; }

CsvCell CsvScanner::here() const {
    return {.raw = {}, .line = line_, .column = static_cast<std::uint32_t>(position_ - line_start_ + 1)};
}

}  // namespace master::results
