#pragma once

#include "master/base/time.hpp"
#include "master/core/plan.hpp"
#include "master/core/signals.hpp"
#include "master/core/step_interval.hpp"
#include "master/core/unit.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace master::core {

/// A part of a table, by its ends: a loop over it begins without arithmetic.
template <typename T>
struct Slice {
    T* first = nullptr;
    T* last = nullptr;
    [[nodiscard]] T* begin() const { return first; }
    [[nodiscard]] T* end() const { return last; }
};

/// One real of a compensated wire between units of the same period, the usual case: what the receiver sees is
/// gain * (y + weight * (y - previous)) + offset.
struct CompensatedWire {
    double gain = 1, offset = 0;
    double weight = 0.5;  // -0.5 if the sender was stepped first: the mean of old and new
    double previous = 0;
    std::uint32_t from = 0, to = 0;
    std::uint32_t sender = 0;  // node
};

/// Every other wire between reals. `constant` passes the last value on. `linear` starts at the value expected at the
/// beginning of the receiver's step and adds a slope; both ends have the same period, and only the last value is
/// remembered. `sampled` is a compensated or linear hold between different periods, or beside the grid: samples at
/// least one (longer) period apart are remembered, so that a difference is never stretched. `foreseen` asks a source
/// that knows its future for its mean over the step; `followed` leaves all but the beginning of the step to a receiver
/// that asks the source itself.
struct RealWire {
    enum class Kind : std::uint8_t { constant, linear, sampled, foreseen, followed };
    Kind kind = Kind::constant;
    bool slope = false;         // the receiver gets a slope beside the value
    bool sender_first = false;  // the sender has been stepped to the end of the receiver's step already
    std::uint32_t from = 0, to = 0, count = 1;
    std::uint32_t sender = 0;   // node
    std::uint32_t history = 0;  // first of the remembered values: `count` when linear, 2 * `count` when sampled
    double gain = 1, offset = 0;
    const base::Time* visible = nullptr;   // the time that the sender's outputs belong to
    base::Duration span;                   // the longer of the two periods
    base::Time base, candidate;            // times of the remembered samples
    double per_second = 0;                 // 1 / span in seconds
    const Foresight* foresight = nullptr;  // of the source
    std::uint32_t variable = 0;            // of the source, for its foresight
};

/// A wire of another type, or between types.
struct TypedWire {
    Type from_type = Type::integer, to_type = Type::integer;
    std::uint32_t from = 0, to = 0, count = 1;
    double gain = 1, offset = 0;
    std::vector<std::pair<std::int64_t, std::int64_t>> table;
    std::string label;  // for messages
};

/// A receiver's wires of the rarer kinds, as ranges of the tables.
struct OtherWires {
    std::uint32_t first_real = 0, last_real = 0;
    std::uint32_t first_typed = 0, last_typed = 0;
    std::uint32_t first_single = 0, last_single = 0;
    [[nodiscard]] bool empty() const {
        return first_real == last_real && first_typed == last_typed && first_single == last_single;
    }
};

/// All wires of a system, sorted by receiver, and what they remember: decides what a receiver sees of its senders'
/// outputs. Works on the system's signals, in which an input belongs to at most one wire.
class Wiring {
public:
    Wiring(Signals& signals, base::Timebase timebase) : signals_(signals), timebase_(timebase) {}

    /// What receivers see over their next step, and the wires remember what was sent.
    void hold(Slice<CompensatedWire> wires);
    void hold(const OtherWires& wires, const StepInterval& step);
    /// The same for all receivers of a system in which everybody shares the step.
    void hold_all(const StepInterval& step);

    /// Values as they are now, without hold or slope, for the elements `first` to `first + count` of a lane; used at
    /// rest (initialisation, events, refresh). `t` is the time of receivers that look ahead.
    struct Elements {
        Type type = Type::real;
        std::uint32_t first = 0, count = 0;
    };
    void gather(Slice<CompensatedWire> usual, const OtherWires& others, const Elements& elements, base::Time t);

    /// Outputs of a node jumped: the next hold of its wires is constant at the present value.
    void forget(std::uint32_t sender);
    void forget_all();

    /// A real that a wire remembers from step to step.
    struct Memory {
        double* value = nullptr;
        std::uint32_t from = 0;  // the output that it was
    };
    /// All of them, for those who look at the coupling from outside.
    [[nodiscard]] std::vector<Memory> memory();

    /// Beside the inputs' reals; null when no wire has a slope.
    [[nodiscard]] double* slopes() { return slopes_.empty() ? nullptr : slopes_.data(); }

private:
    friend class WiringBuilder;

    void hold(RealWire& wire, const StepInterval& step);
    void hold_linear(const RealWire& wire);
    void hold_sampled(RealWire& wire, const StepInterval& step);
    void hold_foreseen(const RealWire& wire, const StepInterval& step);
    void begin_followed(const RealWire& wire, const StepInterval& step);
    void pass(const RealWire& wire);
    void carry(const TypedWire& wire, double now);
    /// What is shown of a Float32 input is what its unit gets. What it cannot hold stays: the unit refuses it by name.
    void narrow(std::uint32_t input) {
        double& value = signals_.inputs.reals[input];
        if (std::abs(value) <= std::numeric_limits<float>::max()) value = static_cast<float>(value);
    }
    void carry_bytes(const TypedWire& wire);
    template <typename Jumped>
    void forget_if(Jumped jumped);

    Signals& signals_;
    base::Timebase timebase_;
    std::vector<CompensatedWire> usual_;
    std::vector<RealWire> real_;
    std::vector<TypedWire> typed_;
    std::vector<std::uint32_t> singles_;  // real inputs that their receivers take in single precision
    std::vector<double> slopes_;
    std::vector<double> history_;
    std::vector<ByteString> bytes_;  // beside the inputs' bytes: what a receiver sees stays while its sender steps
};

inline void Wiring::hold(Slice<CompensatedWire> wires) {
    const double* outputs = signals_.outputs.reals.data();
    double* inputs = signals_.inputs.reals.data();
    for (CompensatedWire& wire : wires) {
        const double y = outputs[wire.from];
        const double difference = y - wire.previous;
        wire.previous = y;
        inputs[wire.to] = wire.gain * (y + wire.weight * difference) + wire.offset;
    }
}

inline void Wiring::hold_all(const StepInterval& step) {
    hold(Slice<CompensatedWire>{usual_.data(), usual_.data() + usual_.size()});
    for (RealWire& wire : real_) hold(wire, step);
    for (const TypedWire& wire : typed_) carry(wire, step.now);
    for (const std::uint32_t input : singles_) narrow(input);
}

}  // namespace master::core
