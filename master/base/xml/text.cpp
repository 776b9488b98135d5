#include "master/base/xml/text.hpp"

#include "master/base/error.hpp"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <utility>

namespace master::base {
namespace {

/// Does the XML declaration name ISO-8859-1? Older tools write it, although FMI asks for UTF-8.
bool is_latin1(std::string_view text) {
    const std::string_view beginning = text.substr(0, std::min<std::size_t>(text.size(), 200));
    if (!beginning.starts_with("<?xml")) return false;
    std::string declaration(beginning.substr(0, beginning.find("?>")));
    std::ranges::transform(declaration, declaration.begin(), [](unsigned char c) { return std::tolower(c); });
    return declaration.find("iso-8859-1") != std::string::npos || declaration.find("latin1") != std::string::npos;
}

std::string utf8_from_latin1(std::string_view text) {
    std::string converted;
    converted.reserve(text.size() + text.size() / 16);
    for (const char character : text) {
        const auto code = static_cast<unsigned char>(character);
        if (code < 0x80) {
            converted += character;
            continue;
        }
        converted += static_cast<char>(0xC0U | (code >> 6U));
        converted += static_cast<char>(0x80U | (code & 0x3FU));
    }
    return converted;
}

void append_utf8(std::uint32_t code, std::string& text) {
    const auto tail = [&](unsigned shift) { text += static_cast<char>(0x80U | ((code >> shift) & 0x3FU)); };
    if (code < 0x80) {
        text += static_cast<char>(code);
    } else if (code < 0x800) {
        text += static_cast<char>(0xC0U | (code >> 6U));
        tail(0);
    } else if (code < 0x10000) {
        text += static_cast<char>(0xE0U | (code >> 12U));
        tail(6);
        tail(0);
    } else {
        text += static_cast<char>(0xF0U | (code >> 18U));
        tail(12);
        tail(6);
        tail(0);
    }
}

/// `text` begins with a byte-order mark. Halves of a pair that stand alone become the replacement character.
std::string utf8_from_utf16(std::string_view text) {
    constexpr std::uint32_t replacement = 0xFFFD;
    const bool big = text.starts_with("\xFE\xFF");
    const auto unit = [&](std::size_t at) {
        const auto first = static_cast<unsigned char>(text[at]), second = static_cast<unsigned char>(text[at + 1]);
        return static_cast<std::uint32_t>(big ? first << 8U | second : second << 8U | first);
    };
    std::string converted;
    converted.reserve(text.size() / 2);
    for (std::size_t at = 2; at + 1 < text.size(); at += 2) {
        std::uint32_t code = unit(at);
        if (code >= 0xD800 && code < 0xE000) {
            const std::uint32_t low = code < 0xDC00 && at + 3 < text.size() ? unit(at + 2) : 0;
            const bool pair = low >= 0xDC00 && low < 0xE000;
            code = pair ? 0x10000 + ((code - 0xD800) << 10U) + (low - 0xDC00) : replacement;
            if (pair) at += 2;
        }
        append_utf8(code, converted);
    }
    return converted;
}

}  // namespace

XmlText::XmlText(std::string_view text, std::string name) : name_(std::move(name)) {
    std::string converted;
    if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF")) {
        converted = utf8_from_utf16(text);
        text = converted;
    } else if (is_latin1(text)) {
        converted = utf8_from_latin1(text);
        text = converted;
    }
    lines_ = interfaces::text::Lines(text);
    const pugi::xml_parse_result result =
        document_.load_buffer(text.data(), text.size(), pugi::parse_default, pugi::encoding_utf8);
    if (!result) {
        throw Error("xml", name_ + ":" + std::to_string(lines_.line_of(result.offset)),
                    std::string("is not well-formed XML: ") + result.description());
    }
}

std::string XmlText::where(pugi::xml_node node) const {
    return name_ + ":" + std::to_string(lines_.line_of(node.offset_debug()));
}

std::string file_content(const std::filesystem::path& file) {
    std::ifstream stream(file, std::ios::binary);
    if (!stream) throw Error("file", file.string(), "cannot be opened for reading");
    std::ostringstream content;
    content << stream.rdbuf();
    if (stream.bad()) throw Error("file", file.string(), "cannot be read to its end");
    return std::move(content).str();
}

}  // namespace master::base
