#include "master/runs/script.hpp"

#include "master/base/error.hpp"

#include <cmath>
#include <fmt/format.h>

namespace master::runs {
namespace {

void require_number(const build::SignalRequest& request, const char* refusal) {
    for (const build::LocatedSignal& signal : request.found) {
        if (core::is_number(signal.first.type) && signal.first.type != core::Type::clock) continue;
        throw base::Error("unknown-name", request.where,
                          fmt::format("'{}' is no number or boolean: {}", request.name, refusal));
    }
}

class Script final : public core::Tap {
public:
    Script(const Scenario& scenario, base::Timebase timebase, base::Log& log)
        : signals_(scenario.signals), log_(log), timebase_(timebase) {
        for (const ScenarioSignal& signal : signals_) require_number(signal.request, "a scenario cannot drive it");
        for (const ScenarioLimit& limit : scenario.limits) {
            require_number(limit.request, "a scenario cannot limit it");
            limits_.push_back({limit});
        }
    }

    void before_step(base::Time t, core::Lanes& free_inputs) override {
        const double now = timebase_.seconds(t);
        for (const ScenarioSignal& signal : signals_) {
            const double value = signal.value_at(now);
            if (std::isnan(value)) continue;
            for (const build::LocatedSignal& target : signal.request.found)
                build::set_number(target, value, free_inputs);
        }
    }

    void after_step(base::Time t, const core::Signals& signals) override {
        for (WatchedLimit& watched : limits_) {
            const ScenarioLimit& limit = watched.limit;
            const double value = build::number(*limit.request.signal(), signals);
            const bool inside = value >= limit.minimum.value_or(value) && value <= limit.maximum.value_or(value);
            if (!inside && !watched.warned) broken(watched, timebase_.seconds(t), value);
        }
    }

private:
    struct WatchedLimit {
        ScenarioLimit limit;
        bool warned = false;
    };

    void broken(WatchedLimit& watched, double t, double value) {
        const ScenarioLimit& limit = watched.limit;
        const std::string text = fmt::format("'{}' is {} at t = {}, outside [{}, {}]", limit.request.name, value, t,
                                             limit.minimum ? fmt::format("{}", *limit.minimum) : "-inf",
                                             limit.maximum ? fmt::format("{}", *limit.maximum) : "inf");
        if (limit.action == ScenarioLimit::Action::stop)
            throw base::Error("limit", limit.request.where, text, base::Exit::violated);
        watched.warned = true;
        log_.warning(limit.request.where, text);
    }

    std::vector<ScenarioSignal> signals_;
    std::vector<WatchedLimit> limits_;
    base::Log& log_;
    base::Timebase timebase_;
};

}  // namespace

std::unique_ptr<core::Tap> make_script(const Scenario& scenario, base::Timebase timebase, base::Log& log) {
    return std::make_unique<Script>(scenario, timebase, log);
}

}  // namespace master::runs
