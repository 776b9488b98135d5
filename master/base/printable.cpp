#include "master/base/printable.hpp"

#include "interfaces/text/text.hpp"

#include <cstdint>
#include <fmt/format.h>

namespace master::base {
namespace {

struct Character {
    std::uint32_t code = 0;
    std::size_t bytes = 1;
    bool valid = true;
};

/// The first character of a text that is not empty; overlong forms and surrogates are not valid (RFC 3629).
Character first_of(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char lead = byte(0);
    if (lead < 0x80) return {lead};
    const std::size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    if (lead < 0xc2 || lead > 0xf4 || text.size() < bytes) return {lead, 1, false};
    std::uint32_t code = lead & (0xffU >> (bytes + 1));
    for (std::size_t i = 1; i < bytes; ++i) {
        if ((byte(i) & 0xc0U) != 0x80) return {lead, 1, false};
        code = code << 6U | (byte(i) & 0x3fU);
    }
    const bool overlong = (bytes == 3 && code < 0x800) || (bytes == 4 && code < 0x10000);
    if (overlong || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return {lead, 1, false};
    return {code, bytes};
}

bool steers(std::uint32_t code) {
    return code < 0x20 || (code >= 0x7f && code <= 0x9f) || code == 0x61c || code == 0x200e || code == 0x200f ||
           (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069) || code == 0xfeff;
}

/// Whatever steers is given to `spell` in place of being copied; bytes that are no UTF-8 to `spell_byte`.
template <class Spell, class SpellByte>
std::string respelt(std::string_view text, Spell spell, SpellByte spell_byte) {
    std::string result;
    result.reserve(text.size());
    while (!text.empty()) {
        const Character character = first_of(text);
        if (!character.valid) {
            result += spell_byte(character.code);
        } else if (steers(character.code)) {
            result += spell(character.code);
        } else {
            result += text.substr(0, character.bytes);
        }
        text.remove_prefix(character.bytes);
    }
    return result;
}

bool is_blank(std::uint32_t code) { return code == '\n' || code == '\r' || code == '\t'; }

std::string escape(std::uint32_t code) { return is_blank(code) ? " " : fmt::format("\\u{:04x}", code); }

std::string byte_escape(std::uint32_t byte) { return fmt::format("\\x{:02x}", byte); }

std::string replacement(std::uint32_t) { return "\xef\xbf\xbd"; }

}  // namespace

std::string printable(std::string_view text) { return respelt(text, &escape, &byte_escape); }

std::string printable_lines(std::string_view text) {
    return respelt(
        text, [](std::uint32_t code) { return code == '\n' ? "\n" : escape(code); }, &byte_escape);
}

std::string printable_xml(std::string_view document) {
    const auto reference = [](std::uint32_t code) {
        return is_blank(code) ? std::string(1, static_cast<char>(code)) : fmt::format("&#x{:x};", code);
    };
    return respelt(document, reference, &replacement);
}

std::string printable_html(std::string_view text) {
    const auto spelt = [](std::uint32_t code) {
        return is_blank(code) ? std::string(1, static_cast<char>(code)) : escape(code);
    };
    return interfaces::text::escaped(respelt(text, spelt, &byte_escape));
}

bool is_utf8(std::string_view text) {
    while (!text.empty()) {
        if (static_cast<unsigned char>(text.front()) < 0x80) {
            text.remove_prefix(1);
            continue;
        }
        const Character character = first_of(text);
        if (!character.valid) return false;
        text.remove_prefix(character.bytes);
    }
    return true;
}

std::string valid_utf8(std::string_view text) {
    if (is_utf8(text)) return std::string(text);
    std::string valid;
    valid.reserve(text.size());
    while (!text.empty()) {
        const Character character = first_of(text);
        valid += character.valid ? std::string(text.substr(0, character.bytes)) : replacement(0);
        text.remove_prefix(character.bytes);
    }
    return valid;
}

}  // namespace master::base
