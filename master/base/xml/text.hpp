#pragma once

#include "interfaces/text/text.hpp"

#include <filesystem>
#include <pugixml.hpp>
#include <string>
#include <string_view>

namespace master::base {

/// An XML document together with the line on which each of its elements stands.
class XmlText {
public:
    /// Throws `Error` with file:line when `text` is not well-formed; `name` stands in messages.
    XmlText(std::string_view text, std::string name);

    [[nodiscard]] pugi::xml_node root() const { return document_.document_element(); }
    [[nodiscard]] const std::string& name() const { return name_; }
    /// "file:line"
    [[nodiscard]] std::string where(pugi::xml_node node) const;

private:
    pugi::xml_document document_;
    std::string name_;
    interfaces::text::Lines lines_;
};

/// The whole content of a file; throws `Error` when it cannot be read.
[[nodiscard]] std::string file_content(const std::filesystem::path& file);

}  // namespace master::base
