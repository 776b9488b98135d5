#pragma once

#include "interfaces/text/text.hpp"
#include "master/base/diagnostics.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <pugixml.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace master::base {

/// The namespaces that mean something here. Prefixes are free, so elements are told apart by these alone.
enum class Space : std::uint8_t { description, common, values, mapping, dictionary, ours, scenario, report, other };

[[nodiscard]] Space space_of(pugi::xml_node node);
[[nodiscard]] std::string_view local_name(pugi::xml_node node);
[[nodiscard]] bool is(pugi::xml_node node, Space space, std::string_view name);
[[nodiscard]] pugi::xml_node child(pugi::xml_node parent, Space space, std::string_view name);
[[nodiscard]] std::vector<pugi::xml_node> children(pugi::xml_node parent, Space space, std::string_view name);

/// A parsed XML file that knows the line of each element.
class Document {
public:
    /// Throws `Error` for a file that cannot be read or is no XML. `shown` stands in messages in place of the path.
    Document(const std::filesystem::path& file, std::string shown);
    [[nodiscard]] static Document from_text(const std::string& text, std::string shown);

    [[nodiscard]] pugi::xml_node root() const { return document_.document_element(); }
    [[nodiscard]] std::string where(pugi::xml_node node) const;
    [[nodiscard]] const std::string& shown() const { return shown_; }
    /// Throws unless the root is that element.
    void expect_root(Space space, std::string_view name) const;

private:
    explicit Document(std::string shown) : shown_(std::move(shown)) {}
    void parse(const std::string& text);

    std::string shown_;
    pugi::xml_document document_;
    interfaces::text::Lines lines_;
};

/// Numbers and lists as XML Schema writes them; nothing if the text is anything else.
[[nodiscard]] std::optional<double> parse_double(std::string_view text);
[[nodiscard]] std::optional<std::int64_t> parse_integer(std::string_view text);
[[nodiscard]] std::optional<std::uint64_t> parse_natural(std::string_view text);
[[nodiscard]] std::optional<bool> parse_boolean(std::string_view text);
[[nodiscard]] std::string_view trimmed(std::string_view text);
[[nodiscard]] std::vector<std::string_view> words(std::string_view text);

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
