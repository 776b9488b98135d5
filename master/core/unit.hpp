#pragma once

#include "master/base/time.hpp"
#include "master/core/physical_unit.hpp"
#include "master/core/signals.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace master::core {

enum class Causality : std::uint8_t {
    structural_parameter,
    parameter,
    calculated_parameter,
    input,
    output,
    local,
    independent
};
enum class Variability : std::uint8_t { constant, fixed, tunable, discrete, continuous };
enum class Initial : std::uint8_t { none, exact, approx, calculated };

/// A value of any type outside the step loop, flattened if it is an array. Booleans and clocks are 0 or 1.
using Value = std::variant<std::vector<double>, std::vector<std::int64_t>, std::vector<std::uint64_t>,
                           std::vector<std::uint8_t>, std::vector<ByteString>, std::vector<std::string>>;

/// When an FMI 3 time-based clock ticks.
enum class ClockKind : std::uint8_t { none, constant, fixed, calculated, tunable, changing, countdown, triggered };

/// Of one string or binary value, in bytes: a unit that gives more ends the run.
inline constexpr std::size_t largest_value = std::size_t{1} << 30U;

/// One variable of a unit, as its model description has it.
struct Variable {
    std::string name;
    std::string declared_type;  // as the file spells it: Float64, Int32, Real, Enumeration, ...
    Type type = Type::real;
    Causality causality = Causality::local;
    Variability variability = Variability::continuous;
    Initial initial = Initial::none;
    std::vector<std::uint64_t> dimensions;  // empty = scalar; current values where structural parameters set them
    std::size_t size = 1;                   // product of the dimensions
    std::string unit;                       // a name in UnitInfo::units, or free text
    std::string display_unit;               // the unit that people want to see it in; empty = its own
    bool relative_quantity = false;
    std::string enumeration;  // name of the type definition, for enumerations
    std::string description;
    std::optional<double> minimum, maximum, nominal;
    std::optional<Value> start;
    std::vector<std::uint32_t> clocks;  // variables of type clock that this one belongs to
    ClockKind clock_kind = ClockKind::none;
    std::optional<base::Fraction> clock_interval, clock_shift;  // where the description states them
    bool clock_fraction = false;       // supportsFraction: its interval can be asked for exactly
    bool intermediate_update = false;  // may be set inside a step (FMI 3)
    bool can_set_during_run = false;   // an input or a tunable parameter
    std::string mime_type;
    std::size_t max_bytes = 0;             // 0 = not stated
    std::uint32_t alias_of = no_alias;     // FMI 2: first variable with the same reference
    std::vector<std::string> alias_names;  // FMI 3: alias names

    static constexpr std::uint32_t no_alias = 0xffffffffU;
};

/// A clock that ticks by itself, when its interval says so (FMI 3.0.2, 2.2.8.1); its causality is input, but other
/// units' clocks may be wired to it as to an output (SSP 2.0).
[[nodiscard]] inline bool is_time_based(const Variable& variable) {
    return variable.type == Type::clock && variable.causality == Causality::input &&
           variable.clock_kind != ClockKind::triggered && variable.clock_kind != ClockKind::none;
}

[[nodiscard]] inline bool is_parameter(const Variable& variable) {
    return variable.causality == Causality::parameter || variable.causality == Causality::structural_parameter;
}

/// What one unknown of the model structure depends on; no list means "on everything".
struct Unknown {
    std::uint32_t variable = 0;
    std::optional<std::vector<std::uint32_t>> dependencies;
};

struct Enumeration {
    std::string name;
    std::vector<std::pair<std::string, std::int64_t>> items;
};

struct Experiment {
    std::optional<double> start, stop, tolerance;
    std::string step;  // as written, empty if absent
};

struct Capabilities {
    bool refreshes_outputs = false;  // outputs may be read after a write without a step (model exchange, test units)
    bool variable_step = false;      // canHandleVariableCommunicationStepSize
    bool save_state = false;         // can save and restore
    bool serialize_state = false;
    bool interpolates_inputs = false;  // uses ConstBlock::slopes inside its step (per variable: see `takes_slope`)
    bool output_derivatives = false;
    bool directional_derivatives = false;
    bool event_mode = false;  // `events()` is not null
    bool once_per_process = false;
    bool needs_execution_tool = false;
};

/// What is known of a participant before it is instantiated, apart from sizes that structural parameters change.
struct UnitInfo {
    std::string model_name;
    std::string fmi_version;  // "2.0", "3.0", or "" for units that are no FMU
    std::string interface;    // "co-simulation", "model exchange", "table", ...
    std::string generation_tool;
    std::string token;  // GUID or instantiation token
    std::vector<Variable> variables;
    std::vector<Unknown> outputs;           // of the ModelStructure
    std::vector<Unknown> initial_unknowns;  // of the ModelStructure
    bool has_model_structure = true;
    std::vector<PhysicalUnit> units;
    std::vector<Enumeration> enumerations;
    Experiment experiment;
    std::string fixed_internal_step;  // as written; a step must be a multiple
    Capabilities can;
};

