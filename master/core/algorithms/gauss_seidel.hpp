#pragma once

#include "master/core/algorithm.hpp"

namespace master::core::algorithms {

/// Units step one after the other; each sees the new values of those before it.
[[nodiscard]] std::unique_ptr<Algorithm> gauss_seidel(const AlgorithmOptions& options);

}  // namespace master::core::algorithms
