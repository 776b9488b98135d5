#pragma once

#include "master/fmi/unit/fmu_unit.hpp"

namespace master::fmi {

/// An FMI 2 co-simulation unit.
class Fmi2Unit final : public FmuUnit<Calls2> {
public:
    explicit Fmi2Unit(const UnitContext& context);

    void bind(const core::Ports& ports) override;
    [[nodiscard]] core::StepResult step(base::Time t, base::Duration h) override;
    void shorten(core::Quick& quick, base::Time& visible) override;

private:
    static bool step_quickly(const core::Quick& quick, const core::Stretch& stretch, core::StepResult& result);
    static bool go_quickly(const core::Quick& quick, const core::Stretch& stretch, base::Time& visible,
                           core::StepResult& result);
    void write_special(core::Group group, const core::ConstBlock& inputs) override;
    void set_input_derivatives();
    /// From now on steps are plain ones unless there are slopes or a floating-point environment to look after.
    void pay_attention();
    /// Sorts out every outcome but a plain success.
    [[gnu::cold]] core::StepResult finish_step(base::Time t, base::Duration h, int status);
    [[nodiscard]] int wait_while_pending();
    [[nodiscard]] core::StepResult discarded(base::Time t);

    fmi2DoStepTYPE* do_step_ = nullptr;
    fmi2SetRealInputDerivativesTYPE* set_derivatives_ = nullptr;
    std::vector<fmi2Integer> first_order_;  // the order of each derivative that is set
    bool derivatives_used_ = false;         // once slopes were given, zero slopes must be said too
    fmi2CallbackFunctions callbacks_;
};

}  // namespace master::fmi
