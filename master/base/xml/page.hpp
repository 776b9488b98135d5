#pragma once

#include "master/base/diagnostics.hpp"
#include "master/base/xml/document.hpp"

#include <initializer_list>
#include <set>
#include <string>

namespace master::base {

/// One file being read and where remarks about it go. Each kind of ignored thing is reported at its first place only.
class Page {
public:
    Page(const Document& document, Diagnostics& diagnostics);

    [[nodiscard]] std::string where(pugi::xml_node node) const { return document_.where(node); }
    [[nodiscard]] Diagnostics& diagnostics() const { return diagnostics_; }
    [[nodiscard]] const Document& document() const { return document_; }

    void error(std::string code, pugi::xml_node node, std::string text) const;
    void note(std::string code, pugi::xml_node node, std::string text) const;
    void ignored(pugi::xml_node node, const std::string& what, const std::string& text);

    /// Reports attributes that are not in `known`, apart from those that never change behaviour.
    void check_attributes(pugi::xml_node node, std::initializer_list<std::string_view> known);
    /// Reports a child element that nobody reads, apart from those that never change behaviour.
    void unknown_child(pugi::xml_node node);

    /// An attribute that must be there; reports and returns an empty text otherwise.
    [[nodiscard]] std::string required(pugi::xml_node node, const char* attribute) const;
    [[nodiscard]] double number(pugi::xml_node node, const char* attribute, double otherwise) const;
    [[nodiscard]] bool flag(pugi::xml_node node, const char* attribute, bool otherwise) const;

private:
    const Document& document_;
    Diagnostics& diagnostics_;
    std::set<std::string> reported_;
};

}  // namespace master::base
