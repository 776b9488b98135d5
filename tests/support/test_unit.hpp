#pragma once

#include "master/core/unit.hpp"

#include <algorithm>
#include <functional>
#include <stdexcept>
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
    std::function<bool(const Vector& before, const Vector& after)>
        jumps;                                            // a step that brings an event; missing = never
    std::vector<std::vector<std::uint32_t>> feedthrough;  // per output: inputs; missing = none
    bool refreshes = false;
    bool interpolates = true;
    master::core::Variability variability = master::core::Variability::continuous;
};

class TestUnit final : public master::core::Unit {
public:
    TestUnit(TestModel model, master::base::Timebase timebase) : model_(std::move(model)), timebase_(timebase) {
        const auto inputs = static_cast<std::uint32_t>(model_.inputs.size());
        for (std::uint32_t i = 0; i < inputs; ++i) {
            add(model_.inputs[i], master::core::Causality::input).start = std::vector<double>{model_.u[i]};
        }
        for (std::uint32_t i = 0; i < model_.outputs.size(); ++i) {
            add(model_.outputs[i], master::core::Causality::output);
            master::core::Unknown unknown{.variable = inputs + i, .dependencies = std::vector<std::uint32_t>{}};
            if (i < model_.feedthrough.size()) unknown.dependencies = model_.feedthrough[i];
            info_.outputs.push_back(unknown);
            info_.initial_unknowns.push_back(unknown);
        }
        info_.can.refreshes_outputs = model_.refreshes;
        slopes_.resize(inputs);
    }

    const master::core::UnitInfo& info() const override { return info_; }
    void configure(const master::core::Values&) override {}
    void bind(const master::core::Ports& ports) override {
        inputs_ = master::core::layout(info_, ports.inputs);
        outputs_ = master::core::layout(info_, ports.outputs);
    }
    void set_start(const master::core::Values& values) override {
        for (const auto& assignment : values) {
            model_.u.at(assignment.variable) = std::get<std::vector<double>>(assignment.value).at(0);
        }
    }
    void enter_initialization(master::base::Time, std::optional<master::base::Time>, std::optional<double>) override {}
    void write_one(std::size_t input, const master::core::ConstBlock& block) override {
        model_.u[inputs_.slots[input].variable] = block.reals[input];
    }
    void read_one(std::size_t output, const master::core::Block& block) override {
        block.reals[output] = model_.output(model_.x, model_.u)[outputs_.slots[output].variable - model_.inputs.size()];
    }
    void exit_initialization() override { y_ = model_.output(model_.x, model_.u); }
    void write(master::core::Group, const master::core::ConstBlock& block) override {
        for (std::size_t i = 0; i < inputs_.slots.size(); ++i) {
            const std::uint32_t variable = inputs_.slots[i].variable;
            model_.u[variable] = block.reals[i];
            slopes_[variable] = block.slopes == nullptr ? 0 : block.slopes[i];
        }
        if (model_.refreshes) y_ = model_.output(model_.x, model_.u);
    }
    master::core::StepResult step(master::base::Time t, master::base::Duration h) override {
        const double length = timebase_.seconds(h);
        const Vector before = model_.x;
        if (model_.exact) {
            model_.x = model_.exact(model_.x, model_.u, length);
        } else {
            integrate(timebase_.seconds(t), length);
        }
        y_ = model_.output(model_.x, input_at(length));
        return {.reached = t + h, .event = model_.jumps && model_.jumps(before, model_.x)};
    }
    void read(master::core::Group, const master::core::Block& block) override {
        for (std::size_t i = 0; i < outputs_.slots.size(); ++i) {
            block.reals[i] = y_[outputs_.slots[i].variable - model_.inputs.size()];
        }
    }
    std::unique_ptr<master::core::Snapshot> save() override { throw std::logic_error("not offered"); }
    void restore(const master::core::Snapshot&) override { throw std::logic_error("not offered"); }
    void terminate() override {}
    bool takes_slope(std::uint32_t) const override { return model_.interpolates; }

private:
    using Vector = TestModel::Vector;

    master::core::Variable& add(const std::string& name, master::core::Causality causality) {
        master::core::Variable variable;
        variable.name = name;
        variable.declared_type = "Float64";
        variable.causality = causality;
        variable.variability = model_.variability;
        info_.variables.push_back(variable);
        return info_.variables.back();
    }

    Vector input_at(double since) const {
        Vector u = model_.u;
        for (std::size_t i = 0; i < u.size(); ++i) u[i] += slopes_[i] * since;
        return u;
    }

    static Vector sum(const Vector& x, double factor, const Vector& d) {
        Vector result = x;
        for (std::size_t i = 0; i < x.size(); ++i) result[i] += factor * d[i];
        return result;
    }

    void integrate(double t, double length) {
        constexpr int micro_steps = 20;
        const double h = length / micro_steps;
        for (int i = 0; i < micro_steps; ++i) {
            const double s = i * h;
            const auto f = [&](double at, const Vector& x) { return model_.derivative(t + at, x, input_at(at)); };
            const Vector k1 = f(s, model_.x);
            const Vector k2 = f(s + h / 2, sum(model_.x, h / 2, k1));
            const Vector k3 = f(s + h / 2, sum(model_.x, h / 2, k2));
            const Vector k4 = f(s + h, sum(model_.x, h, k3));
            for (std::size_t n = 0; n < model_.x.size(); ++n) {
                model_.x[n] += h / 6 * (k1[n] + 2 * k2[n] + 2 * k3[n] + k4[n]);
            }
        }
    }

    TestModel model_;
    master::base::Timebase timebase_;
    master::core::UnitInfo info_;
    master::core::Layout inputs_, outputs_;
    Vector slopes_, y_;
};

}  // namespace tests
