#include "master/runs/script.hpp"

#include "master/base/error.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace master::runs {
namespace {

void write(const core::Handle& handle, double value, core::Lanes& inputs) {
    const double converted = handle.gain * value + handle.offset;
    switch (handle.type) {
        case core::Type::real:
            inputs.reals[handle.index] = converted;
            break;
        case core::Type::integer:
            inputs.integers[handle.index] = std::llround(converted);
            break;
        case core::Type::natural:
            inputs.naturals[handle.index] = static_cast<std::uint64_t>(std::llround(converted));
            break;
        case core::Type::boolean:
            inputs.booleans[handle.index] = converted != 0 ? 1 : 0;
            break;
        default:
            break;
    }
}

class Script final : public core::Tap {
public:
    Script(const Scenario& scenario, const build::Simulation& simulation, base::Log& log)
        : scenario_(scenario),
          log_(log),
          timebase_(simulation.timing.timebase),
          limits_(simulation.watched),
          warned_(scenario.limits.size(), false) {
        for (const core::Handle& handle : simulation.driven) {
            const auto signal = std::ranges::find(scenario_.signals, handle.name, &ScenarioSignal::name);
            if (handle.type == core::Type::string || handle.type == core::Type::bytes ||
                handle.type == core::Type::clock) {
                throw base::Error("scenario", signal->where,
                                  fmt::format("'{}' is no number or boolean: a scenario cannot drive it", handle.name));
            }
            driven_.push_back({handle, static_cast<std::size_t>(signal - scenario_.signals.begin())});
        }
    }

    void before_step(base::Time t, core::Lanes& free_inputs) override {
        const double now = timebase_.seconds(t);
        for (const Driven& driven : driven_) {
            if (const auto value = scenario_.signals[driven.signal].value_at(now)) {
                write(driven.handle, *value, free_inputs);
            }
        }
    }

    void after_step(base::Time t, const core::Signals& signals) override {
        for (std::size_t i = 0; i < limits_.size(); ++i) {
            const ScenarioLimit& limit = scenario_.limits[i];
            const double value = core::value_at(limits_[i], signals);
            const bool inside = value >= limit.minimum.value_or(value) && value <= limit.maximum.value_or(value);
            if (!inside && !warned_[i]) broken(i, timebase_.seconds(t), value);
        }
    }

private:
    struct Driven {
        core::Handle handle;
        std::size_t signal = 0;
    };

    void broken(std::size_t index, double t, double value) {
        const ScenarioLimit& limit = scenario_.limits[index];
        const std::string text = fmt::format("'{}' is {} at t = {}, outside [{}, {}]", limit.name, value, t,
                                             limit.minimum ? fmt::format("{}", *limit.minimum) : "-inf",
                                             limit.maximum ? fmt::format("{}", *limit.maximum) : "inf");
        if (limit.action == ScenarioLimit::Action::stop)
            throw base::Error("limit", limit.where, text, base::Exit::violated);
        warned_[index] = true;
        log_.warning(limit.where, text);
    }

    Scenario scenario_;
    base::Log& log_;
    base::Timebase timebase_;
    std::vector<Driven> driven_;
    std::vector<core::Handle> limits_;
    std::vector<bool> warned_;
};

}  // namespace

std::unique_ptr<core::Tap> make_script(const Scenario& scenario, const build::Simulation& simulation, base::Log& log) {
    return std::make_unique<Script>(scenario, simulation, log);
}

}  // namespace master::runs
