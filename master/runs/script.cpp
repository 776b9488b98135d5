#include "master/runs/script.hpp"

#include "master/base/error.hpp"
#include "master/base/xml/values.hpp"
#include "master/results/table.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>
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

/// What a signal of one type may be: everything from `low` to `high`, nothing where `low` is above.
template <class Number>
struct Range {
    Number low = std::numeric_limits<Number>::lowest();
    Number high = std::numeric_limits<Number>::max();
    [[nodiscard]] bool contains(Number value) const { return value >= low && value <= high; }
};
using AnyRange = std::variant<Range<double>, Range<std::int64_t>, Range<std::uint64_t>>;

/// The largest whole number of the type that is not above a bound; none where all are.
template <class Whole>
std::optional<Whole> at_most(double bound, const std::string& text) {
    const auto clamped = [](auto whole) -> std::optional<Whole> {
        if (std::cmp_less(whole, std::numeric_limits<Whole>::min())) return std::nullopt;
        if (std::cmp_greater(whole, std::numeric_limits<Whole>::max())) return std::numeric_limits<Whole>::max();
        return static_cast<Whole>(whole);
    };
    if (const auto natural = base::parse_natural(text)) return clamped(*natural);
    if (const auto integer = base::parse_integer(text)) return clamped(*integer);
    const double floor = std::floor(bound);
    // Both are exact doubles: the smallest value, and one more than the largest.
    if (floor < static_cast<double>(std::numeric_limits<Whole>::min())) return std::nullopt;
    if (floor >= std::ldexp(1.0, std::numeric_limits<Whole>::digits)) return std::numeric_limits<Whole>::max();
    return static_cast<Whole>(floor);
}

/// The same from below.
template <class Whole>
std::optional<Whole> at_least(double bound, const std::string& text) {
    const bool whole = base::parse_natural(text) || base::parse_integer(text);
    const std::optional<Whole> below = at_most<Whole>(std::ceil(bound), text);
    if (!below) return std::numeric_limits<Whole>::min();
    const bool beyond = !whole && std::ceil(bound) >= std::ldexp(1.0, std::numeric_limits<Whole>::digits);
    const bool beyond_text = whole && std::is_signed_v<Whole> && !base::parse_integer(text);
    if (beyond || beyond_text) return std::nullopt;
    return below;
}

template <class Whole>
Range<Whole> range_of(const ScenarioLimit& limit) {
    constexpr Range<Whole> nothing{.low = 1, .high = 0};
    Range<Whole> range;
    if (limit.minimum) {
        const std::optional<Whole> low = at_least<Whole>(*limit.minimum, limit.minimum_text);
        if (!low) return nothing;
        range.low = *low;
    }
    if (limit.maximum) {
        const std::optional<Whole> high = at_most<Whole>(*limit.maximum, limit.maximum_text);
        if (!high) return nothing;
        range.high = *high;
    }
    return range;
}

/// A whole number that is looked at as it is, is compared as one: doubles are too coarse above 2^53.
AnyRange allowed(const ScenarioLimit& limit) {
    const build::LocatedSignal& signal = *limit.request.signal();
    const bool plain = signal.gain == 1 && signal.offset == 0;
    if (plain && signal.first.type == core::Type::integer) return range_of<std::int64_t>(limit);
    if (plain && signal.first.type == core::Type::natural) return range_of<std::uint64_t>(limit);
    constexpr double infinite = std::numeric_limits<double>::infinity();
    return Range<double>{.low = limit.minimum.value_or(-infinite), .high = limit.maximum.value_or(infinite)};
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
            limits_.push_back({limit, allowed(limit)});
        }
    }

    void before_step(base::Time t, core::Lanes& free_inputs) override {
        const double now = timebase_.seconds(t);
        for (const ScenarioSignal& signal : signals_) {
            if (now < signal.times.front()) continue;
            const results::TablePosition position = results::locate(signal.times, now, core::Side::after);
            for (const build::LocatedSignal& target : signal.request.found)
                write(target, position, signal.hold, free_inputs);
        }
        for (Tuned& tuned : tuned_) {
            if (now < tuned.signal->times.front()) continue;
            const std::size_t held = results::locate(tuned.signal->times, now, core::Side::after).held;
            tuned.is_new |= !tuned.warned && tuned.held != held;
            tuned.held = held;
        }
    }

    void after_step(base::Time t, const core::Signals& signals) override {
        for (WatchedLimit& watched : limits_) {
            if (watched.warned) continue;
            const build::LocatedSignal& signal = *watched.limit.request.signal();
            const core::Lanes& lanes = signal.first.lanes(signals);
            if (const auto* integers = std::get_if<Range<std::int64_t>>(&watched.allowed))
                look(watched, *integers, lanes.integers[signal.first.index], t);
            else if (const auto* naturals = std::get_if<Range<std::uint64_t>>(&watched.allowed))
                look(watched, *naturals, lanes.naturals[signal.first.index], t);
            else
                look(watched, std::get<Range<double>>(watched.allowed), build::number(signal, signals), t);
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
        AnyRange allowed;
        bool warned = false;
    };

    /// A parameter that is set at points of the run.
    struct Tuned {
        const ScenarioSignal* signal = nullptr;
        const build::LocatedSignal* target = nullptr;
        std::optional<std::size_t> held = {};  // which of its values was set last
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

    static void write(const build::LocatedSignal& target, const results::TablePosition& position,
                      ScenarioSignal::Hold hold, core::Lanes& free_inputs) {
        core::with_lane(target.first.type, free_inputs, [&]<class Element>(std::vector<Element>& lane) {
            if constexpr (std::is_same_v<Element, double>) {
                const auto& values = std::get<std::vector<double>>(target.values);
                lane[target.first.index] = hold == ScenarioSignal::Hold::constant
                                               ? values[position.held]
                                               : results::interpolate(values, position);
            } else if constexpr (std::is_integral_v<Element>) {
                lane[target.first.index] = std::get<std::vector<Element>>(target.values)[position.held];
            }
        });
    }

    template <class Number>
    void look(WatchedLimit& watched, const Range<Number>& range, Number value, base::Time t) {
        if (!range.contains(value)) [[unlikely]]
            broken(watched, timebase_.seconds(t), fmt::format("{}", value));
    }

    void broken(WatchedLimit& watched, double t, const std::string& value) {
        const ScenarioLimit& limit = watched.limit;
        const std::string text =
            fmt::format("'{}' is {} at t = {}, outside [{}, {}]", limit.request.name, value, t,
                        limit.minimum ? limit.minimum_text : "-inf", limit.maximum ? limit.maximum_text : "inf");
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
