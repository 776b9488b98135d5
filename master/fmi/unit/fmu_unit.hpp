#pragma once

#include "master/core/fast_path.hpp"
#include "master/core/unit.hpp"
#include "master/fmi/library/log_relay.hpp"
#include "master/fmi/library/process_state.hpp"
#include "master/fmi/unit/calls.hpp"
#include "master/fmi/unit/exchange.hpp"
#include "master/fmi/unit/sloped_inputs.hpp"

#include <filesystem>
#include <limits>
#include <optional>
#include <string>

namespace master::fmi {

/// What a unit is made from. The references must outlive it.
struct UnitContext {
    const ModelDescription& description;
    const Library& library;
    const std::filesystem::path& folder;  // of the unpacked FMU
    std::string name;
    base::Timebase timebase;
    base::Log& log;
};

inline constexpr double never = std::numeric_limits<double>::infinity();
/// More rounds than this at one instant, or more events than this in one step, are a storm.
inline constexpr int most_event_rounds = 1000;

/// What FMI 2 and FMI 3, co-simulation and model exchange have in common: values, life cycle, errors, saved states.
template <class Calls>
class FmuUnit : public core::Unit {
public:
    using Instance = typename Calls::Instance;
    using Result = typename Calls::Result;
    using StepAnswer = typename Calls::StepAnswer;

    FmuUnit(const FmuUnit&) = delete;
    FmuUnit& operator=(const FmuUnit&) = delete;
    ~FmuUnit() override;

    [[nodiscard]] const core::UnitInfo& info() const final { return description_->info; }
    void configure(const core::Values& structural) final;
    void bind(const core::Ports& ports) override;
    void set_up(const core::RunWindow& run) override;
    void set_start(const core::Values& values) final;
    void enter_initialization() final;
    [[nodiscard]] std::optional<core::Value> value_of(std::uint32_t variable) final;
    void write_one(std::size_t input, const core::ConstBlock& inputs) final;
    void read_one(std::size_t output, const core::Block& outputs) final;
    void exit_initialization() override;
    void write(core::Group group, const core::ConstBlock& inputs) final;
    void read(core::Group group, const core::Block& outputs) final;
    std::unique_ptr<core::Snapshot> save() final;
    void restore(const core::Snapshot& snapshot) final;
    void terminate() final;
    void offer_fast_path(core::FastPath& path, base::Time& visible) final;
    void update_fast_path(core::FastPath& path) const final;
    [[nodiscard]] bool takes_slope(std::uint32_t variable) const final { return takes_slope_[variable]; }
    [[nodiscard]] std::optional<core::LocalModel> local_model() override;
    [[nodiscard]] std::string last_message() const final;
    [[nodiscard]] std::vector<core::UnitWarning> warnings() const final { return relay_.warnings(); }
    [[nodiscard]] std::vector<std::uint32_t> withheld() const final { return outputs_.left_out(); }
    [[nodiscard]] std::vector<std::pair<std::string, std::uint64_t>> statistics() const override;

protected:
    enum class Mode : std::uint8_t { instantiated, initialization, event, step };

    explicit FmuUnit(const UnitContext& context);

    /// Calls `instantiate(logging)`, which returns the FMU's instance or null, and puts back what the FMU changed
    /// meanwhile. Logging is asked for where problems can be told from the rest, or when a silent unit fails.
    template <class Instantiate>
    void adopt(Instantiate instantiate) {
        ProcessState process;
        const bool logging = relay_.logs();
        instance_ = instantiate(logging);
        if (instance_ == nullptr && !logging) instance_ = instantiate(true);
        adopted(process);
    }
    [[nodiscard]] std::string resources() const;

    /// Inputs with slopes or discrete inputs in a mode that forbids them; only when the unit has such inputs.
    virtual void write_special(core::Group group, const core::ConstBlock& inputs) = 0;
    /// Makes outputs valid before they are read; only when `reads_refreshed_`.
    virtual void refresh() {}
    /// The FMU's state was replaced by a saved one.
    virtual void restored() {}

