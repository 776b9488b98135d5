#include "master/runs/script.hpp"

#include "master/base/error.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <optional>
#include <type_traits>
#include <variant>

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
    Script(const Scenario& scenario, core::System& system, base::Log& log)
        : signals_(scenario.signals), system_(system), log_(log), timebase_(system.timebase()) {
        for (const ScenarioSignal& signal : signals_) {
            require_number(signal.request, "a scenario cannot drive it");
            if (signal.hold != ScenarioSignal::Hold::constant) continue;  // a ramp is another value at every point
            for (const build::LocatedSignal& target : signal.request.found)
                if (core::is_parameter(*target.variable)) tuned_.push_back({&signal, &target});
        }
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
        for (Tuned& tuned : tuned_) {
            const double value = tuned.signal->value_at(now);
            tuned.is_new |= !tuned.warned && !std::isnan(value) && value != tuned.value;
            tuned.value = value;
        }
    }

    void after_step(base::Time t, const core::Signals& signals) override {
        for (WatchedLimit& watched : limits_) {
            const ScenarioLimit& limit = watched.limit;
            const double value = build::number(*limit.request.signal(), signals);
            const bool inside = value >= limit.minimum.value_or(value) && value <= limit.maximum.value_or(value);
            if (!inside && !watched.warned) broken(watched, timebase_.seconds(t), value);
        }
        for (Tuned& tuned : tuned_) {
            if (!tuned.is_new || t <= system_.start()) continue;  // the unit gets it with its next step
            tuned.is_new = false;
            read_back(tuned, signals);
        }
    }

private:
    struct WatchedLimit {
        ScenarioLimit limit;
        bool warned = false;
    };

    /// A parameter that is set at points of the run.
    struct Tuned {
        const ScenarioSignal* signal = nullptr;
        const build::LocatedSignal* target = nullptr;
        double value = std::numeric_limits<double>::quiet_NaN();  // that was set last
        bool is_new = false, warned = false;
    };

    void read_back(Tuned& tuned, const core::Signals& signals) {
        const core::Node& node = system_.nodes()[tuned.target->unit];
        const core::SignalRef& place = tuned.target->first;
        const std::uint32_t offset = place.index - node.input_base[core::index_of(place.type)];
        const auto slot = std::ranges::find_if(node.inputs.slots, [&](const core::Layout::Slot& each) {
            return each.type == place.type && each.offset <= offset && offset < each.offset + each.count;
        });
        if (slot == node.inputs.slots.end()) return;
        const std::optional<core::Value> found = node.unit->value_of(slot->variable);
        if (!found) return;
        const std::size_t element = offset - slot->offset;
        const double given = core::number(place, signals);
        const double kept = std::visit(
            [&](const auto& values) {
                using Element = typename std::decay_t<decltype(values)>::value_type;
                if constexpr (std::is_arithmetic_v<Element>) return static_cast<double>(values[element]);
                return given;
            },
            *found);
        const bool single = tuned.target->variable->declared_type == "Float32";
        if (single ? static_cast<float>(kept) == static_cast<float>(given) : kept == given) return;
        tuned.warned = true;
        log_.warning(tuned.signal->request.where,
                     fmt::format("'{}' was set to {}, but the unit keeps {}", tuned.target->name, given, kept));
    }

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
    std::vector<Tuned> tuned_;
    core::System& system_;
    base::Log& log_;
    base::Timebase timebase_;
};

}  // namespace

std::unique_ptr<core::Tap> make_script(const Scenario& scenario, core::System& system, base::Log& log) {
    return std::make_unique<Script>(scenario, system, log);
}

}  // namespace master::runs
