#pragma once

#include "master/core/algorithm.hpp"

namespace master::core::algorithms {

/// All units step over the same interval from the same values: parallel, and the default.
[[nodiscard]] std::unique_ptr<Algorithm> jacobi(const AlgorithmOptions& options);

}  // namespace master::core::algorithms
