#pragma once

#include "fmus/common/state/instance.hpp"

#include <concepts>
#include <memory>
#include <optional>

namespace fmus {

/// An FMU around a copyable model. A model may offer, each only if it needs it:
///   configure()          sizes follow the structural parameters
///   initialize(t)        state from parameters; values declared `exact` are the user's and stay
///   evaluate(t)          outputs, derivatives and event indicators from state and inputs
///   step(t, h)           its own way to advance; returns nothing or models::Advance. Without it the kit integrates
///                        the declared states (Runge-Kutta, order 4), evaluating inputs at every stage
///   update(t)            discrete state at an event; returns whether continuous states jumped
///   next_event()         when the next time event is due (std::optional<double>)
///   finished()           whether the simulation should end
///   tick()               activates output clocks after an update; returns whether one is: one more instant then
///   members()            std::tie of its parts, if it is not trivially copyable (for serialization)
template <std::copyable Model>
class InstanceOf : public Instance {
protected:
    Model model_;

private:
    static constexpr bool offers_configure = requires(Model m) { m.configure(); };
    static constexpr bool offers_initialize = requires(Model m) { m.initialize(0.0); };
    static constexpr bool offers_evaluate = requires(Model m) { m.evaluate(0.0); };
    static constexpr bool offers_step = requires(Model m) { m.step(0.0, 0.0); };
    static constexpr bool offers_update = requires(Model m) { m.update(0.0); };
    static constexpr bool offers_next_event = requires(const Model m) { m.next_event(); };
    static constexpr bool offers_finished = requires(const Model m) { m.finished(); };
    static constexpr bool offers_tick = requires(Model m) { m.tick(); };

    struct Copy final : ModelCopy {
        explicit Copy(const Model& original) : model(original) {}
        mutable Model model;  // writing goes through members(), which gives references
    };

    bool evaluates() const override { return offers_evaluate; }
    bool has_events() const override { return offers_update; }
    bool steps_itself() const override { return offers_step; }

    void configure_model() override {
        if constexpr (offers_configure) model_.configure();
    }
    void initialize_model([[maybe_unused]] double t) override {
        if constexpr (offers_initialize) model_.initialize(t);
    }
    void evaluate_model([[maybe_unused]] double t) override {
        if constexpr (offers_evaluate) model_.evaluate(t);
    }
    bool update_model([[maybe_unused]] double t) override {
        if constexpr (offers_update) return model_.update(t);
        return false;
    }
    std::optional<double> next_event_of_model() const override {
        if constexpr (offers_next_event) return model_.next_event();
        return std::nullopt;
    }
    bool model_finished() const override {
        if constexpr (offers_finished) return model_.finished();
        return false;
    }
    bool tick_model() override {
        if constexpr (offers_tick) return model_.tick();
        return false;
    }
    models::Advance step_model([[maybe_unused]] double t, [[maybe_unused]] double h) override {
        if constexpr (offers_step) {
            if constexpr (std::same_as<decltype(model_.step(t, h)), models::Advance>)
                return model_.step(t, h);
            else
                model_.step(t, h);
        }
        return {.reached = t + h};
    }
    std::unique_ptr<ModelCopy> copy_model() const override { return std::make_unique<Copy>(model_); }
    void restore_model(const ModelCopy& copy) override { model_ = static_cast<const Copy&>(copy).model; }
    void write_copy(const ModelCopy& copy, ByteWriter& bytes) const override {
        bytes.put(static_cast<const Copy&>(copy).model);
    }
    std::unique_ptr<ModelCopy> read_copy(ByteReader& bytes) const override {
        auto copy = std::make_unique<Copy>(model_);
        bytes.take(copy->model);
        return copy;
    }
};

}  // namespace fmus
