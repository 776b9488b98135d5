#pragma once

#include "master/analysis/linear/linearization.hpp"
#include "master/base/diagnostics.hpp"
#include "master/base/log.hpp"
#include "master/runs/board.hpp"

namespace master::analysis {

/// Runs the system to the time and looks at it there.
[[nodiscard]] Linearization linearize(const LinearRequest& request, base::Diagnostics& diagnostics, base::Log& log,
                                      runs::Board* board = nullptr);

}  // namespace master::analysis
