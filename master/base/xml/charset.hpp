#pragma once

#include <string>
#include <string_view>

namespace master::base {

/// The text of an XML file as UTF-8: by its byte-order mark, else by the encoding that its declaration names. What does
/// not belong to that encoding becomes the replacement character; an encoding that nobody knows is taken for UTF-8.
[[nodiscard]] std::string utf8_from_xml(std::string text);

}  // namespace master::base
