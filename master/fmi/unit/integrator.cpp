#include "master/fmi/unit/integrator.hpp"

#include "master/base/error.hpp"
#include "master/fmi/unit/dense_solver.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace master::fmi {
namespace {

/// Steps after which CVODE itself evaluates a Jacobian again (its msbj).
constexpr int most_steps_with_one_jacobian = 50;

void require(bool success, const char* what) {
    if (!success)
        throw base::Error("integrator", "", std::string("CVODE could not be set up: ") + what, base::Exit::failed);
}

}  // namespace

Integrator::Integrator(OdeSystem& system, std::size_t states, std::size_t indicators)
    : system_(system), state_count_(states), indicator_count_(indicators) {
    const auto dimension = static_cast<sunindextype>(std::max<std::size_t>(states, 1));
    require(SUNContext_Create(nullptr, &context_) == 0, "SUNContext_Create");
    states_ = N_VNew_Serial(dimension, context_);
    tolerances_ = N_VNew_Serial(dimension, context_);
    matrix_ = make_dense_matrix(dimension, context_);
    kept_ = make_dense_matrix(dimension, context_);
    require(states_ != nullptr && tolerances_ != nullptr && matrix_ != nullptr && kept_ != nullptr, "out of memory");
    solver_ = make_dense_solver(states_, matrix_, context_);
    memory_ = CVodeCreate(CV_BDF, context_);
    require(solver_ != nullptr && memory_ != nullptr, "out of memory");
    N_VConst(0, states_);
    N_VConst(1, tolerances_);
}

Integrator::~Integrator() {
    if (memory_ != nullptr) CVodeFree(&memory_);
    if (solver_ != nullptr) SUNLinSolFree(solver_);
    if (kept_ != nullptr) SUNMatDestroy(kept_);
    if (matrix_ != nullptr) SUNMatDestroy(matrix_);
    if (tolerances_ != nullptr) N_VDestroy(tolerances_);
    if (states_ != nullptr) N_VDestroy(states_);
    if (context_ != nullptr) SUNContext_Free(&context_);
}

void Integrator::set_tolerances(double relative, std::span<const double> absolute) {
    relative_ = relative;
    std::ranges::copy(absolute, N_VGetArrayPointer(tolerances_));
    if (initialised_) require(CVodeSVtolerances(memory_, relative_, tolerances_) == CV_SUCCESS, "tolerances");
}

void Integrator::restart(double t) {
    const bool has_kept = initialised_ && jacobians_ > 0 && steps_with_kept_ < most_steps_with_one_jacobian;
    reset(t);
    offers_kept_ = has_kept;
    require(CVodeSetInitStep(memory_, first_step_) == CV_SUCCESS, "CVodeSetInitStep");
}

void Integrator::reset(double t) {
    time_ = t;
    begins_ = true;
    offers_kept_ = false;
    if (!initialised_) return initialise(t);
    require(CVodeReInit(memory_, t, states_) == CV_SUCCESS, "CVodeReInit");
    require(CVodeSetInitStep(memory_, 0) == CV_SUCCESS, "CVodeSetInitStep");
}

void Integrator::initialise(double t) {
    require(CVodeInit(memory_, rates_callback, t, states_) == CV_SUCCESS, "CVodeInit");
    require(CVodeSetUserData(memory_, this) == CV_SUCCESS, "CVodeSetUserData");
    require(CVodeSetErrHandlerFn(memory_, error_callback, this) == CV_SUCCESS, "CVodeSetErrHandlerFn");
    require(CVodeSVtolerances(memory_, relative_, tolerances_) == CV_SUCCESS, "tolerances");
    require(CVodeSetLinearSolver(memory_, solver_, matrix_) == CV_SUCCESS, "CVodeSetLinearSolver");
    require(CVodeSetJacFn(memory_, jacobian_callback) == CV_SUCCESS, "CVodeSetJacFn");
    require(CVodeSetMaxHnilWarns(memory_, -1) == CV_SUCCESS, "CVodeSetMaxHnilWarns");
    if (indicator_count_ > 0) {
        require(CVodeRootInit(memory_, static_cast<int>(indicator_count_), roots_callback) == CV_SUCCESS,
                "CVodeRootInit");
        require(CVodeSetNoInactiveRootWarn(memory_) == CV_SUCCESS, "CVodeSetNoInactiveRootWarn");
    }
    initialised_ = true;
}

void Integrator::limit_step(double limit) {
    if (limit == step_limit_) return;
    step_limit_ = limit;
    require(CVodeSetMaxStep(memory_, limit) == CV_SUCCESS, "CVodeSetMaxStep");
}

std::span<const int> Integrator::crossings() {
    crossings_.resize(indicator_count_);
    require(CVodeGetRootInfo(memory_, crossings_.data()) == CV_SUCCESS, "CVodeGetRootInfo");
    return crossings_;
}

Integrator::Outcome Integrator::advance(double stop) {
    // Nothing limits the step without states, and zeros are seen only as sign changes from step to step.
    constexpr double parts = 10;
    if (state_count_ == 0) CVodeSetMaxStep(memory_, span_ / parts);
    CVodeSetStopTime(memory_, stop);
    const int flag = CVode(memory_, stop, states_, &time_, CV_ONE_STEP);
    ++steps_with_kept_;
    if (std::exchange(begins_, false) && flag == CV_SUCCESS) remember_first_step();
    if (flag == CV_ROOT_RETURN) return Outcome::root;
    if (flag == CV_TSTOP_RETURN) return Outcome::reached_stop;
    return flag >= 0 ? Outcome::advanced : Outcome::failed;
}

/// The next step is what the error of the first would have allowed, unless it is cut short by the stop.
void Integrator::remember_first_step() {
    double taken = 0;
    double next = 0;
    CVodeGetLastStep(memory_, &taken);
    CVodeGetCurrentStep(memory_, &next);
    first_step_ = std::max(taken, next);
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
    if (CVodeGetErrWeights(memory_, weights) != CV_SUCCESS || CVodeGetCurrentGamma(memory_, &step) != CV_SUCCESS) {
        return -1;
    }
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
