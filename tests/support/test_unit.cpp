#include "tests/support/test_unit.hpp"

#include <stdexcept>
#include <utility>

namespace tests {

using namespace master::core;
using Vector = std::vector<double>;

TestUnit::TestUnit(TestModel model, master::base::Timebase timebase) : model_(std::move(model)), timebase_(timebase) {
    const auto inputs = static_cast<std::uint32_t>(model_.inputs.size());
    for (std::uint32_t i = 0; i < inputs; ++i) {
        Variable& input = add(model_.inputs[i], model_.parameters ? Causality::parameter : Causality::input);
        input.start = std::vector<double>{model_.u[i]};
        input.initial = Initial::exact;
        if (model_.single) input.declared_type = "Float32";
    }
    for (std::uint32_t i = 0; i < model_.outputs.size(); ++i) {
        add(model_.outputs[i], Causality::output);
        Unknown unknown{.variable = inputs + i, .dependencies = std::vector<std::uint32_t>{}};
        if (i < model_.feedthrough.size()) unknown.dependencies = model_.feedthrough[i];
        info_.outputs.push_back(unknown);
        info_.initial_unknowns.push_back(unknown);
    }
    info_.can.refreshes_outputs = model_.refreshes;
    slopes_.resize(inputs);
}

void TestUnit::bind(const Ports& ports) {
    inputs_ = layout(info_, ports.inputs);
    outputs_ = layout(info_, ports.outputs);
}

void TestUnit::set_start(const Values& values) {
    if (model_.forgets == TestModel::Forgets::always) return;
    for (const Assignment& assignment : values) {
        model_.u.at(assignment.variable) = std::get<std::vector<double>>(assignment.value).at(0);
    }
}

void TestUnit::forget(TestModel::Forgets when) {
    if (model_.forgets == when) model_.u.assign(model_.u.size(), 0);
}

std::optional<Value> TestUnit::value_of(std::uint32_t variable) {
    if (variable >= model_.u.size()) return std::nullopt;
    return std::vector<double>{model_.u[variable]};
}

void TestUnit::write_one(std::size_t input, const ConstBlock& block) {
    model_.u[inputs_.slots[input].variable] = block.reals[input];
}

void TestUnit::read_one(std::size_t output, const Block& block) {
    block.reals[output] = model_.output(model_.x, model_.u)[outputs_.slots[output].variable - model_.inputs.size()];
}

void TestUnit::exit_initialization() {
    forget(TestModel::Forgets::on_leaving);
    y_ = model_.output(model_.x, model_.u);
}

void TestUnit::write(Group, const ConstBlock& block) {
    for (std::size_t i = 0; i < inputs_.slots.size(); ++i) {
        const std::uint32_t variable = inputs_.slots[i].variable;
        model_.u[variable] = block.reals[i];
        slopes_[variable] = block.slopes == nullptr ? 0 : block.slopes[i];
    }
    if (model_.refreshes) y_ = model_.output(model_.x, model_.u);
}

StepResult TestUnit::step(master::base::Time t, master::base::Duration h) {
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

void TestUnit::read(Group, const Block& block) {
    for (std::size_t i = 0; i < outputs_.slots.size(); ++i) {
        block.reals[i] = y_[outputs_.slots[i].variable - model_.inputs.size()];
    }
}

std::unique_ptr<Snapshot> TestUnit::save() { throw std::logic_error("not offered"); }
void TestUnit::restore(const Snapshot&) { throw std::logic_error("not offered"); }

Variable& TestUnit::add(const std::string& name, Causality causality) {
    Variable variable;
    variable.name = name;
    variable.declared_type = "Float64";
    variable.causality = causality;
    variable.variability = model_.variability;
    info_.variables.push_back(variable);
    return info_.variables.back();
}

Vector TestUnit::input_at(double since) const {
    Vector u = model_.u;
    for (std::size_t i = 0; i < u.size(); ++i) u[i] += slopes_[i] * since;
    return u;
}

namespace {

Vector sum(const Vector& x, double factor, const Vector& d) {
    Vector result = x;
    for (std::size_t i = 0; i < x.size(); ++i) result[i] += factor * d[i];
    return result;
}

}  // namespace

void TestUnit::integrate(double t, double length) {
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

}  // namespace tests
