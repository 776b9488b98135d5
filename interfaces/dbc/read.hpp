#pragma once

#include "interfaces/dbc/database.hpp"

#include <string>
#include <string_view>

namespace interfaces::dbc {

/// Larger files are refused before they are read.
inline constexpr std::size_t largest_file = std::size_t{64} << 20;

/// The text of a DBC file, in UTF-8 or else in Windows code page 1252. Messages call the file `shown`. Environment
/// variables, signal groups and relations between nodes and signals say nothing about frames and are passed over.
[[nodiscard]] Database read(std::string_view text, const std::string& shown);

/// Throws `Error`.
[[nodiscard]] Database read_file(const std::string& path);

/// A text in Windows code page 1252 as UTF-8.
[[nodiscard]] std::string utf8_of_cp1252(std::string_view text);

[[nodiscard]] bool is_utf8(std::string_view text);

}  // namespace interfaces::dbc
