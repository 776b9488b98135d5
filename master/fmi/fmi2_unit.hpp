#pragma once

#include "master/fmi/fmu_unit.hpp"

namespace master::fmi {

/// An FMI 2 co-simulation unit.
class Fmi2Unit final : public FmuUnit<Calls2> {
public:
    explicit Fmi2Unit(const UnitContext& context);

    void bind(const Ports& ports) override;
    [[nodiscard]] StepResult step(Time t, Duration h) override;
    void shorten(Quick& quick, Time& visible) override;

private:
    static bool step_quickly(const Quick& quick, const Stretch& stretch, StepResult& result);
    static bool go_quickly(const Quick& quick, const Stretch& stretch, Time& visible, StepResult& result);
    void write_special(Group group, const ConstBlock& inputs) override;
    void set_input_derivatives();
    /// From now on steps are plain ones unless there are slopes or a floating-point environment to look after.
    void pay_attention();
    /// Sorts out every outcome but a plain success.
    [[gnu::cold]] StepResult finish_step(Time t, Duration h, int status);
    [[nodiscard]] int wait_while_pending();
    [[nodiscard]] StepResult discarded(Time t);

    fmi2DoStepTYPE* do_step_ = nullptr;
    fmi2SetRealInputDerivativesTYPE* set_derivatives_ = nullptr;
    std::vector<fmi2Integer> first_order_;  // the order of each derivative that is set
    bool derivatives_used_ = false;         // once slopes were given, zero slopes must be said too
    fmi2CallbackFunctions callbacks_;
};

}  // namespace master::fmi
