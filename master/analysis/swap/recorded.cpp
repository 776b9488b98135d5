#include "master/analysis/swap/recorded.hpp"

#include "master/base/error.hpp"
#include "master/core/value_text.hpp"
#include "master/runs/session.hpp"

#include <algorithm>
#include <cmath>

namespace master::analysis {
namespace {

class RecordTap final : public core::Tap {
public:
    RecordTap(const build::Simulation& simulation, const std::string& prefix, Recorded& recorded)
        : timebase_(simulation.timing.timebase), recorded_(recorded) {
        for (const results::Column& column : simulation.columns)
            if (column.name.starts_with(prefix) && column.signal.type == core::Type::real && !column.fixed)
                signals_.emplace_back(column.signal, &recorded_.values[column.name.substr(prefix.size())]);
    }
    void after_step(base::Time t, const core::Signals& signals) override {
        recorded_.time.push_back(timebase_.seconds(t));
        for (auto& [signal, values] : signals_) values->push_back(core::number(signal, signals));
    }

private:
    base::Timebase timebase_;
    Recorded& recorded_;
    std::vector<std::pair<core::SignalRef, Series*>> signals_;
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
    recorded.step = base::to_string(simulation.timing.step);
    const core::UnitInfo& info = *simulation.parts.components[index].info;
    for (const core::EffectiveValue& value : simulation.parts.plan.units[index].effective) {
        const core::Variable& variable = info.variables[value.variable];
        if (core::is_parameter(variable) && variable.type == core::Type::real && variable.size == 1 &&
            value.origin != "modelDescription")
            recorded.given.push_back(variable.name + "=" + core::value_text(value.value));
    }
    RecordTap tap(simulation, component + ".", recorded);
    std::vector<core::Tap*> taps{&tap};
    if (prepared.script) taps.push_back(prepared.script.get());
    const runs::Outcome outcome = runs::execute(simulation, taps, {.board = board});
    if (outcome.error) throw base::Error(*outcome.error);
    simulation.system->terminate();
    return recorded;
}

double excursion(const core::Variable& variable, const Series* seen) {
    double most = 0, size = 0;
    for (const double value : seen != nullptr ? *seen : Series{}) {
        if (std::fabs(value - seen->front()) > std::fabs(most)) most = value - seen->front();
        size = std::max(size, std::fabs(value));
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
