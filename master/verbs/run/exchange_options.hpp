#pragma once

#include "master/build/options.hpp"
#include "master/runs/taps/exchange.hpp"

namespace CLI {
class App;
}

namespace master::verbs {

/// Options of `run` about other programs: topics, recordings of points.
void add_exchange_options(CLI::App& verb, runs::ExchangeOptions& options);
/// And about an operator at a station.
void add_teleoperation_options(CLI::App& verb, build::BuildOptions& options);

/// Refuses what comes from outside in a run that is not held to the clock.
void require_paced(const runs::ExchangeOptions& options, bool paced, bool repeat);

}  // namespace master::verbs
