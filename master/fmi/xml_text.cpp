#include "master/fmi/xml_text.hpp"

#include "master/error.hpp"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <sstream>
#include <utility>

namespace master::fmi {
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

}  // namespace

XmlText::XmlText(std::string_view text, std::string name) : name_(std::move(name)) {
    if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF")) {
        throw Error("xml", name_ + ":1", "is encoded in UTF-16; expected UTF-8");
    }
    std::string converted;
    if (is_latin1(text)) {
        converted = utf8_from_latin1(text);
        text = converted;
    }
    for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n', end + 1)) {
        line_ends_.push_back(static_cast<std::ptrdiff_t>(end));
    }
    const pugi::xml_parse_result result =
        document_.load_buffer(text.data(), text.size(), pugi::parse_default, pugi::encoding_utf8);
    if (!result) {
        throw Error("xml", name_ + ":" + std::to_string(line(result.offset)),
                    std::string("is not well-formed XML: ") + result.description());
    }
}

std::string XmlText::where(pugi::xml_node node) const {
    return name_ + ":" + std::to_string(line(node.offset_debug()));
}

std::size_t XmlText::line(std::ptrdiff_t offset) const {
    return static_cast<std::size_t>(std::ranges::lower_bound(line_ends_, offset) - line_ends_.begin()) + 1;
}

std::string file_content(const std::filesystem::path& file) {
    std::ifstream stream(file, std::ios::binary);
    if (!stream) throw Error("file", file.string(), "cannot be opened for reading");
    std::ostringstream content;
    content << stream.rdbuf();
    if (stream.bad()) throw Error("file", file.string(), "cannot be read to its end");
    return std::move(content).str();
}

}  // namespace master::fmi
