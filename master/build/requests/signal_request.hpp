#pragma once

#include "master/core/signal_ref.hpp"
#include "master/core/unit.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace master::build {

/// Where a signal lies that somebody asked for: one value, or a whole array from `first` on.
struct LocatedSignal {
    core::SignalRef first;
    std::vector<std::uint64_t> dimensions;     // of an array; empty: one value
    double gain = 1, offset = 0;               // what is written or read = gain * value + offset
    std::string name = {};                     // component.variable
    std::uint32_t unit = 0;                    // the component
    const core::Variable* variable = nullptr;  // of the simulation's parts
    core::Value values = {};                   // of the request, as the variable takes them

    [[nodiscard]] std::size_t size() const;
};

/// The number that whoever asked for the signal sees, `element` places after the first; NaN for what is no number.
[[nodiscard]] double number(const LocatedSignal& signal, const core::Signals& signals, std::uint32_t element = 0);

/// Writes a number, rounded or made true or false where that is what the signal takes; what is no number stays as it
/// is.
void set_number(const LocatedSignal& signal, double value, core::Lanes& inputs);
/// True where the signal's type has that number, rounded where it has whole ones only, and a double says it exactly.
[[nodiscard]] bool takes_number(const LocatedSignal& signal, double value);

/// A value as a file spells it.
struct GivenValue {
    std::string text;
    std::string where;  // file:line
};

/// A wish to write a signal or to look at one, by name. Whoever has it keeps it; `make_simulation` fills it in.
struct SignalRequest {
    enum class Use : std::uint8_t {
        drive,    // a connector of the boundary, a free input or a tunable parameter; an unknown name is an error
        watch,    // a connector of the boundary or any variable; an unknown name is an error
        observe,  // any variable, an array as a whole or NAME[i] of it; an unknown name stays without an answer
        match,    // all variables but parameters whose names match the pattern, arrays as a whole; none is an error
    };
    Use use = Use::observe;
    std::string name;
    std::string where = {};                 // file:line of the wish
    core::ForeseenSignal drive = {};        // what a driven signal is driven with, where that is known ahead
    std::vector<LocatedSignal> found = {};  // several where a driven connector leads to several variables, or by match
    std::vector<GivenValue> values = {};    // of `drive` as written: a double does not hold every whole number
    bool linear = false;                    // what is driven goes straight from value to value

    /// The one signal that is watched or observed, or null.
    [[nodiscard]] const LocatedSignal* signal() const { return found.empty() ? nullptr : &found.front(); }
};

/// Looked at during the call that is given them only.
using SignalRequests = std::span<SignalRequest* const>;

}  // namespace master::build
