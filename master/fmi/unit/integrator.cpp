#include "master/fmi/unit/integrator.hpp"

#include "master/fmi/unit/dense_solver.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace master::fmi {
namespace {

/// Steps after which CVODE itself evaluates a Jacobian again (its msbj).
constexpr int most_steps_with_one_jacobian = 50;
/// Steps of the one-step method after which the multistep method takes over.
constexpr int steps_before_multistep = 50;
/// Its first steps are of low order and are allowed less error: it would be most of all that is made from there on.
constexpr int steps_of_low_order = 12;
constexpr double share_of_low_order = 0.01;

}  // namespace

Integrator::Integrator(OdeSystem& system, std::size_t states, std::size_t indicators)
    : system_(system), state_count_(states), indicator_count_(indicators) {
    const auto dimension = static_cast<sunindextype>(std::max<std::size_t>(states, 1));
    require_set_up(SUNContext_Create(nullptr, &context_) == 0, "SUNContext_Create");
    states_ = N_VNew_Serial(dimension, context_);
    tolerances_ = N_VNew_Serial(dimension, context_);
    kept_ = make_dense_matrix(dimension, context_);
    require_set_up(states_ != nullptr && tolerances_ != nullptr && kept_ != nullptr, "out of memory");
    N_VConst(0, states_);
    N_VConst(1, tolerances_);
    const OdeCallbacks callbacks{.weights = weights_callback,
                                 .rates = rates_callback,
                                 .roots = roots_callback,
                                 .jacobian = jacobian_callback,
                                 .error = error_callback,
                                 .root_count = static_cast<int>(indicators),
                                 .user = this};
    one_step_ = make_one_step_solver(states_, callbacks, context_);
    multistep_ = make_multistep_solver(states_, callbacks, context_);
    active_ = one_step_.get();
}

Integrator::~Integrator() {
    one_step_.reset();
    multistep_.reset();
    if (kept_ != nullptr) SUNMatDestroy(kept_);
    if (tolerances_ != nullptr) N_VDestroy(tolerances_);
    if (states_ != nullptr) N_VDestroy(states_);
    if (context_ != nullptr) SUNContext_Free(&context_);
}

void Integrator::set_tolerances(double relative, std::span<const double> absolute) {
    relative_ = relative;
    std::ranges::copy(absolute, N_VGetArrayPointer(tolerances_));
}

void Integrator::reset(double t) {
    time_ = t;
    uninterrupted_ = 0;
    active_ = one_step_.get();
    offers_kept_ = false;
    one_step_->begin(t, states_);
}

void Integrator::restart(double t) {
    if (active_ == one_step_.get()) {
        time_ = t;
        uninterrupted_ = 0;
        one_step_->begin_again(t, states_);
    } else {
        reset(t);
    }
    offers_kept_ = has_kept();
}

void Integrator::begin_multistep() {
    active_ = multistep_.get();
    offers_kept_ = has_kept();
    multistep_->begin(time_, states_);
}

bool Integrator::has_kept() const { return jacobians_ > 0 && steps_with_kept_ < most_steps_with_one_jacobian; }

void Integrator::limit_step(double limit) {
    if (limit == step_limit_) return;
    step_limit_ = limit;
    for (OdeSolver* solver : {one_step_.get(), multistep_.get()}) solver->limit_step(limit);
}

std::span<const int> Integrator::crossings() {
    crossings_.resize(indicator_count_);
    active_->crossings(crossings_.data());
    return crossings_;
}

Integrator::Outcome Integrator::advance(double stop) {
    if (uninterrupted_ < steps_before_multistep + steps_of_low_order) ++uninterrupted_;
    if (uninterrupted_ == steps_before_multistep) begin_multistep();
    // Nothing limits the step without states, and zeros are seen only as sign changes from step to step.
    constexpr double parts = 10;
    if (state_count_ == 0) active_->limit_step(span_ / parts);
    ++steps_with_kept_;
    return active_->advance(stop, states_, time_);
}

