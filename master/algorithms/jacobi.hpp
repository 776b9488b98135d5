#pragma once

#include "master/algorithm.hpp"

namespace master::algorithms {

/// All units step over the same interval from the same values: parallel, and the default.
[[nodiscard]] std::unique_ptr<Algorithm> jacobi(const AlgorithmOptions& options);

}  // namespace master::algorithms
