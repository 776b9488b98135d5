#pragma once

#include "master/core/unit.hpp"

#include <functional>
#include <string>
#include <vector>

namespace tests {

/// A participant in plain C++: real inputs u, states x, real outputs y = g(x, u). Integrates with 20 micro-steps of RK4
/// over inputs that are constant or linear in the step, or with `exact` where a closed form exists. With `refreshes`
/// its outputs follow the inputs without a step, as in model exchange; without, they belong to the held inputs.
struct TestModel {
    using Vector = std::vector<double>;
    std::vector<std::string> inputs, outputs;
    Vector x, u;
    std::function<Vector(double t, const Vector& x, const Vector& u)> derivative;
    std::function<Vector(const Vector& x, const Vector& u)> output;
    std::function<Vector(const Vector& x, const Vector& u, double h)> exact;
    std::function<bool(const Vector& before, const Vector& after)> jumps;  // the step brought an event; missing = never
    std::vector<std::vector<std::uint32_t>> feedthrough;                   // per output: inputs; missing = none
    bool refreshes = false;
    bool interpolates = true;
    // Start values (of inputs) that are lost: on the way into Initialization Mode all are zero again, or are never
    // taken.
    enum class Forgets { nothing, in_set_up, on_entering, on_leaving, always } forgets = Forgets::nothing;
    bool parameters = false;  // inputs that no wire drives are declared as parameters
    bool single = false;      // inputs are declared as Float32
    master::core::Variability variability = master::core::Variability::continuous;
};

class TestUnit final : public master::core::Unit {
public:
    TestUnit(TestModel model, master::base::Timebase timebase);

    const master::core::UnitInfo& info() const override { return info_; }
    void configure(const master::core::Values&) override {}
    void bind(const master::core::Ports& ports) override;
    void set_start(const master::core::Values& values) override;
    void set_up(const master::core::RunWindow&) override { forget(TestModel::Forgets::in_set_up); }
    void enter_initialization() override { forget(TestModel::Forgets::on_entering); }
    std::optional<master::core::Value> value_of(std::uint32_t variable) override;
    void write_one(std::size_t input, const master::core::ConstBlock& block) override;
    void read_one(std::size_t output, const master::core::Block& block) override;
    void exit_initialization() override;
    void write(master::core::Group, const master::core::ConstBlock& block) override;
    master::core::StepResult step(master::base::Time t, master::base::Duration h) override;
    void read(master::core::Group, const master::core::Block& block) override;
    std::unique_ptr<master::core::Snapshot> save() override;
    void restore(const master::core::Snapshot&) override;
    void terminate() override {}
    bool takes_slope(std::uint32_t) const override { return model_.interpolates; }

private:
    using Vector = TestModel::Vector;

    master::core::Variable& add(const std::string& name, master::core::Causality causality);
    void forget(TestModel::Forgets when);
    Vector input_at(double since) const;
    void integrate(double t, double length);

    TestModel model_;
    master::base::Timebase timebase_;
    master::core::UnitInfo info_;
    master::core::Layout inputs_, outputs_;
    Vector slopes_, y_;
};

}  // namespace tests