    void check(std::string_view function, int status) {
        if (status != Status::ok) [[unlikely]]
            look_closer(function, status);
    }
    void check_transfer(const Exchange<Calls>& exchange, const Transfer<Calls>* failed) {
        if (failed != nullptr) [[unlikely]]
            fail(exchange, *failed);
    }
    /// A warning is the unit's to explain; anything worse ends the run.
    [[gnu::cold]] void look_closer(std::string_view function, int status);
    [[noreturn, gnu::cold]] void fail(std::string_view function, int status);
    [[noreturn, gnu::cold]] void fail(const Exchange<Calls>& exchange, const Transfer<Calls>& transfer);
    /// The one call of the fast path returned something else than ok.
    [[gnu::cold]] void look_closer_at_reals(Exchange<Calls>& exchange, int status);
    /// An error of this unit at this time that is no status; the unit is not called again but to be freed.
    [[noreturn, gnu::cold]] void fail_with(std::string code, const std::string& text);
    /// What the unit said after an event.
    void set_next_event_time(bool defined, double t);

    /// The function that steps the FMU, if a plain step is this one call; null: every step goes through `step`.
    [[nodiscard]] virtual AnyFunction plain_step() const { return nullptr; }
    /// Steps that end before this time (in s) are plain ones: nothing must be done before or after the call.
    [[nodiscard]] virtual double plain_until() const { return -never; }
    /// Sorts out every answer but a plain one to a call of `plain_step`.
    [[gnu::cold]] virtual core::StepResult finish_plain_step(const core::StepInterval& step, StepAnswer answer);

    /// Of the right size, with the outputs that are states; what else the unit answers is not known yet.
    [[nodiscard]] core::LocalModel blank_model() const;

    /// Call after a step whose floating-point environment is watched.
    void watch_floating_point();

    [[nodiscard]] const ModelDescription& description() const { return *description_; }
    [[nodiscard]] const Library& library() const { return library_; }

    Instance instance_ = nullptr;
    bool reads_refreshed_ = false;  // outputs follow inputs without a step: `refresh` before reading
    bool no_restore_ = true;        // no state was saved yet: the FMU may forget what lies before this point
    bool watches_ = true;           // the floating-point environment is checked after steps; all are at the first
    Mode mode_ = Mode::instantiated;
    base::Timebase timebase_;
    double next_event_time_ = never;
    LogRelay relay_;
    Exchange<Calls> inputs_;
    Exchange<Calls> outputs_;
    SlopedInputs<Calls> sloped_;
    std::vector<bool> takes_slope_;  // by variable
    std::vector<bool> event_only_;   // by variable: may be set only in Event Mode

private:
    class State;

    static void write_reals(const core::FastPath& path);
    static bool step_plainly(const core::FastPath& path, const core::StepInterval& step, core::StepResult& result);
    [[gnu::cold, gnu::noinline]] static bool finish_step_of(const core::FastPath& path, const core::StepInterval& step,
                                                            StepAnswer answer, core::StepResult& result);
    static void read_reals(const core::FastPath& path);
    static void set_reals(const core::FastPath& path, base::CallSlot& slot);
    static bool do_step(const core::FastPath& path, const core::StepInterval& step, core::StepResult& result,
                        base::CallSlot& slot);
    static void get_reals(const core::FastPath& path, base::CallSlot& slot);
    static bool exchange_and_step(const core::FastPath& path, const core::StepInterval& step, base::Time& visible,
                                  core::StepResult& result);

    void adopted(ProcessState& process);
    void limit_log();
    void require_settable(std::uint32_t variable) const;
    void set_values(const core::Values& values);

    const ModelDescription* description_;
    std::optional<ModelDescription> configured_;  // own sizes, where structural parameters were set
    const Library& library_;
    const std::filesystem::path& folder_;
    core::RunWindow window_;
    FloatingPoint floating_point_;
    bool plain_write_ = true;
    bool noted_floating_point_ = false;
    bool failed_ = false;
    bool dead_ = false;  // after fatal the FMU is never called again, not even to be freed
};

extern template class FmuUnit<Calls2>;
extern template class FmuUnit<Calls3>;

}  // namespace master::fmi
