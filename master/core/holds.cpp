#include "master/core/holds.hpp"

#include <algorithm>

namespace master::core {
namespace {

// Both ends have the same period, and the wire is linear (compensated ones are `EvenWire`s): the last difference spans
// one step. If the sender was stepped first, it lies inside the receiver's step and the same formula interpolates.
void hold_uniform(const HeldWire& wire, const double* outputs, double* inputs, double* slopes, double* previous) {
    const double to_begin = wire.sender_first ? -1.0 : 0.0;
    for (std::uint32_t i = 0; i < wire.count; ++i) {
        const double y = outputs[wire.from + i];
        const double difference = y - previous[i];
        previous[i] = y;
        inputs[wire.to + i] = wire.gain * (y + to_begin * difference) + wire.offset;
        slopes[wire.to + i] = wire.gain * difference * wire.per_second;
    }
}

void hold_sampled(HeldWire& wire, const HoldInterval& at, const double* outputs, double* inputs, double* slopes,
                  double* history) {
    double* base = history;
    double* candidate = history + wire.count;
    if (at.visible - wire.candidate >= wire.span) {
        std::copy_n(candidate, wire.count, base);
        std::copy_n(outputs + wire.from, wire.count, candidate);
        wire.base = wire.candidate;
        wire.candidate = at.visible;
    }
    const base::Duration distance = at.visible - wire.base;
    const bool known = distance >= wire.span && distance.ticks > 0;
    const bool linear = wire.hold == Hold::linear;
    const std::int64_t doubled_lead = 2 * (at.t - at.visible).ticks + (linear ? 0 : at.h.ticks);
    const double weight = known ? static_cast<double>(doubled_lead) / (2.0 * static_cast<double>(distance.ticks)) : 0.0;
    const double per_second =
        known ? wire.per_second * static_cast<double>(wire.span.ticks) / static_cast<double>(distance.ticks) : 0.0;
    for (std::uint32_t i = 0; i < wire.count; ++i) {
        const double y = outputs[wire.from + i];
        const double difference = y - base[i];
        inputs[wire.to + i] = wire.gain * (y + weight * difference) + wire.offset;
        if (linear) slopes[wire.to + i] = wire.gain * difference * per_second;
    }
}

}  // namespace

void hold(HeldWire& wire, const HoldInterval& interval, const double* outputs, double* inputs, double* slopes,
          double* history) {
    if (wire.uniform) {
        hold_uniform(wire, outputs, inputs, slopes, history + wire.history);
        return;
    }
    hold_sampled(wire, interval, outputs, inputs, slopes, history + wire.history);
}

void forget(HeldWire& wire, base::Time visible, const double* outputs, double* history) {
    double* samples = history + wire.history;
    std::copy_n(outputs + wire.from, wire.count, samples);
    if (wire.uniform) return;
    std::copy_n(outputs + wire.from, wire.count, samples + wire.count);
    wire.base = visible;
    wire.candidate = visible;
}

}  // namespace master::core
