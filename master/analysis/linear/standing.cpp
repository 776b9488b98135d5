#include "master/analysis/linear/standing.hpp"

#include "master/base/error.hpp"
#include "master/runs/session.hpp"

#include <fmt/format.h>

namespace master::analysis {
namespace {

void require_real(const build::SignalRequest& request) {
    for (const build::LocatedSignal& signal : request.found) {
        if (signal.first.type == core::Type::real && signal.size() == 1) continue;
        throw base::Error("linearize", request.where,
                          fmt::format("'{}' is {} ({}); expected one real number", request.name,
                                      signal.size() == 1 ? "no real" : "an array", signal.variable->declared_type));
    }
}

/// Where all units meet: whole hyperperiods from the start.
base::Time point_at(const std::string& text, const build::Timing& timing) {
    if (text.empty()) return timing.start;
    const auto fraction = base::exact_fraction(text);
    const auto since_zero = fraction ? timing.timebase.exactly(*fraction) : std::nullopt;
    const base::Time at =
        since_zero ? base::Time{since_zero->ticks} : timing.timebase.nearest(fraction ? fraction->value() : 0);
    const std::int64_t ticks = (at - timing.start).ticks, period = timing.hyperperiod.ticks;
    if (!fraction || ticks < 0)
        throw base::Error("linearize", "--at",
                          fmt::format("'{}' is no time of the run; expected one from its start at {} s on", text,
                                      timing.timebase.seconds(timing.start)));
    if (since_zero && ticks % period == 0) return at;
    const auto exact = [&](std::int64_t periods) {
        return base::to_string(timing.timebase.fraction(base::Duration{timing.start.ticks + periods * period}));
    };
    throw base::Error("linearize", "--at",
                      fmt::format("at {} s not all units are at a communication point; the nearest times at which they "
                                  "are: {} s and {} s",
                                  text, exact(ticks / period), exact(ticks / period + 1)));
}

}  // namespace

Standing stand(const LinearRequest& request, const std::string& stop, base::Diagnostics& diagnostics, base::Log& log) {
    Standing result;
    using Use = build::SignalRequest::Use;
    result.input = {.use = Use::drive, .name = request.input, .where = "--input"};
    result.output = {.use = Use::watch, .name = request.output, .where = "--output"};
    runs::RunRequest run{.build = request.build};
    const auto at = base::exact_fraction(request.at);
    if (!stop.empty()) {
        run.build.stop = stop;
    } else if (at && at->value() > 0) {
        run.build.stop = request.at;
    }
    if (!request.scenario.empty()) {
        result.scenario = std::make_unique<runs::Scenario>(runs::read_scenario(request.scenario, diagnostics));
        diagnostics.throw_if_errors();
        run.scenario = result.scenario.get();
    }
    if (request.broken.empty() && !request.modes_only()) run.requests = {&result.input, &result.output};
    result.prepared = runs::prepare(run, diagnostics, log);
    require_real(result.input);
    require_real(result.output);
    result.at = point_at(request.at, result.simulation().timing);
    return result;
}

void run_to(Standing& standing, base::Time end, core::Tap* tap, runs::Board* board) {
    build::Simulation& simulation = standing.simulation();
    if (end <= simulation.timing.start) return;
    simulation.timing.stop = end;
    std::vector<core::Tap*> taps;
    if (standing.prepared.script) taps.push_back(standing.prepared.script.get());
    if (tap != nullptr) taps.push_back(tap);
    const runs::Outcome outcome = runs::execute(simulation, taps, {.board = board});
    if (outcome.error) throw base::Error(*outcome.error);
    if (outcome.exit == base::Exit::interrupted)
        throw base::Error("interrupted", "", "stopped by Ctrl-C", base::Exit::interrupted);
    if (outcome.reached < end)
        throw base::Error("linearize", simulation.parts.description.name,
                          fmt::format("the run ended at {} s{}; expected it to reach {} s",
                                      simulation.timing.timebase.seconds(outcome.reached),
                                      outcome.ended_by.empty() ? "" : ", by " + outcome.ended_by,
                                      simulation.timing.timebase.seconds(end)),
                          base::Exit::failed);
}

double driven_value(const build::LocatedSignal& signal, const core::Signals& signals) {
    const double inner = signals.inputs.reals[signal.first.index];
    return signal.gain != 0 ? (inner - signal.offset) / signal.gain : inner;
}

}  // namespace master::analysis
