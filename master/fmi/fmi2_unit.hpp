#pragma once

#include "master/fmi/fmu_unit.hpp"

namespace master::fmi {

/// An FMI 2 co-simulation unit.
class Fmi2Unit final : public FmuUnit<Calls2> {
public:
    explicit Fmi2Unit(const UnitContext& context);

    void bind(const Ports& ports) override;
    [[nodiscard]] StepResult step(Time t, Duration h) override;

private:
    void write_special(Group group, const ConstBlock& inputs) override;
    void set_input_derivatives();
    /// A step with input derivatives, or after which the floating-point environment is checked.
    StepResult special_step(Time t, Duration h);
    /// Sorts out every outcome but a plain success.
    [[gnu::cold]] StepResult finish_step(Time t, Duration h, int status);
    [[nodiscard]] int wait_while_pending();
    [[nodiscard]] StepResult discarded(Time t);

    fmi2DoStepTYPE* do_step_ = nullptr;
    fmi2SetRealInputDerivativesTYPE* set_derivatives_ = nullptr;
    std::vector<fmi2Integer> first_order_;  // the order of each derivative that is set
    bool derivatives_used_ = false;         // once slopes were given, zero slopes must be said too
    bool special_ = true;
    fmi2CallbackFunctions callbacks_;
};

}  // namespace master::fmi
