#include "master/fmi/unit/integrator.hpp"

#include "master/base/error.hpp"
#include "master/fmi/unit/dense_solver.hpp"

#include <algorithm>
#include <arkode/arkode_arkstep.h>
#include <cmath>
#include <limits>
#include <sunnonlinsol/sunnonlinsol_newton.h>
#include <utility>

namespace master::fmi {
namespace {

/// Steps after which ARKODE itself evaluates a Jacobian again (its msbj).
constexpr int most_steps_with_one_jacobian = 50;
/// Attempts at one step: after an interruption the first one may be as long as the communication step, and what follows
/// as fast as the stiffest part of the unit. Each attempt is at most a third of the last.
constexpr int most_attempts = 60;
/// Of the error allowed in a step. What Newton's method leaves is of one sign from interruption to interruption: a
/// hundredth of the usual share.
constexpr double newton_share = 1e-3;

void require_set_up(bool success, const char* what) {
    if (!success)
        throw base::Error("integrator", "", std::string("the solver could not be set up: ") + what, base::Exit::failed);
}

}  // namespace

/// ARKODE's own test takes the rate of convergence that earlier steps left behind and so ends with the first iteration
/// where the matrix has become a bad one since: with errors of thousands of tolerances. Here the first iteration counts
/// by its own length, and the rate is that of this solution.
int Integrator::newton_test(SUNNonlinearSolver solver, N_Vector /*states*/, N_Vector change, realtype tolerance,
                            N_Vector weights, void* self) {
    constexpr double least_decay = 0.3, divergence = 2.3;  // as ARKODE has them
    NewtonProgress& progress = static_cast<Integrator*>(self)->newton_progress_;
    int iteration = 0;
    SUNNonlinSolGetCurIter(solver, &iteration);
    const double length = N_VWrmsNorm(change, weights);
    progress.rate = iteration == 0 ? 1 : std::max(least_decay * progress.rate, length / progress.last);
    if (length * std::min(1.0, progress.rate) <= tolerance) return SUN_NLS_SUCCESS;
    if (iteration > 0 && length > divergence * progress.last) return SUN_NLS_CONV_RECVR;
    progress.last = length;
    return SUN_NLS_CONTINUE;
}

Integrator::Integrator(OdeSystem& system, std::size_t states, std::size_t indicators)
    : system_(system),
      state_count_(states),
      indicator_count_(indicators),
      inner_(indicators, [this](double t, double* values) { return look(t, values); }),
      crossings_(indicators) {
    const auto dimension = static_cast<sunindextype>(std::max<std::size_t>(states, 1));
    require_set_up(SUNContext_Create(nullptr, &context_) == 0, "SUNContext_Create");
    states_ = N_VNew_Serial(dimension, context_);
    inner_states_ = N_VNew_Serial(dimension, context_);
    tolerances_ = N_VNew_Serial(dimension, context_);
    matrix_ = make_dense_matrix(dimension, context_);
    kept_ = make_dense_matrix(dimension, context_);
    for (const N_Vector vector : {states_, inner_states_, tolerances_})
        require_set_up(vector != nullptr, "out of memory");
    require_set_up(matrix_ != nullptr && kept_ != nullptr, "out of memory");
    N_VConst(0, states_);
    N_VConst(1, tolerances_);
    linear_solver_ = make_dense_solver(states_, matrix_, context_);
    newton_ = SUNNonlinSol_Newton(states_, context_);
    memory_ = ARKStepCreate(nullptr, rates_callback, 0, states_, context_);
    require_set_up(linear_solver_ != nullptr && newton_ != nullptr && memory_ != nullptr, "out of memory");
    set_up();
}

void Integrator::set_up() {
    const auto require = [](int flag, const char* what) { require_set_up(flag == ARK_SUCCESS, what); };
    require(ARKStepSetTableNum(memory_, ARKODE_ESDIRK436L2SA_6_3_4, ARKODE_ERK_NONE), "ARKStepSetTableNum");
    require(ARKStepSetNonlinearSolver(memory_, newton_), "ARKStepSetNonlinearSolver");
    require_set_up(SUNNonlinSolSetConvTestFn(newton_, newton_test, this) == SUN_NLS_SUCCESS,
                   "SUNNonlinSolSetConvTestFn");
    require(ARKStepSetNonlinConvCoef(memory_, newton_share), "ARKStepSetNonlinConvCoef");
    require(ARKStepSetDeduceImplicitRhs(memory_, SUNTRUE), "ARKStepSetDeduceImplicitRhs");
    require(ARKStepSetMaxErrTestFails(memory_, most_attempts), "ARKStepSetMaxErrTestFails");
    require(ARKStepSetMaxConvFails(memory_, most_attempts), "ARKStepSetMaxConvFails");
    require(ARKStepWFtolerances(memory_, weights_callback), "ARKStepWFtolerances");
    require(ARKStepSetUserData(memory_, this), "ARKStepSetUserData");
    require(ARKStepSetErrHandlerFn(memory_, error_callback, this), "ARKStepSetErrHandlerFn");
    require(ARKStepSetLinearSolver(memory_, linear_solver_, matrix_), "ARKStepSetLinearSolver");
    require(ARKStepSetJacFn(memory_, jacobian_callback), "ARKStepSetJacFn");
    require(ARKStepSetMaxHnilWarns(memory_, -1), "ARKStepSetMaxHnilWarns");
    if (indicator_count_ == 0) return;
    require(ARKStepRootInit(memory_, static_cast<int>(indicator_count_), roots_callback), "ARKStepRootInit");
    require(ARKStepSetNoInactiveRootWarn(memory_), "ARKStepSetNoInactiveRootWarn");
}

Integrator::~Integrator() {
    if (memory_ != nullptr) ARKStepFree(&memory_);
    if (newton_ != nullptr) SUNNonlinSolFree(newton_);
    if (linear_solver_ != nullptr) SUNLinSolFree(linear_solver_);
    if (kept_ != nullptr) SUNMatDestroy(kept_);
    if (matrix_ != nullptr) SUNMatDestroy(matrix_);
    if (tolerances_ != nullptr) N_VDestroy(tolerances_);
    if (inner_states_ != nullptr) N_VDestroy(inner_states_);
    if (states_ != nullptr) N_VDestroy(states_);
    if (context_ != nullptr) SUNContext_Free(&context_);
}

void Integrator::set_tolerances(double relative, std::span<const double> absolute) {
    relative_ = relative;
    std::ranges::copy(absolute, N_VGetArrayPointer(tolerances_));
}

void Integrator::reset(double t) {
    time_ = t;
    inner_.forget();
    offers_kept_ = false;
    require_set_up(ARKStepReInit(memory_, nullptr, rates_callback, t, states_) == ARK_SUCCESS, "ARKStepReInit");
}

void Integrator::restart(double t) {
    time_ = t;
    inner_.forget();
    offers_kept_ = jacobians_ > 0 && steps_with_kept_ < most_steps_with_one_jacobian;
    require_set_up(ARKStepReset(memory_, t, states_) == ARK_SUCCESS, "ARKStepReset");
}

void Integrator::limit_step(double limit) {
    if (limit == step_limit_) return;
    step_limit_ = limit;
    require_set_up(ARKStepSetMaxStep(memory_, limit) == ARK_SUCCESS, "ARKStepSetMaxStep");
}

Integrator::Outcome Integrator::advance(double stop) {
    // Nothing limits the step without states, and zeros are seen only as sign changes from step to step.
    constexpr double parts = 10;
    if (state_count_ == 0) ARKStepSetMaxStep(memory_, span_ / parts);
    ++steps_with_kept_;
    ARKStepSetStopTime(memory_, stop);
    if (indicator_count_ > 0) inner_.begin(time_);
    const int flag = ARKStepEvolve(memory_, stop, states_, &time_, ARK_ONE_STEP);
    if (flag < 0) return Outcome::failed;
    if (indicator_count_ > 0 && crosses_inside()) return Outcome::root;
    if (flag == ARK_ROOT_RETURN) {
        require_set_up(ARKStepGetRootInfo(memory_, crossings_.data()) == ARK_SUCCESS, "ARKStepGetRootInfo");
        return Outcome::root;
    }
    return flag == ARK_TSTOP_RETURN ? Outcome::reached_stop : Outcome::advanced;
}

/// Goes back to where an indicator crossed in the step just made, if one did before what the solver saw.
bool Integrator::crosses_inside() {
    const std::optional<double> found = inner_.find(time_);
    if (!found || ARKStepGetDky(memory_, *found, 0, states_) != ARK_SUCCESS) return false;
    time_ = *found;
    std::ranges::copy(inner_.crossings(), crossings_.begin());
    return true;
}

/// Indicators at the solver's time, or earlier in its last step.
bool Integrator::look(double t, double* values) {
    const bool now = t == time_;
    if (!now && ARKStepGetDky(memory_, t, 0, inner_states_) != ARK_SUCCESS) return false;
    return system_.indicators(t, N_VGetArrayPointer(now ? states_ : inner_states_), values) == 0;
}

int Integrator::weights_callback(N_Vector states, N_Vector weights, void* self) {
    const auto& integrator = *static_cast<Integrator*>(self);
    const double* state = N_VGetArrayPointer(states);
    const double* absolute = N_VGetArrayPointer(integrator.tolerances_);
    double* weight = N_VGetArrayPointer(weights);
    for (sunindextype i = 0; i < N_VGetLength(states); ++i) {
        const double allowed = integrator.relative_ * std::fabs(state[i]) + absolute[i];
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

/// Forward differences, with the increments of SUNDIALS' own (user guide, "dense difference quotient"): the root of the
/// rounding error of a state, but not so little that the change of the rates drowns in theirs.
int Integrator::differentiate(double t, N_Vector states, N_Vector rates, SUNMatrix jacobian, N_Vector weights,
                              N_Vector moved, N_Vector moved_rates) {
    constexpr double rounding = std::numeric_limits<double>::epsilon();
    double step = 0;
    if (ARKStepGetErrWeights(memory_, weights) != ARK_SUCCESS) return -1;
    if (ARKStepGetCurrentGamma(memory_, &step) != ARK_SUCCESS) return -1;
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

/// FMI divides an indicator's values into z > 0 and z <= 0. ARKODE looks for sign changes and ignores a function that
/// is exactly zero, so zero is given to it as the smallest negative number.
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
