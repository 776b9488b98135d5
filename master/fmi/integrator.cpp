#include "master/fmi/integrator.hpp"

#include "master/error.hpp"

#include <algorithm>
#include <limits>

namespace master::fmi {
namespace {

void require(bool success, const char* what) {
    if (!success) throw Error("integrator", "", std::string("CVODE could not be set up: ") + what, Exit::failed);
}

}  // namespace

Integrator::Integrator(OdeSystem& system, std::size_t states, std::size_t indicators)
    : system_(system), state_count_(states), indicator_count_(indicators) {
    const auto dimension = static_cast<sunindextype>(std::max<std::size_t>(states, 1));
    require(SUNContext_Create(nullptr, &context_) == 0, "SUNContext_Create");
    states_ = N_VNew_Serial(dimension, context_);
    tolerances_ = N_VNew_Serial(dimension, context_);
    matrix_ = SUNDenseMatrix(dimension, dimension, context_);
    require(states_ != nullptr && tolerances_ != nullptr && matrix_ != nullptr, "out of memory");
    solver_ = SUNLinSol_Dense(states_, matrix_, context_);
    memory_ = CVodeCreate(CV_BDF, context_);
    require(solver_ != nullptr && memory_ != nullptr, "out of memory");
    N_VConst(0, states_);
    N_VConst(1, tolerances_);
}

Integrator::~Integrator() {
    if (memory_ != nullptr) CVodeFree(&memory_);
    if (solver_ != nullptr) SUNLinSolFree(solver_);
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

void Integrator::reset(double t) {
    time_ = t;
    if (initialised_) {
        require(CVodeReInit(memory_, t, states_) == CV_SUCCESS, "CVodeReInit");
        return;
    }
    require(CVodeInit(memory_, rates_callback, t, states_) == CV_SUCCESS, "CVodeInit");
    require(CVodeSetUserData(memory_, this) == CV_SUCCESS, "CVodeSetUserData");
    require(CVodeSetErrHandlerFn(memory_, error_callback, this) == CV_SUCCESS, "CVodeSetErrHandlerFn");
    require(CVodeSVtolerances(memory_, relative_, tolerances_) == CV_SUCCESS, "tolerances");
    require(CVodeSetLinearSolver(memory_, solver_, matrix_) == CV_SUCCESS, "CVodeSetLinearSolver");
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
    if (flag == CV_ROOT_RETURN) return Outcome::root;
    if (flag == CV_TSTOP_RETURN) return Outcome::reached_stop;
    return flag >= 0 ? Outcome::advanced : Outcome::failed;
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
