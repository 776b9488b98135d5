#include "master/base/xml/document.hpp"

#include "master/base/error.hpp"
#include "master/base/xml/charset.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <utility>

namespace master::base {

std::string file_content(const std::filesystem::path& file, const std::string& shown) {
    std::error_code code;
    if (!std::filesystem::is_regular_file(file, code)) throw Error("missing-file", shown, "no such file");
    std::ifstream stream(file, std::ios::binary);
    if (!stream) throw Error("missing-file", shown, std::string("cannot be opened: ") + std::strerror(errno));
    std::string content(std::filesystem::file_size(file, code), '\0');
    stream.read(content.data(), static_cast<std::streamsize>(content.size()));
    if (stream.gcount() != static_cast<std::streamsize>(content.size()))
        throw Error("missing-file", shown, "cannot be read to its end");
    return content;
}

Document::Document(const std::filesystem::path& file, std::string shown) : shown_(std::move(shown)) {
    parse(file_content(file, shown_));
}

Document Document::from_text(std::string text, std::string shown) {
    Document document(std::move(shown));
    document.parse(std::move(text));
    return document;
}

void Document::parse(std::string text) {
    text = utf8_from_xml(std::move(text));
    lines_ = interfaces::text::Lines(text);
    const pugi::xml_parse_result result =
        document_.load_buffer(text.data(), text.size(), pugi::parse_default, pugi::encoding_utf8);
    if (!result)
        throw Error("malformed-xml", shown_ + ":" + std::to_string(lines_.line_of(result.offset)),
                    std::string("not well-formed XML: ") + result.description());
    if (!root()) throw Error("malformed-xml", shown_ + ":1", "not well-formed XML: no root element");
}

std::string Document::where(pugi::xml_node node) const {
    return shown_ + ":" + std::to_string(lines_.line_of(node.offset_debug()));
}

void Document::expect_root(Space space, std::string_view name) const {
    if (is(root(), space, name)) return;
    throw Error("wrong-root", where(root()),
                "the root element is '" + std::string(root().name()) + "' of namespace '" +
                    std::string(address_of(root())) + "', expected '" + std::string(name) + "' of namespace '" +
                    std::string(address_of(space)) + "'");
}

}  // namespace master::base
