#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace master::base {

/// `*` is any run of characters, `?` any one; everything else stands for itself (brackets are array indices).
[[nodiscard]] bool matches(std::string_view pattern, std::string_view name);

/// Indices of the names that at least one pattern matches, in the order of `names`. The single pattern `none` selects
/// nothing; a pattern without a match is an error that names the closest candidate.
[[nodiscard]] std::vector<std::size_t> select(std::span<const std::string> names,
                                              std::span<const std::string> patterns);

}  // namespace master::base
