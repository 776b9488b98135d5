#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace interfaces::canopen {

/// Text in sections of key=value lines, as EDS and DCF files have them; names are kept in small letters.
struct Section {
    struct Value {
        std::string text;
        std::size_t line = 0;
    };
    std::size_t line = 0;
    std::map<std::string, Value> values;

    [[nodiscard]] const Value* find(const std::string& key) const;
};

/// By name; a section or key that comes again is not taken. Throws FileError for text that is none of it, or too much.
[[nodiscard]] std::map<std::string, Section> parse_sections(std::string_view text, const std::string& shown);

/// A number of an EDS: decimal, or hexadecimal with 0x; with $NODEID before or behind it.
struct EdsNumber {
    std::uint64_t magnitude = 0;
    bool negative = false;
    bool adds_node_id = false;
};
[[nodiscard]] std::optional<EdsNumber> parse_number(std::string_view text);

}  // namespace interfaces::canopen
