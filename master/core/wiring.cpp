#include "master/core/wiring.hpp"

#include "master/base/error.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <span>
#include <type_traits>
#include <utility>

namespace master::core {
namespace {

/// The number at a place of a lane, for conversions between types; texts and bytes are not connected to numbers.
template <typename Number>
Number number_at(const Lanes& lanes, Type type, std::uint32_t index) {
    return with_lane(type, lanes, [&](const auto& lane) -> Number {
        using Element = typename std::decay_t<decltype(lane)>::value_type;
        if constexpr (std::is_same_v<Element, double> && std::is_same_v<Number, std::int64_t>) {
            return std::llround(lane[index]);
        } else if constexpr (std::is_arithmetic_v<Element>) {
            return static_cast<Number>(lane[index]);
        } else {
            return 0;
        }
    });
}

[[noreturn, gnu::cold]] void refuse(const TypedWire& wire, const std::string& value, double now) {
    throw base::Error(
        "range", fmt::format("{} at t = {}", wire.label, now),
        fmt::format("value {} does not fit {}", value,
                    wire.to_type == Type::natural ? "an unsigned integer" : "a signed integer of 64 bits"),
        base::Exit::failed);
}

// A mapping that does not list a value passes it on unchanged.
std::int64_t mapped(const TypedWire& wire, std::int64_t value) {
    for (const auto& [from, to] : wire.table) {
        if (from == value) return to;
    }
    return value;
}

void convert(const TypedWire& wire, const Lanes& from, Lanes& to, double now) {
    for (std::uint32_t i = 0; i < wire.count; ++i) {
        const std::uint32_t source = wire.from + i;
        const std::uint32_t target = wire.to + i;
        if (wire.to_type == Type::real) {
            const double value =
                wire.table.empty()
                    ? number_at<double>(from, wire.from_type, source)
                    : static_cast<double>(mapped(wire, number_at<std::int64_t>(from, wire.from_type, source)));
            to.reals[target] = wire.gain * value + wire.offset;
            continue;
        }
        const std::int64_t read = number_at<std::int64_t>(from, wire.from_type, source);
        const bool is_beyond_signed = wire.from_type == Type::natural && read < 0;  // and in no table
        std::int64_t value = is_beyond_signed ? read : mapped(wire, read);
        if (is_beyond_signed && wire.to_type == Type::integer) [[unlikely]]
            refuse(wire, std::to_string(from.naturals[source]), now);
        if (wire.gain != 1 || wire.offset != 0) {
            value = std::llround(wire.gain * static_cast<double>(value) + wire.offset);
        }
        if (value < 0 && !is_beyond_signed && wire.to_type == Type::natural) [[unlikely]]
            refuse(wire, std::to_string(value), now);
        with_lane(wire.to_type, to, [&](auto& lane) {
            using Element = typename std::decay_t<decltype(lane)>::value_type;
            if constexpr (std::is_same_v<Element, std::uint8_t>) {
                lane[target] = value != 0 ? 1 : 0;
            } else if constexpr (std::is_integral_v<Element>) {
                lane[target] = static_cast<Element>(value);
            }
        });
    }
}

/// The mean of a foreseen signal, which is straight from corner to corner.
double mean_over(const RealWire& wire, double begin, double end) {
    const Foresight& source = *wire.foresight;
    double area = 0;
    for (double from = begin; from < end;) {
        const double to = std::min(source.next_corner(wire.variable, from), end);
        area += (to - from) *
                (source.value_at(wire.variable, from, Side::after) + source.value_at(wire.variable, to, Side::before)) /
                2;
        from = to;
    }
    return area / (end - begin);
}

}  // namespace

void Wiring::hold(const OtherWires& wires, const StepInterval& step) {
    for (std::uint32_t w = wires.first_real; w < wires.last_real; ++w) hold(real_[w], step);
    for (std::uint32_t w = wires.first_typed; w < wires.last_typed; ++w) carry(typed_[w], step.now);
    for (std::uint32_t s = wires.first_single; s < wires.last_single; ++s) narrow(singles_[s]);
}

void Wiring::hold(RealWire& wire, const StepInterval& step) {
    switch (wire.kind) {
        case RealWire::Kind::constant:
            return pass(wire);
        case RealWire::Kind::linear:
            return hold_linear(wire);
        case RealWire::Kind::sampled:
            return hold_sampled(wire, step);
        case RealWire::Kind::foreseen:
            return hold_foreseen(wire, step);
        case RealWire::Kind::followed:
            return begin_followed(wire, step);
    }
}

void Wiring::pass(const RealWire& wire) {
    const double* outputs = signals_.outputs.reals.data() + wire.from;
    double* inputs = signals_.inputs.reals.data() + wire.to;
    if (wire.count > 1 && wire.gain == 1 && wire.offset == 0) {
        std::copy_n(outputs, wire.count, inputs);
        return;
    }
    for (std::uint32_t i = 0; i < wire.count; ++i) inputs[i] = wire.gain * outputs[i] + wire.offset;
}

// The last difference spans one step. If the sender was stepped first, it lies inside the receiver's step and the same
// formula interpolates.
void Wiring::hold_linear(const RealWire& wire) {
    const double* outputs = signals_.outputs.reals.data() + wire.from;
    double* previous = history_.data() + wire.history;
    const double to_begin = wire.sender_first ? -1.0 : 0.0;
    for (std::uint32_t i = 0; i < wire.count; ++i) {
        const double y = outputs[i];
        const double difference = y - previous[i];
        previous[i] = y;
        signals_.inputs.reals[wire.to + i] = wire.gain * (y + to_begin * difference) + wire.offset;
        slopes_[wire.to + i] = wire.gain * difference * wire.per_second;
    }
}

void Wiring::hold_sampled(RealWire& wire, const StepInterval& step) {
    const double* outputs = signals_.outputs.reals.data() + wire.from;
    double* base = history_.data() + wire.history;
    double* candidate = base + wire.count;
    const base::Time visible = *wire.visible;
    if (visible - wire.candidate >= wire.span) {
        std::copy_n(candidate, wire.count, base);
        std::copy_n(outputs, wire.count, candidate);
        wire.base = wire.candidate;
        wire.candidate = visible;
    }
    const base::Duration distance = visible - wire.base;
    const bool known = distance >= wire.span && distance.ticks > 0;
    const std::int64_t doubled_lead =
        2 * (step.begin - visible).ticks + (wire.slope ? 0 : (step.end - step.begin).ticks);
    const double weight = known ? static_cast<double>(doubled_lead) / (2.0 * static_cast<double>(distance.ticks)) : 0.0;
    const double per_second =
        known ? wire.per_second * static_cast<double>(wire.span.ticks) / static_cast<double>(distance.ticks) : 0.0;
    for (std::uint32_t i = 0; i < wire.count; ++i) {
        const double y = outputs[i];
        const double difference = y - base[i];
        signals_.inputs.reals[wire.to + i] = wire.gain * (y + weight * difference) + wire.offset;
        if (wire.slope) slopes_[wire.to + i] = wire.gain * difference * per_second;
    }
}

void Wiring::hold_foreseen(const RealWire& wire, const StepInterval& step) {
    const double end = timebase_.seconds(step.end);
    const double first = wire.foresight->value_at(wire.variable, step.now, Side::after);
    const double last = wire.foresight->value_at(wire.variable, end, Side::before);
    if (std::isnan(first)) return;  // nothing drives the input yet
    double begin = first;
    double mean = (first + last) / 2;
    if (wire.foresight->next_corner(wire.variable, step.now) < end) {
        mean = mean_over(wire, step.now, end);
        begin = mean - (last - first) / 2;
    }
    signals_.inputs.reals[wire.to] = wire.gain * (wire.slope ? begin : mean) + wire.offset;
    if (wire.slope) slopes_[wire.to] = wire.gain * (last - first) / (end - step.now);
}

void Wiring::begin_followed(const RealWire& wire, const StepInterval& step) {
    const double first = wire.foresight->value_at(wire.variable, step.now, Side::after);
    if (!std::isnan(first)) signals_.inputs.reals[wire.to] = wire.gain * first + wire.offset;
}

void Wiring::carry(const TypedWire& wire, double now) {
    const bool plain = wire.from_type == wire.to_type && wire.table.empty() && wire.gain == 1 && wire.offset == 0;
    if (!plain) {
        convert(wire, signals_.outputs, signals_.inputs, now);
        return;
    }
    if (wire.from_type == Type::clock) return;  // clocks tick in event iterations only
    if (wire.from_type == Type::bytes) return carry_bytes(wire);
    visit_lane(wire.from_type, [&](auto lane) {
        std::copy_n(lane(signals_.outputs).begin() + wire.from, wire.count, lane(signals_.inputs).begin() + wire.to);
    });
}

void Wiring::carry_bytes(const TypedWire& wire) {
    for (std::uint32_t i = 0; i < wire.count; ++i) {
        const Bytes sent = signals_.outputs.bytes[wire.from + i];
        ByteString& own = bytes_[wire.to + i];
        own.assign(sent.data, sent.data + sent.size);
        signals_.inputs.bytes[wire.to + i] = {own.data(), own.size()};
    }
}

void Wiring::gather(Slice<CompensatedWire> usual, const OtherWires& others, const Elements& elements, base::Time t) {
    const std::uint32_t end = elements.first + elements.count;
    if (elements.type == Type::real) {
        const auto* first =
            std::ranges::lower_bound(usual.begin(), usual.end(), elements.first, {}, &CompensatedWire::to);
        for (; first != usual.end() && first->to < end; ++first) {
            const CompensatedWire& wire = *first;
            signals_.inputs.reals[wire.to] = wire.gain * signals_.outputs.reals[wire.from] + wire.offset;
        }
        const std::span real(real_.data() + others.first_real, real_.data() + others.last_real);
        for (auto at = std::ranges::lower_bound(real, elements.first, {}, &RealWire::to);
             at != real.end() && at->to < end; ++at) {
            const RealWire& wire = *at;
            for (std::uint32_t i = 0; i < wire.count; ++i) {
                const double y = wire.foresight == nullptr
                                     ? signals_.outputs.reals[wire.from + i]
                                     : wire.foresight->value_at(wire.variable, timebase_.seconds(t), Side::after);
                const bool driven = wire.foresight == nullptr || !std::isnan(y);
                if (driven) signals_.inputs.reals[wire.to + i] = wire.gain * y + wire.offset;
                if (!slopes_.empty()) slopes_[wire.to + i] = 0;
            }
        }
    }
    const std::span typed(typed_.data() + others.first_typed, typed_.data() + others.last_typed);
    const auto place = [](const TypedWire& wire) { return std::pair(wire.to_type, wire.to); };
    for (auto at = std::ranges::lower_bound(typed, std::pair(elements.type, elements.first), {}, place);
         at != typed.end() && place(*at) < std::pair(elements.type, end); ++at)
        carry(*at, timebase_.seconds(t));
    if (elements.type != Type::real) return;
    const std::span singles(singles_.data() + others.first_single, singles_.data() + others.last_single);
    for (auto at = std::ranges::lower_bound(singles, elements.first); at != singles.end() && *at < end; ++at)
        narrow(*at);
}

void Wiring::forget(std::uint32_t sender) {
    forget_if([sender](std::uint32_t node) { return node == sender; });
}

void Wiring::forget_all() {
    forget_if([](std::uint32_t) { return true; });
}

std::vector<Wiring::Memory> Wiring::memory() {
    std::vector<Memory> all;
    all.reserve(usual_.size());
    for (CompensatedWire& wire : usual_) all.push_back({&wire.previous, wire.from});
    for (const RealWire& wire : real_) {
        const bool sampled = wire.kind == RealWire::Kind::sampled;
        if (!sampled && wire.kind != RealWire::Kind::linear) continue;
        for (std::uint32_t i = 0; i < (sampled ? 2 : 1) * wire.count; ++i)
            all.push_back({&history_[wire.history + i], wire.from + i % wire.count});
    }
    return all;
}

template <typename Jumped>
void Wiring::forget_if(Jumped jumped) {
    const double* outputs = signals_.outputs.reals.data();
    for (CompensatedWire& wire : usual_) {
        if (jumped(wire.sender)) wire.previous = outputs[wire.from];
    }
    for (RealWire& wire : real_) {
        const bool sampled = wire.kind == RealWire::Kind::sampled;
        if (!jumped(wire.sender) || (!sampled && wire.kind != RealWire::Kind::linear)) continue;
        double* samples = history_.data() + wire.history;
        std::copy_n(outputs + wire.from, wire.count, samples);
        if (!sampled) continue;
        std::copy_n(outputs + wire.from, wire.count, samples + wire.count);
        wire.base = wire.candidate = *wire.visible;
    }
}

}  // namespace master::core
