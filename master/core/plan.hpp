#pragma once

#include "master/base/time.hpp"
#include "master/core/unit.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace master::core {

/// What a receiver sees between two updates of its sender.
enum class Hold : std::uint8_t { automatic, constant, compensated, linear };

/// A variable of a unit, or of the system's own boundary when `unit` is `boundary`.
struct Endpoint {
    static constexpr std::uint32_t boundary = 0xffffffffU;
    std::uint32_t unit = 0;
    std::uint32_t variable = 0;
    std::uint32_t element = 0;  // first flattened element
};

/// A connection with every name resolved and every check done: `count` elements from one output to one input.
struct PlannedWire {
    Endpoint from, to;
    std::uint32_t count = 1;
    double gain = 1, offset = 0;                               // value of the receiver = gain * value + offset
    std::vector<std::pair<std::int64_t, std::int64_t>> table;  // boolean, integer, enumeration mapping; empty = none
    Hold hold = Hold::automatic;
    enum class Role : std::uint8_t { none, effort, flow };
    std::string bond;  // name of the power bond that it is one half of, or empty
    Role role = Role::none;
    std::string label;  // "a.x -> b.u"
    std::string where;  // file:line
};

/// A free input of a unit that a signal drives which is known ahead of the run.
struct DrivenInput {
    Endpoint to;
    ForeseenSignal signal;
    std::string name;   // as whoever drives it calls it
    std::string where;  // file:line
};

/// The origin of values that nobody gave.
inline constexpr const char* from_description = "modelDescription";

/// A parameter's or start value's final say, for run.json.
struct EffectiveValue {
    std::uint32_t variable = 0;
    Value value;
    std::string origin;  // "modelDescription", file:line of the parameter set, "--set"
};

struct PlannedUnit {
    std::string name;  // path of the component, dots between levels
    Values structural;
    Values start;
    std::vector<EffectiveValue> effective;
    std::optional<base::Fraction> step;  // its own rate; the system's step otherwise
    std::string step_origin;
};

/// A free input of the system (no wire drives it), or a connector of its boundary. A connector that leads to several
/// variables has one port for each, with the same name.
struct BoundaryPort {
    std::string name;
    Endpoint inner;
    bool input = true;
    std::uint32_t count = 1;      // elements from `inner` on
    double gain = 1, offset = 0;  // inner = gain * outer + offset for an input, outer = gain * inner + offset else
};

/// A power bond: an effort from one unit and a flow from the other, whose product is the power between them.
struct PlannedBond {
    std::string name;
    std::uint32_t effort = 0, flow = 0;  // wires
};

/// Everything a `System` is built from once units and names are known.
struct Plan {
    std::string name;
    std::vector<PlannedUnit> units;  // same order as the instantiated units
    std::vector<PlannedWire> wires;
    std::vector<PlannedBond> bonds;
    std::vector<BoundaryPort> boundary;
    std::string algorithm;             // a name in algorithms/registry.cpp; empty = default
    std::vector<std::uint32_t> order;  // of units for sequential algorithms; empty = automatic
    std::vector<std::pair<std::uint32_t, std::uint32_t>> before;  // units that come before others in an automatic order
    std::optional<double> tolerance;
};

}  // namespace master::core
