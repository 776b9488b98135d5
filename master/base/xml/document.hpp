#pragma once

#include "interfaces/text/text.hpp"
#include "master/base/xml/spaces.hpp"

#include <filesystem>
#include <pugixml.hpp>
#include <string>
#include <string_view>

namespace master::base {

/// A parsed XML file that knows the line of each element.
class Document {
public:
    /// Throws `Error` for a file that cannot be read or is no XML. `shown` stands in messages in place of the path.
    Document(const std::filesystem::path& file, std::string shown);
    [[nodiscard]] static Document from_text(std::string text, std::string shown);

    [[nodiscard]] pugi::xml_node root() const { return document_.document_element(); }
    [[nodiscard]] std::string where(pugi::xml_node node) const;
    [[nodiscard]] const std::string& shown() const { return shown_; }
    /// Throws unless the root is that element.
    void expect_root(Space space, std::string_view name) const;

private:
    explicit Document(std::string shown) : shown_(std::move(shown)) {}
    void parse(std::string text);

    std::string shown_;
    pugi::xml_document document_;
    interfaces::text::Lines lines_;
};

/// The whole content of a file; throws `Error` when it cannot be read. `shown` stands in messages in place of the path.
[[nodiscard]] std::string file_content(const std::filesystem::path& file, const std::string& shown);

}  // namespace master::base
