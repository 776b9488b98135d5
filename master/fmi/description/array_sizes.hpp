#pragma once

#include "master/fmi/description/model_description.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace master::fmi {

/// How many elements a value has.
[[nodiscard]] std::size_t count_of(const core::Value& value);

/// Computes the extents of every array and the count of event indicators; returns what is wrong with the first array
/// that has none.
struct SizeProblem {
    std::uint32_t variable = 0;
    std::string text;
};
[[nodiscard]] std::optional<SizeProblem> apply_sizes(ModelDescription& description, const core::Values& structural);

/// Recomputes `dimensions` and `size` of every array from the structural parameters' values (start values, overridden
/// by `structural`).
void resize_arrays(ModelDescription& description, const core::Values& structural);

}  // namespace master::fmi
