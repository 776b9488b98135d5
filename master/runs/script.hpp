#pragma once

#include "master/base/log.hpp"
#include "master/base/time.hpp"
#include "master/core/system.hpp"
#include "master/core/tap.hpp"
#include "master/runs/scenario.hpp"

#include <memory>

namespace master::runs {

/// A scripted run: writes timed values into free inputs at communication points, for those that do not look ahead
/// (`core::DrivenInput`), and watches limits. A broken limit that
/// asks to stop ends the run with exit code 3; others are noted once each. The scenario's requests must be filled in.
/// A tunable parameter that its unit did not take as it was set is told once.
[[nodiscard]] std::unique_ptr<core::Tap> make_script(const Scenario& scenario, core::System& system, base::Log& log);

}  // namespace master::runs
