#pragma once

#include "master/base/archive.hpp"
#include "master/base/time.hpp"
#include "master/core/physical_unit.hpp"
#include "master/core/plan.hpp"
#include "master/core/unit.hpp"
#include "master/ssp/connectors.hpp"
#include "master/ssp/contract.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace master::ssp {

/// At most one per connection or mapping entry. Linear: target = factor * source + offset, after unit conversion.
struct Transformation {
    enum class Form : std::uint8_t { none, linear, boolean, integer, enumeration };
    Form form = Form::none;
    double factor = 1, offset = 0;
    std::vector<std::pair<std::string, std::string>> table;  // source and target as written
    std::string where;
};

/// One connection on the way from a sender to a receiver.
struct Hop {
    Transformation transformation;
    std::optional<core::PhysicalUnit>
        unit;  // of the nested connector that is reached; nothing = the value keeps its unit
    bool suppress_unit_conversion = false;
    std::string where;
    std::string type = {};       // of that connector, where it declares one
    std::string connector = {};  // its name, and
    std::string declared = {};   // where it stands
};

/// A value for a variable of a component, or for what a system's connector leads to.
struct Parameter {
    std::string name;
    std::string type;  // as written: Real, Float64, ..., Enumeration (then `value` holds item names)
    core::Value value;
    std::optional<core::PhysicalUnit> unit;
    std::vector<Hop> hops;               // mapping and connections on the way to the variable, first to last
    std::vector<std::uint64_t> indices;  // one element of an array, counted from 1; empty = all of it
    bool mapped = false;                 // a parameter mapping named this target
    std::size_t connections = 0;         // passed on the way from the connector it was given to
    std::string through;                 // that connector; empty = given to the component itself
    std::string where;
};

/// What our annotation asks of a component's process.
struct Isolation {
    std::string mode;  // empty = in this process
    std::optional<double> timeout;
};

/// A parameter that sets where an output starts.
struct SettledStart {
    std::string output, parameter;
    bool guess = false;  // the parameter takes the value that the output has at rest
    std::string where;
};

/// What stands behind a component.
enum class ComponentKind : std::uint8_t { fmu, table, interface_only };

struct Component {
    std::string name;  // path below the root system, dots between levels
    ComponentKind kind = ComponentKind::fmu;
    std::filesystem::path source;
    std::string shown;           // what messages call the source, which may lie in an unpacked archive
    std::string implementation;  // any, CoSimulation, ModelExchange, ScheduledExecution
    Connectors connectors;
    std::vector<Parameter> parameters;  // in increasing precedence
    std::optional<base::Fraction> step;
    std::string step_origin;
    Isolation isolation;
    std::vector<SettledStart> settles;
    std::optional<UnitRequirements> requirements = {};
    std::string where;
};

/// What kind of connector a component's variable would be; `unspecified` where there is none.
using KindOf = std::function<Kind(const Component& component, const std::string& variable)>;

/// One end of a flattened connection.
struct Terminal {
    static constexpr std::uint32_t boundary = 0xffffffffU;
    std::uint32_t component = boundary;
    std::string connector;
    std::vector<std::uint64_t> indices;  // counted from 1; empty = the whole connector
};

/// A connection between two components, or a component and the root's boundary, through any number of nested systems.
struct Connection {
    Terminal from, to;
    bool oriented = true;  // false: no declared kind tells the direction, the causalities of the variables decide
    std::vector<Hop> hops;
    core::Hold hold = core::Hold::automatic;
    std::string bond, role;  // power bond: effort or flow
    std::string where;
};

/// A system with nothing nested left in it. Owns the unpacked archives its sources point into.
struct Description {
    std::string name;
    std::filesystem::path file;  // the .ssp, .ssd or .fmu that was read
    std::string version;
    std::vector<Component> components;
    std::vector<Connector> boundary;  // connectors of the root system
    std::vector<Connection> connections;
    std::vector<core::PhysicalUnit> units;
    std::vector<core::Enumeration> enumerations;
    std::string start, stop;  // as written, empty if absent
    std::string experiment_where;
    std::string algorithm, algorithm_where;
    std::vector<std::string> order;  // component names
    std::string order_where;
    std::optional<base::Fraction> step;
    std::string step_origin;
    std::optional<double> tolerance;
    /// Parameter sets and mappings in files of their own: where they lie and what messages call them.
    std::vector<std::pair<std::filesystem::path, std::string>> parameter_files;
    std::vector<base::Archive> archives;
};

}  // namespace master::ssp
