#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace master::base {

/// A JSON value; objects keep the order of their members. Only sources that look inside include nlohmann/json.hpp,
/// which takes long to compile.
using Json = nlohmann::ordered_json;

/// Indented by two spaces; ends with a newline. Numbers that JSON cannot express are written as the texts nan, inf and
/// -inf, and bytes that are no UTF-8 as replacement characters.
[[nodiscard]] std::string json_text(Json value);
/// A JSON string literal with its quotes.
[[nodiscard]] std::string json_quoted(std::string_view text);

/// Reads JSON (RFC 8259); `Error` with name:line:column for anything else.
[[nodiscard]] Json parse_json(std::string_view text, const std::string& name);
[[nodiscard]] Json read_json(const std::filesystem::path& file);

}  // namespace master::base
