#pragma once

#include <charconv>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace fmus {

/// Writes XML text: elements open and close, attributes follow an opening.
class XmlWriter {
public:
    XmlWriter() : text_("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n") {}

    XmlWriter& open(std::string_view name);
    XmlWriter& close();
    /// Text, number or truth value; numbers in the shortest form that reads back the same.
    template <class T>
    XmlWriter& attribute(std::string_view name, const T& value) {
        if constexpr (std::is_same_v<T, bool>) {
            return write_attribute(name, value ? "true" : "false");
        } else if constexpr (std::is_arithmetic_v<T>) {
            return write_attribute(name, number(value));
        } else {
            return write_attribute(name, value);
        }
    }
    /// Only where there is something to say.
    XmlWriter& optional_attribute(std::string_view name, std::string_view value) {
        return value.empty() ? *this : write_attribute(name, value);
    }
    /// Only where it is not the standard's default.
    XmlWriter& flag(std::string_view name, bool value) { return value ? write_attribute(name, "true") : *this; }
    [[nodiscard]] const std::string& text() const { return text_; }

    template <class T>
    [[nodiscard]] static std::string number(T value) {
        char buffer[64];
        const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
        return {buffer, end};
    }

private:
    XmlWriter& write_attribute(std::string_view name, std::string_view value);

    std::string text_;
    std::vector<std::string> open_;
    bool has_content_ = true;  // the element opened last is written up to its '>'
};

}  // namespace fmus
