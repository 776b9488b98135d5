#include "master/analysis/swap/recorded.hpp"

#include "master/base/error.hpp"
#include "master/core/setup/feedthrough_map.hpp"
#include "master/core/value_text.hpp"
#include "master/runs/session.hpp"

#include <algorithm>
#include <cmath>

namespace master::analysis {
namespace {

class RecordTap final : public core::Tap {
public:
    RecordTap(const build::Simulation& simulation, const core::Node& node, Recorded& recorded)
        : timebase_(simulation.timing.timebase), node_(node), recorded_(recorded) {
        const std::string prefix = node.name + ".";
        for (const results::Column& column : simulation.columns)
            if (column.name.starts_with(prefix) && column.signal.type == core::Type::real && !column.fixed)
                signals_.emplace_back(column.signal, &recorded_.values[column.name.substr(prefix.size())]);
    }
    void after_step(base::Time t, const core::Signals& signals) override {
        if (node_.visible != t) return;  // a step of the unit is under way
        recorded_.time.push_back(timebase_.seconds(t));
        for (auto& [signal, values] : signals_) values->push_back(core::number(signal, signals));
    }

private:
    base::Timebase timebase_;
    const core::Node& node_;
    Recorded& recorded_;
    std::vector<std::pair<core::SignalRef, Series*>> signals_;
};

/// Tells of a unit's inputs what is recorded of them.
class InputSamples {
public:
    InputSamples(core::System& system, std::uint32_t unit) : system_(system), node_(system.nodes()[unit]), unit_(unit) {
        const core::FeedthroughMap feedthrough(system.nodes(), system.plan());
        const auto reaches = [&](const core::PlannedWire& wire) {
            return wire.to.unit == unit && feedthrough.reaches_output(wire);
        };
        // Outputs that can be computed again at a point are, and so the inputs are those of the point.
        refreshed_ = node_.unit->info().can.refreshes_outputs &&
                     (std::ranges::any_of(system.plan().wires, reaches) ||
                      std::ranges::any_of(system.options().driven,
                                          [&](const core::DrivenInput& driven) { return reaches({.to = driven.to}); }));
    }

    [[nodiscard]] InputSample of(std::uint32_t input) const {
        if (refreshed_) return InputSample::at_end;
        const core::Plan& plan = system_.plan();
        for (std::size_t w = 0; w < plan.wires.size(); ++w)
            if (plan.wires[w].to.unit == unit_ && plan.wires[w].to.variable == input)
                return system_.couplings()[w].hold == core::Hold::linear ? InputSample::at_begin : InputSample::during;
        // What knows its future is followed inside the step by units that can.
        const bool followed = std::ranges::any_of(system_.options().driven, [&](const core::DrivenInput& driven) {
            return driven.to.unit == unit_ && driven.to.variable == input && node_.unit->can_follow(input);
        });
        return followed ? InputSample::at_begin : InputSample::during;
    }

private:
    core::System& system_;
    const core::Node& node_;
    std::uint32_t unit_;
    bool refreshed_ = false;
};

}  // namespace

Recorded record_component(const runs::RunRequest& request, const std::string& component, base::ArchiveCache& archives,
                          base::Diagnostics& diagnostics, base::Log& log, runs::Board* board) {
    runs::RunRequest run = request;
    run.build.archives = &archives;
    run.build.record = {component + ".*"};
    runs::Prepared prepared = runs::prepare(run, diagnostics, log);
    build::Simulation& simulation = prepared.simulation;
    Recorded recorded;
    const auto& components = simulation.parts.description.components;
    const auto found = std::ranges::find(components, component, &ssp::Component::name);
    if (found == components.end() || found->kind != ssp::ComponentKind::fmu)
        throw base::Error("unknown-name", component, "is no component with an FMU");
    const auto index = static_cast<std::size_t>(found - components.begin());
    recorded.old_fmu = found->source;
    recorded.step = base::to_string(simulation.timing.timebase.fraction(simulation.timing.periods[index]));
    const core::UnitInfo& info = *simulation.parts.components[index].info;
    for (const core::EffectiveValue& value : simulation.parts.plan.units[index].effective) {
        const core::Variable& variable = info.variables[value.variable];
        if (core::is_parameter(variable) && variable.type == core::Type::real && variable.size == 1 &&
            !value.origin.starts_with(core::from_description))
            recorded.given.push_back(variable.name + "=" + core::value_text(value.value));
    }
    const core::Node& node = simulation.system->nodes()[index];
    const InputSamples samples(*simulation.system, static_cast<std::uint32_t>(index));
    for (std::uint32_t i = 0; i < info.variables.size(); ++i)
        if (info.variables[i].causality == core::Causality::input)
            recorded.samples[info.variables[i].name] = samples.of(i);
    RecordTap tap(simulation, node, recorded);
    std::vector<core::Tap*> taps{&tap};
    if (prepared.script) taps.push_back(prepared.script.get());
    const runs::Outcome outcome = runs::execute(simulation, taps, {.board = board});
    if (outcome.error) throw base::Error(*outcome.error);
    simulation.system->terminate();
    return recorded;
}

double excursion(const core::Variable& variable, const Series* seen) {
    double most = 0, size = 0;
    if (seen != nullptr) {
        for (const double value : *seen) {
            if (std::fabs(value - seen->front()) > std::fabs(most)) most = value - seen->front();
            size = std::max(size, std::fabs(value));
        }
    }
    if (most != 0) return most;
    if (size != 0) return 0.1 * size;
    return variable.maximum && variable.minimum ? 0.1 * (*variable.maximum - *variable.minimum) : 1;
}

double start_value(const core::Variable& variable) {
    const auto* values = variable.start ? std::get_if<std::vector<double>>(&*variable.start) : nullptr;
    return values != nullptr && !values->empty() ? values->front() : 0;
}

}  // namespace master::analysis