int Integrator::weights_callback(N_Vector states, N_Vector weights, void* self) {
    const auto& integrator = *static_cast<Integrator*>(self);
    const int since_beginning = integrator.uninterrupted_ - steps_before_multistep;
    const double share = since_beginning >= 0 && since_beginning < steps_of_low_order ? share_of_low_order : 1;
    const double* state = N_VGetArrayPointer(states);
    const double* absolute = N_VGetArrayPointer(integrator.tolerances_);
    double* weight = N_VGetArrayPointer(weights);
    for (sunindextype i = 0; i < N_VGetLength(states); ++i) {
        const double allowed = share * (integrator.relative_ * std::fabs(state[i]) + absolute[i]);
        if (!(allowed > 0)) return -1;
        weight[i] = 1 / allowed;
    }
    return 0;
}

int Integrator::rates_callback(realtype t, N_Vector states, N_Vector rates, void* self) {
    auto& integrator = *static_cast<Integrator*>(self);
    if (integrator.state_count_ == 0) {
        N_VConst(0, rates);
        return 0;
    }
    ++integrator.evaluations_;
    return integrator.system_.derivatives(t, N_VGetArrayPointer(states), N_VGetArrayPointer(rates));
}

int Integrator::jacobian_callback(realtype t, N_Vector states, N_Vector rates, SUNMatrix jacobian, void* self,
                                  N_Vector weights, N_Vector moved, N_Vector moved_rates) {
    auto& integrator = *static_cast<Integrator*>(self);
    if (std::exchange(integrator.offers_kept_, false)) return SUNMatCopy(integrator.kept_, jacobian);
    const int result = integrator.differentiate(t, states, rates, jacobian, weights, moved, moved_rates);
    if (result != 0) return result;
    ++integrator.jacobians_;
    integrator.steps_with_kept_ = 0;
    return SUNMatCopy(jacobian, integrator.kept_);
}

/// Forward differences, with the increments of CVODE's own (user guide, "dense difference quotient"): the root of the
/// rounding error of a state, but not so little that the change of the rates drowns in theirs.
int Integrator::differentiate(double t, N_Vector states, N_Vector rates, SUNMatrix jacobian, N_Vector weights,
                              N_Vector moved, N_Vector moved_rates) {
    constexpr double rounding = std::numeric_limits<double>::epsilon();
    double step = 0;
    if (!active_->newton_state(weights, step)) return -1;
    const sunindextype count = N_VGetLength(states);
    const double norm = N_VWrmsNorm(rates, weights);
    const double least = norm > 0 ? 1000 * std::fabs(step) * rounding * static_cast<double>(count) * norm : 1;
    const double* from = N_VGetArrayPointer(rates);
    const double* to = N_VGetArrayPointer(moved_rates);
    N_VScale(1, states, moved);
    for (sunindextype column = 0; column < count; ++column) {
        double& state = N_VGetArrayPointer(moved)[column];
        const double value = state;
        const double increment =
            std::max(std::sqrt(rounding) * std::fabs(value), least / N_VGetArrayPointer(weights)[column]);
        state += increment;
        if (const int result = rates_callback(t, moved, moved_rates, this)) return result;
        state = value;
        double* derivatives = SUNDenseMatrix_Column(jacobian, column);
        for (sunindextype row = 0; row < count; ++row) derivatives[row] = (to[row] - from[row]) / increment;
    }
    return 0;
}

/// FMI divides an indicator's values into z > 0 and z <= 0. CVODE looks for sign changes and ignores a function that is
/// exactly zero, so zero is given to it as the smallest negative number.
int Integrator::roots_callback(realtype t, N_Vector states, realtype* values, void* self) {
    auto& integrator = *static_cast<Integrator*>(self);
    const int result = integrator.system_.indicators(t, N_VGetArrayPointer(states), values);
    for (std::size_t i = 0; i < integrator.indicator_count_; ++i) {
        if (values[i] == 0) values[i] = -std::numeric_limits<double>::min();
    }
    return result;
}

void Integrator::error_callback(int /*code*/, const char* /*module*/, const char* function, char* text, void* self) {
    try {
        static_cast<Integrator*>(self)->message_ = std::string(function) + ": " + text;
    } catch (...) {  // called from C: the failure itself is reported by its code
    }
}

}  // namespace master::fmi
