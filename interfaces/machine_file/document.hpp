#pragma once

#include "interfaces/machine_file/error.hpp"
#include "interfaces/machine_file/machine.hpp"
#include "interfaces/text/suggestion.hpp"
#include "interfaces/text/text.hpp"

#include <initializer_list>
#include <optional>
#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace interfaces::machine_file {

using interfaces::text::suggestion;

/// An XML text that knows its lines, and hands out checked values.
class Document {
public:
    Document(std::string_view text, std::string shown);

    [[nodiscard]] pugi::xml_node root() const { return document_.document_element(); }
    [[nodiscard]] std::string where(pugi::xml_node node) const;
    [[noreturn]] void fail(pugi::xml_node node, const std::string& text) const;

    [[nodiscard]] pugi::xml_node child(pugi::xml_node node, const char* name) const;  // fails if it is missing
    [[nodiscard]] std::string text(pugi::xml_node node, const char* attribute) const;
    [[nodiscard]] double number(pugi::xml_node node, const char* attribute) const;
    [[nodiscard]] std::optional<double> optional_number(pugi::xml_node node, const char* attribute) const;
    [[nodiscard]] double positive(pugi::xml_node node, const char* attribute) const;
    [[nodiscard]] Vector vector(pugi::xml_node node, const char* attribute) const;
    [[nodiscard]] Vector positive_vector(pugi::xml_node node, const char* attribute) const;
    /// The pose in the child <origin>; none is the identity.
    [[nodiscard]] Origin origin(pugi::xml_node node) const;
    /// Fails for an attribute that is not one of these: a misspelt one would silently be its default.
    void only(pugi::xml_node node, std::initializer_list<const char*> attributes) const;

private:
    [[nodiscard]] std::vector<double> numbers(pugi::xml_node node, const char* attribute, std::size_t count) const;

    interfaces::text::Lines lines_;
    std::string shown_;
    pugi::xml_document document_;
};

}  // namespace interfaces::machine_file
