#include "interfaces/canopen/files/sections.hpp"

#include "interfaces/canopen/files/error.hpp"
#include "interfaces/text/text.hpp"

#include <algorithm>
#include <charconv>

namespace interfaces::canopen {
namespace {

constexpr std::size_t most_bytes = 4u << 20, most_lines = 200000, longest_line = 4096;

std::string_view trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

/// Takes "$NODEID" with its plus sign off one end.
bool take_node_id(std::string& text) {
    constexpr std::string_view name = "$nodeid";
    const std::size_t at = text.find(name);
    if (at == std::string::npos) return false;
    text.erase(at, name.size());
    std::erase_if(text, [](char c) { return c == '+' || c == ' ' || c == '\t'; });
    return true;
}

}  // namespace

const Section::Value* Section::find(const std::string& key) const {
    const auto found = values.find(key);
    return found != values.end() ? &found->second : nullptr;
}

std::map<std::string, Section> parse_sections(std::string_view text, const std::string& shown) {
    if (text.size() > most_bytes)
        throw FileError(shown, 1,
                        "has " + std::to_string(text.size()) + " bytes; at most " + std::to_string(most_bytes));
    std::map<std::string, Section> sections;
    Section* section = nullptr;
    Section repeated;
    std::size_t number = 0;
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = trimmed(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        if (++number > most_lines) throw FileError(shown, number, "more than " + std::to_string(most_lines) + " lines");
        if (line.size() > longest_line)
            throw FileError(
                shown, number,
                "a line of " + std::to_string(line.size()) + " characters; at most " + std::to_string(longest_line));
        if (line.empty() || line.front() == ';' || line.front() == '#') continue;
        if (line.front() == '[') {
            const std::size_t close = line.find(']');
            if (close == std::string_view::npos) throw FileError(shown, number, "a section without ']'");
            const std::string name = text::lower(std::string(trimmed(line.substr(1, close - 1))));
            const auto [place, is_new] = sections.try_emplace(name);
            section = is_new ? &place->second : &(repeated = {});
            section->line = number;
            continue;
        }
        const std::size_t equals = line.find('=');
        if (equals == std::string_view::npos)
            throw FileError(shown, number,
                            "expected [section] or key=value, found '" + std::string(line.substr(0, 60)) + "'");
        if (section == nullptr) throw FileError(shown, number, "a value before the first [section]");
        section->values.try_emplace(text::lower(std::string(trimmed(line.substr(0, equals)))),
                                    Section::Value{std::string(trimmed(line.substr(equals + 1))), number});
    }
    return sections;
}

std::optional<EdsNumber> parse_number(std::string_view given) {
    std::string all = text::lower(std::string(trimmed(given.substr(0, given.find(';')))));
    EdsNumber number;
    number.adds_node_id = take_node_id(all);
    if (all.empty()) return number.adds_node_id ? std::optional(number) : std::nullopt;
    std::string_view text = all;
    if (text.front() == '-') {
        number.negative = true;
        text.remove_prefix(1);
    }
    const bool hexadecimal = text.starts_with("0x");
    if (hexadecimal) text.remove_prefix(2);
    const auto [end, problem] =
        std::from_chars(text.data(), text.data() + text.size(), number.magnitude, hexadecimal ? 16 : 10);
    if (problem != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return number;
}

}  // namespace interfaces::canopen
