#pragma once

#include "master/fmi/unit/fmu_unit.hpp"

namespace master::fmi {

/// An FMI 2 co-simulation unit.
class Fmi2Unit final : public FmuUnit<Calls2> {
public:
    explicit Fmi2Unit(const UnitContext& context);

    void bind(const core::Ports& ports) override;
    [[nodiscard]] core::StepResult step(base::Time t, base::Duration h) override;

private:
    [[nodiscard]] AnyFunction plain_step() const override { return do_step_.plain(); }
    [[nodiscard]] double plain_until() const override { return derivatives_used_ ? -never : never; }
    core::StepResult finish_plain_step(const core::StepInterval& step, StepAnswer answer) override;
    void write_special(core::Group group, const core::ConstBlock& inputs) override;
    void set_input_derivatives();
    /// Sorts out every outcome but a plain success.
    [[gnu::cold]] core::StepResult finish_step(base::Time t, base::Duration h, int status);
    [[nodiscard]] int wait_while_pending();
    [[nodiscard]] core::StepResult discarded(base::Time t, base::Duration h);

    Function<fmi2DoStepTYPE> do_step_;
    Function<fmi2SetRealInputDerivativesTYPE> set_derivatives_;
    std::vector<fmi2Integer> first_order_;  // the order of each derivative that is set
    bool derivatives_used_ = false;         // once slopes were given, zero slopes must be said too
    fmi2CallbackFunctions callbacks_;
};

}  // namespace master::fmi