/// What a unit did in a run that is no error; its user was told when it happened.
struct UnitWarning {
    std::string code, text;
};

/// Which variables a run exchanges with a unit, in the order of its slices (see `layout`).
struct Ports {
    std::vector<std::uint32_t> inputs;   // settable: inputs and tunable parameters
    std::vector<std::uint32_t> outputs;  // readable: outputs, and whatever is recorded
};

/// A clock group of a unit: 0 is everything unclocked, k > 0 the variables that share the k-th distinct set of clocks;
/// they may be exchanged when any of those ticks.
struct Group {
    std::uint32_t index = 0;
};

/// Where each port lies in the unit's slice. Ports are sorted by type, then clock group, then as given; arrays are
/// contiguous.
struct Layout {
    struct Slot {
        std::uint32_t variable = 0;
        Type type = Type::real;
        Group group;
        std::uint32_t offset = 0;  // in elements, from the beginning of the unit's slice of that type
        std::uint32_t count = 1;
        bool sent = false;  // an output that a wire begins at
    };
    std::vector<Slot> slots;
    std::array<std::uint32_t, type_count> counts{};  // elements per type
    std::vector<std::uint32_t> by_variable;          // slots in the order of their variables, to find them

    [[nodiscard]] const Slot* find(std::uint32_t variable) const;
};
[[nodiscard]] Layout layout(const UnitInfo& info, std::span<const std::uint32_t> variables);

/// The clock group of a variable.
[[nodiscard]] Group group_of(const UnitInfo& info, const Variable& variable);

struct Assignment {
    std::uint32_t variable = 0;
    Value value;
};
using Values = std::vector<Assignment>;

/// How an attempted step ended. A unit handles events strictly inside its step by itself, with held inputs; `event`
/// says that it did, or that it wants Event Mode at `reached`.
struct StepResult {
    base::Time reached;             // t + h unless discarded or terminated
    bool discarded = false;         // FMI 3: state unchanged; FMI 2: needs restore
    bool event = false;             // something jumped: holds must not extrapolate across it
    bool wants_event_mode = false;  // Event Mode is due at `reached`
    bool terminate = false;
};

struct EventUpdate {
    bool again = false;  // discrete states need another update
    bool terminate = false;
    std::optional<double> next_event_time;
};

/// A clock's next interval as its unit states it.
struct ClockInterval {
    std::uint32_t clock = 0;
    base::Fraction seconds;
    bool exact = true;  // false: from a decimal
};

/// An event that a unit handled by itself, inside its step: its unclocked outputs on both sides, as its slices hold
/// them.
struct InnerEvent {
    double t = 0;
    Lanes before, after;
};

/// Event Mode of a unit that has one. Between `enter_event` and `enter_step` inputs may be written and outputs read.
class EventUnit {
public:
    virtual ~EventUnit() = default;
    virtual void enter_event() = 0;
    virtual void activate(std::span<const std::uint32_t> input_clocks) = 0;
    /// Output clocks (variable indices) that tick now; appended to `ticking`, which has room for all of them.
    virtual void active(std::vector<std::uint32_t>& ticking) = 0;
    [[nodiscard]] virtual EventUpdate update_discrete() = 0;
    /// Time from now to the next tick of each clock whose interval is known and new; appended.
    virtual void intervals(std::vector<ClockInterval>& changed) = 0;
    virtual void enter_step() = 0;
    /// When the unit wants its next event (nextEventTime), if it said so.
    [[nodiscard]] virtual std::optional<double> next_event_time() const = 0;
    /// From now on the unit keeps its inner events until they are forgotten, at most so many.
    virtual void keep_inner_events(std::size_t /*most*/) {}
    [[nodiscard]] virtual std::span<const InnerEvent> inner_events() const { return {}; }
    virtual void forget_inner_events() {}
    /// Events inside steps so far: other units get what they change when the step ends.
    [[nodiscard]] virtual std::uint64_t inner_event_count() const { return 0; }
};

/// Which value counts where a signal jumps.
enum class Side : std::uint8_t { before, after };

/// Signals that are known ahead of the run, such as those of a table: their receivers need no extrapolation.
class Foresight {
public:
    virtual ~Foresight() = default;
    /// Of a real signal; NaN as long as there is none.
    [[nodiscard]] virtual double value_at(std::uint32_t variable, double t, Side side) const = 0;
    /// The first time after `t` at which a real signal is not straight; infinite when there is none.
    [[nodiscard]] virtual double next_corner(std::uint32_t variable, double t) const = 0;
    /// When a signal of any type jumps, in order.
    [[nodiscard]] virtual std::vector<double> jumps(std::uint32_t variable) const = 0;
};

/// A foreseen signal as a receiver sees it: gain * signal + offset.
struct ForeseenSignal {
    const Foresight* source = nullptr;
    std::uint32_t variable = 0;
    double gain = 1, offset = 0;

    [[nodiscard]] double at(double t, Side side) const { return gain * source->value_at(variable, t, side) + offset; }
};

