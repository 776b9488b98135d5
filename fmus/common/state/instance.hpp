#pragma once

#include "fmus/common/declaring/table.hpp"
#include "fmus/common/state/bytes.hpp"
#include "fmus/common/state/modes.hpp"
#include "models/advance.hpp"

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace fmus {

struct Setup;

struct EventUpdate {
    bool terminate = false, states_changed = false;
    bool again = false;  // a clock of the unit ticks now: another instant at the same time
    std::optional<double> next_event;
};

struct StepEnd {
    double reached = 0;
    bool event = false, terminate = false;
};

/// One element of a variable.
struct Element {
    std::size_t variable = 0, index = 0;
};

/// A unit between its instantiation and its end: the state machine, the values, the step. What differs from model to
/// model is behind the private virtual functions, which InstanceOf<Model> fills from what the model offers.
class Instance : public Table {
public:
    virtual ~Instance();

    /// Called before everything else, also when the model description is written: a unit whose variables follow from a
    /// file of its resources declares them here. `resources` as in Setup.
    virtual void declare(const std::string&) {}
    void start(Setup setup);
    void report(Status status, const std::string& text) const;
    void set_logging(bool on);
    [[nodiscard]] Interface interface() const;
    [[nodiscard]] bool uses_event_mode() const;
    void require(Modes allowed) const;  // throws unless the unit is in one of these modes
    void require(Interface wanted) const;

    void enter_configuration();
    void exit_configuration();
    void enter_initialization(double start);
    void exit_initialization();
    void enter_event();
    void enter_step();
    void enter_continuous_time();
    void terminate();
    void reset();
    [[nodiscard]] EventUpdate update_discrete();

    /// Co-simulation: advances from t by h, or to an event inside if the importer takes part in event handling.
    [[nodiscard]] StepEnd do_step(double t, double h);
    [[nodiscard]] double time() const { return time_; }
    void set_input_derivative(Element input, int order, double value);
    [[nodiscard]] double output_derivative(Element output, int order);

    /// Model exchange.
    void set_time(double t);
    [[nodiscard]] std::size_t state_count() const;
    void get_states(std::span<double> values) const;
    void set_states(std::span<const double> values);
    void get_derivatives(std::span<double> values);
    void get_nominals(std::span<double> values) const;
    void get_event_indicators(std::span<double> values);

    /// Values: an unknown reference throws. `refresh` recomputes what depends on inputs and states, in the modes in
    /// which FMI lets outputs change; in Step Mode outputs belong to the end of the last step.
    [[nodiscard]] const Variable& find(std::uint32_t reference) const;
    [[nodiscard]] double& real(Element element) const;
    void refresh();
    void require_settable(const Variable& variable) const;
    void mark_changed() { kit_.stale = true; }

    void directional_derivative(std::span<const Element> unknowns, std::span<const Element> knowns,
                                std::span<const double> seed, std::span<double> sensitivity);

    /// Saved states belong to the instance; a pointer it did not hand out is refused.
    struct Saved;
    [[nodiscard]] Saved* save(const Saved* reuse);
    void restore(const Saved* state);
    void release(const Saved* state);
    [[nodiscard]] std::vector<std::uint8_t> serialize(const Saved* state) const;
    [[nodiscard]] const Saved* deserialize(std::span<const std::uint8_t> bytes);

    /// What the model offers, for the model description.
    [[nodiscard]] virtual bool evaluates() const = 0;
    [[nodiscard]] virtual bool has_events() const = 0;
    [[nodiscard]] virtual bool steps_itself() const = 0;
    [[nodiscard]] bool can_differentiate() const;
    [[nodiscard]] bool interpolates_inputs() const;
    [[nodiscard]] bool has_output_derivatives() const;

protected:
    Instance();
    /// Called once, after instantiation, with the native path of the resources folder (may be empty).
    virtual void load_resources(const std::string&) {}

    /// A copy of the whole model.
    struct ModelCopy {
        virtual ~ModelCopy() = default;
    };

private:
    /// What of the kit itself belongs to a saved state.
    struct KitState {
        double time = 0, next_event = 0;
        Mode mode = Mode::instantiated;
        bool has_next_event = false;
        bool stale = true;
    };
    /// The value of one input element over a step: a polynomial from its beginning.
    struct Course {
        Element input;
        double start = 0;
        std::array<double, 3> derivatives{};
        [[nodiscard]] double at(double dt) const;
    };

    virtual void configure_model() = 0;
    virtual void initialize_model(double t) = 0;
    virtual void evaluate_model(double t) = 0;
    virtual bool update_model(double t) = 0;
    [[nodiscard]] virtual std::optional<double> next_event_of_model() const = 0;
    [[nodiscard]] virtual bool model_finished() const = 0;
    [[nodiscard]] virtual bool tick_model() = 0;
    [[nodiscard]] virtual models::Advance step_model(double t, double h) = 0;
    [[nodiscard]] virtual std::unique_ptr<ModelCopy> copy_model() const = 0;
    virtual void restore_model(const ModelCopy& copy) = 0;
    virtual void write_copy(const ModelCopy& copy, ByteWriter& bytes) const = 0;
    [[nodiscard]] virtual std::unique_ptr<ModelCopy> read_copy(ByteReader& bytes) const = 0;

    void evaluate();
    void silence_clocks();
    [[nodiscard]] EventUpdate handle_event();
    void prepare_step();
    void set_inputs(double t);
    void set_slopes(double t, double end);
    [[nodiscard]] models::Advance advance(double t, double end);
    void integrate(double t, double end);
    void rates(double t, std::vector<double>& result);
    [[nodiscard]] const Saved& own(const Saved* state) const;

    std::unique_ptr<Setup> setup_;
    KitState kit_;
    std::vector<std::unique_ptr<Saved>> saved_;
    std::unique_ptr<ModelCopy> fresh_;  // as instantiated, for reset
    std::vector<Course> courses_;
    double step_start_ = 0;
    bool sloped_ = false;       // an input derivative was given for the coming step
    bool asks_inputs_ = false;  // inputs come by intermediate update
    struct Scratch {
        std::vector<double> start, now, k1, k2, k3, k4;
    } scratch_;
};

struct Instance::Saved {
    KitState kit;
    std::unique_ptr<ModelCopy> model;
};

/// Makes the unit of this library; every <name>_fmu.cpp defines it.
[[nodiscard]] std::unique_ptr<Instance> create();

}  // namespace fmus
