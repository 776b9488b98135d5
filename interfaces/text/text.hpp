#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace interfaces::text {

/// How many letters must be changed, put in or left out; capitals and small letters are the same.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

/// The candidate nearest to `name` by edit distance, or empty when none is near enough to be a slip of the keyboard.
[[nodiscard]] std::string closest(std::string_view name, std::span<const std::string> candidates);

/// Capitals become small letters.
[[nodiscard]] std::string lower(std::string text);

/// A text as it stands in XML and HTML, also inside an attribute, where a plain line break would be read as a blank.
[[nodiscard]] std::string escaped(std::string_view text);

/// Where the lines of a text end, so that messages can name the line of an offset.
class Lines {
public:
    Lines() = default;
    explicit Lines(std::string_view text);

    /// Counted from 1; what is before the text is on its first line.
    [[nodiscard]] std::size_t line_of(std::ptrdiff_t offset) const;

private:
    std::vector<std::ptrdiff_t> ends_;
};

}  // namespace interfaces::text
