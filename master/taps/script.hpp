#pragma once

#include "master/build.hpp"
#include "master/scenario.hpp"
#include "master/tap.hpp"

#include <memory>

namespace master::taps {

/// A scripted run: writes timed values into free inputs at communication points and watches limits. A broken limit that
/// asks to stop ends the run with exit code 3; others are noted once each.
[[nodiscard]] std::unique_ptr<Tap> make_script(const Scenario& scenario, const Simulation& simulation, Log& log);

}  // namespace master::taps
