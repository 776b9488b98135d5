#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace master::results {

/// One cell as it stands in the text, without the spaces and quotes around it.
struct CsvCell {
    std::string_view raw;
    bool quoted = false;
    bool doubled_quotes = false;
    std::uint32_t line = 0, column = 0;  // counted from 1

    [[nodiscard]] std::string text() const;
};

/// Splits CSV text into rows of cells. Skips a byte order mark, empty lines and lines that begin with #.
class CsvScanner {
public:
    CsvScanner(std::string_view text, std::string source);

    /// False at the end of the text. The cells stay valid until the next call.
    [[nodiscard]] bool next_row(std::vector<CsvCell>& cells);
    [[nodiscard]] char separator() const { return separator_; }
    [[nodiscard]] std::string where(const CsvCell& cell) const;

private:
    void skip_blank_lines();
    void detect_separator();
    CsvCell plain_cell();
    CsvCell quoted_cell();
    void skip_spaces();
    void new_line();
    [[nodiscard]] bool at_end_of_line() const;
    [[nodiscard]] CsvCell here() const;

    std::string_view text_;
    std::string source_;
    std::size_t position_ = 0;
    std::size_t line_start_ = 0;
    std::uint32_t line_ = 1;
    char separator_ = 0;
};

}  // namespace master::results
