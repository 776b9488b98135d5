#pragma once

#include <string>
#include <string_view>

namespace master::base {

/// Text from outside on one line of a terminal: line breaks and tabs become blanks; what would steer the terminal or
/// the direction of reading (control characters of both sets, marks of bidirectional text, separators of lines) and
/// bytes that are no UTF-8 are spelt out (\x1b, \u202e).
[[nodiscard]] std::string printable(std::string_view text);

/// The same for a text of ours that holds such text: its line breaks stay. JSON stays the same JSON.
[[nodiscard]] std::string printable_lines(std::string_view text);

/// An XML document for a terminal: the same document, such characters as references (&#x202e;).
[[nodiscard]] std::string printable_xml(std::string_view document);

/// Text from outside in an HTML page of ours, also inside an attribute: no markup, and such characters are spelt out as
/// on a terminal, since a mark of direction in a name would turn around the numbers beside it. Blanks stay.
[[nodiscard]] std::string printable_html(std::string_view text);

[[nodiscard]] bool is_utf8(std::string_view text);
/// The same text with U+FFFD for every byte that is no UTF-8, for files that must be.
[[nodiscard]] std::string valid_utf8(std::string_view text);

}  // namespace master::base
