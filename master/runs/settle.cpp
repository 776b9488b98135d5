#include "master/runs/settle.hpp"

#include "master/base/error.hpp"
#include "master/build/requests/locate.hpp"
#include "master/core/run.hpp"
#include "master/runs/interrupt.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace master::runs {
namespace {

constexpr int most_rounds = 8;
constexpr double close_enough = 1e-6;        // of an output that is to be at its start value; absolute below 1
constexpr double guess_close_enough = 1e-4;  // of the largest output whose start value is a guess

/// Remembers the largest value of every real output, and its value a tenth of the lead before the end.
class Restlessness final : public core::Tap {
public:
    explicit Restlessness(const build::Simulation& simulation)
        : timebase_(simulation.timing.timebase),
          end_(simulation.timing.start),
          look_(end_ - base::Duration{simulation.timing.lead.ticks / 10}),
          largest_(simulation.system->signals().outputs.reals.size(), 0),
          before_(largest_) {}

    void after_step(base::Time t, const core::Signals& signals) override {
        const auto& values = signals.outputs.reals;
        for (std::size_t i = 0; i < values.size(); ++i) largest_[i] = std::max(largest_[i], std::fabs(values[i]));
        if (t > look_) return;
        before_ = values;
        looked_ = t;
    }

    /// Per second, relative to the largest value on the way, or to a larger nominal one.
    [[nodiscard]] double change(std::size_t index, double now, double nominal) const {
        const double passed = timebase_.seconds(end_ - looked_);
        return std::fabs(now - before_[index]) / passed / std::max(largest_[index], nominal);
    }

private:
    base::Timebase timebase_;
    base::Time end_, look_, looked_;
    std::vector<double> largest_, before_;
};

/// The parameter that starts an output, and what it is to be there.
struct Wanted {
    std::string component, parameter;
    core::SignalRef output;
    bool guess = false;  // the output need not be anywhere: the parameter follows it
    double value = 0;    // of the output at the start of the run
    double parameter_now = 0;
};

double effective_number(const core::PlannedUnit& unit, std::uint32_t variable) {
    for (const core::EffectiveValue& value : unit.effective) {
        if (value.variable != variable) continue;
        if (const auto* reals = std::get_if<std::vector<double>>(&value.value)) return reals->front();
    }
    return std::numeric_limits<double>::quiet_NaN();
}

std::uint32_t require_variable(const core::UnitInfo& info, const std::string& name, const std::string& where) {
    std::vector<std::string> names;
    for (std::uint32_t v = 0; v < info.variables.size(); ++v) {
        if (info.variables[v].name == name && info.variables[v].type == core::Type::real) return v;
        names.push_back(info.variables[v].name);
    }
    throw base::Error("settle", where,
                      fmt::format("the unit has no real variable '{}'{}", name, base::did_you_mean(name, names)));
}

std::vector<Wanted> wanted_starts(build::Simulation& simulation) {
    std::vector<Wanted> result;
    const build::Parts& parts = simulation.parts;
    for (std::size_t i = 0; i < parts.components.size(); ++i) {
        const core::UnitInfo& info = *parts.components[i].info;
        for (const ssp::SettledStart& start : parts.description.components[i].settles) {
            const std::uint32_t output = require_variable(info, start.output, start.where);
            const std::uint32_t parameter = require_variable(info, start.parameter, start.where);
            const auto signal = build::output_signal(simulation.system->nodes()[i], output);
            const double value = effective_number(parts.plan.units[i], parameter);
            if (!signal || !std::isfinite(value)) continue;  // nobody looks at this output
            result.push_back({.component = parts.plan.units[i].name,
                              .parameter = start.parameter,
                              .output = *signal,
                              .guess = start.guess,
                              .value = value,
                              .parameter_now = value});
        }
    }
    return result;
}

/// How far outputs are from their start values, as a share.
struct Distance {
    std::size_t given = 0;  // how many are to be somewhere
    double farthest = 0;    // of them
    double moved = 0;       // guesses since the round before
    [[nodiscard]] bool close() const { return farthest <= close_enough && moved <= guess_close_enough; }
};

/// Corrects the parameters by what their outputs are at the start of the run.
Distance correct(std::vector<Wanted>& wanted, const core::Signals& signals) {
    Distance result;
    double largest = 1, moved = 0;
    for (Wanted& start : wanted) {
        const double now = core::number(start.output, signals);
        if (start.guess) {
            largest = std::max(largest, std::fabs(now));
            moved = std::max(moved, std::fabs(now - start.parameter_now));
            start.parameter_now = now;
            continue;
        }
        ++result.given;
        const double off = now - start.value;
        result.farthest = std::max(result.farthest, std::fabs(off) / std::max(1.0, std::fabs(start.value)));
        start.parameter_now -= off;
    }
    result.moved = moved / largest;
    return result;
}

}  // namespace

Rest run_lead(build::Simulation& simulation) {
    core::System& system = *simulation.system;
    Restlessness restlessness(simulation);
    std::array<core::Tap*, 1> taps{&restlessness};
    FastPacer pacer;
    core::run(system, *simulation.algorithm, taps, pacer, {.from = system.start(), .to = simulation.timing.start});
    Rest rest;
    for (const core::Node& node : system.nodes()) {
        for (const core::Layout::Slot& slot : node.outputs.slots) {
            if (slot.type != core::Type::real) continue;
            const core::Variable& variable = node.unit->info().variables[slot.variable];
            for (std::uint32_t e = 0; e < slot.count; ++e) {
                const std::uint32_t index = node.output_base[core::index_of(core::Type::real)] + slot.offset + e;
                const double now = system.signals().outputs.reals[index];
                const double change = restlessness.change(index, now, variable.nominal.value_or(1));
                if (change <= rest.change) continue;
                rest.change = change;
                rest.signal = node.name + "." + variable.name;
            }
        }
    }
    return rest;
}

build::Simulation settle(const MakeSimulation& make, base::Diagnostics& diagnostics) {
    std::vector<Wanted> wanted;
    std::vector<std::string> corrections;
    for (int round = 1;; ++round) {
        build::Simulation simulation = make(corrections);
        if (round == 1) wanted = wanted_starts(simulation);
        const Rest rest = run_lead(simulation);
        const Distance distance = correct(wanted, simulation.system->signals());
        corrections.clear();
        for (const Wanted& start : wanted)
            corrections.push_back(fmt::format("{}.{}={}", start.component, start.parameter, start.parameter_now));
        const bool close = distance.close();
        if (!close && round < most_rounds) continue;
        const double lead = simulation.timing.timebase.seconds(simulation.timing.start - simulation.system->start());
        const std::string text =
            fmt::format("settled for {} s before the start, in {} round{}{}", lead, round, round > 1 ? "s" : "",
                        distance.given == 0 ? std::string{}
                                            : fmt::format("; {} outputs are within {:.1g} of their start values",
                                                          distance.given, distance.farthest));
        if (!rest.at_rest()) {
            diagnostics.warn("settle", simulation.parts.description.name,
                             fmt::format("{}, but '{}' still changes by {:.2g} of its size per second; "
                                         "try a longer --settle=SECONDS",
                                         text, rest.signal, rest.change));
        } else if (!close) {
            diagnostics.warn("settle", simulation.parts.description.name, text + ", no closer");
        } else {
            diagnostics.note("settle", simulation.parts.description.name,
                             rest.signal.empty() ? text + "; nothing moves"
                                                 : fmt::format("{}; what moves most is '{}', by {:.1g} of its size "
                                                               "per second",
                                                               text, rest.signal, rest.change));
        }
        return simulation;
    }
}

}  // namespace master::runs