/// A saved state; belongs to the unit that made it.
class Snapshot {
public:
    virtual ~Snapshot() = default;
};

/// How a unit that tells its states answers to small changes around where it is: partial derivatives, row by row, of
/// the rates of its states and the reals of its output slice, by its states and the reals of its input slice. A row
/// that the unit does not tell is NaN.
struct LocalModel {
    std::vector<std::string> states;
    std::size_t inputs = 0, outputs = 0;  // reals of the slices
    std::vector<double> slopes;           // states + outputs rows, states + inputs columns
    std::string origin;                   // how they were found
    double doubt = 0;                     // of finite differences: what another increment changes, as a share

    [[nodiscard]] std::size_t columns() const { return states.size() + inputs; }
    [[nodiscard]] double& slope(std::size_t row, std::size_t column) { return slopes[row * columns() + column]; }
    [[nodiscard]] double slope(std::size_t row, std::size_t column) const { return slopes[row * columns() + column]; }
};

struct FastPath;

/// What a unit may be told of the run before it begins.
struct RunWindow {
    base::Time start;
    std::optional<base::Time> stop;
    std::optional<double> tolerance;
    double solver_factor = 1;  // of the tolerance of solvers: shadow runs
};

/// What the master may ask of one participant: FMI 2 and 3 units, model-exchange units, tables, test fakes.
/// Order of calls: configure, bind, set_up, set_start, enter_initialization, (set_start, value_of, write_one,
/// read_one)*, exit_initialization, then (write, step, read)*, terminate. Errors throw `Error` naming unit, time and
/// the unit's last log line.
class Unit {
public:
    virtual ~Unit() = default;
    [[nodiscard]] virtual const UnitInfo& info() const = 0;
    virtual void configure(const Values& structural) = 0;  // Configuration Mode; sizes in info() follow
    virtual void bind(const Ports& ports) = 0;             // buffers are made here, never later
    virtual void set_up(const RunWindow& run) = 0;         // FMI 2: SetupExperiment, which may reset values
    virtual void set_start(const Values& values) = 0;      // before initialisation; exact ones and inputs also in it
    virtual void enter_initialization() = 0;
    /// What the unit has now, outside the step; none where it does not tell.
    [[nodiscard]] virtual std::optional<Value> value_of(std::uint32_t variable) = 0;
    virtual void write_one(std::size_t input, const ConstBlock& inputs) = 0;  // i-th slot of the input layout
    virtual void read_one(std::size_t output, const Block& outputs) = 0;      // i-th slot of the output layout
    virtual void exit_initialization() = 0;
    virtual void write(Group group, const ConstBlock& inputs) = 0;
    [[nodiscard]] virtual StepResult step(base::Time t, base::Duration h) = 0;
    virtual void read(Group group, const Block& outputs) = 0;
    /// Offers the short way through plain steps, after `bind`. `path` and `visible`, the time that messages of the unit
    /// belong to, stay where they are as long as the unit lives.
    virtual void offer_fast_path(FastPath& /*path*/, base::Time& /*visible*/) {}
    /// Says until when steps are plain ones. The system asks after each write, step and event that was no plain one.
    virtual void update_fast_path(FastPath& /*path*/) const {}
    virtual EventUnit* events() { return nullptr; }
    [[nodiscard]] virtual const Foresight* foresight() const { return nullptr; }
    virtual std::unique_ptr<Snapshot> save() = 0;
    virtual void restore(const Snapshot& snapshot) = 0;
    virtual void terminate() = 0;
    /// True when this unit evaluates the slope of that input variable inside its step.
    [[nodiscard]] virtual bool takes_slope(std::uint32_t variable) const = 0;
    /// True when this unit can see all of a foreseen signal inside its step, by itself: its corners and jumps too.
    [[nodiscard]] virtual bool can_follow(std::uint32_t /*variable*/) const { return false; }
    /// From now on the real at `offset` of its slice of inputs follows the signal. After `bind`, where it `can_follow`.
    virtual void follow(std::uint32_t /*offset*/, const ForeseenSignal& /*signal*/) {}
    /// "; its last message: ..." or empty, to end an error message with.
    [[nodiscard]] virtual std::string last_message() const { return {}; }
    /// Counters for `--stats`, e.g. solver steps and events.
    [[nodiscard]] virtual std::vector<std::pair<std::string, std::uint64_t>> statistics() const { return {}; }
    /// What is left to say at the end of a run: each matter once, with how often it happened where that is known.
    [[nodiscard]] virtual std::vector<UnitWarning> warnings() const { return {}; }
    /// Variables that are bound only to be looked at and that the unit refused to give when it was initialised: nobody
    /// reads them, and their places hold nothing.
    [[nodiscard]] virtual std::vector<std::uint32_t> withheld() const { return {}; }
    /// At a communication point, outside the step; nothing where the unit does not tell.
    [[nodiscard]] virtual std::optional<LocalModel> local_model() { return std::nullopt; }
};

}  // namespace master::core
