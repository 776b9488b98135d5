#include "master/fmi/unit/ode_solver.hpp"

#include "master/base/error.hpp"
#include "master/fmi/unit/dense_solver.hpp"

#include <algorithm>
#include <arkode/arkode_arkstep.h>
#include <cvode/cvode.h>
#include <string>
#include <sunnonlinsol/sunnonlinsol_newton.h>

namespace master::fmi {
namespace {

class MultistepSolver final : public OdeSolver {
public:
    MultistepSolver(N_Vector states, const OdeCallbacks& callbacks, SUNContext context)
        : OdeSolver(states, context), memory_(CVodeCreate(CV_BDF, context)) {
        require_set_up(memory_ != nullptr, "out of memory");
        require_set_up(CVodeInit(memory_, callbacks.rates, 0, states) == CV_SUCCESS, "CVodeInit");
        require_set_up(CVodeWFtolerances(memory_, callbacks.weights) == CV_SUCCESS, "CVodeWFtolerances");
        require_set_up(CVodeSetUserData(memory_, callbacks.user) == CV_SUCCESS, "CVodeSetUserData");
        require_set_up(CVodeSetErrHandlerFn(memory_, callbacks.error, callbacks.user) == CV_SUCCESS,
                       "CVodeSetErrHandlerFn");
        require_set_up(CVodeSetLinearSolver(memory_, linear_solver(), matrix()) == CV_SUCCESS, "CVodeSetLinearSolver");
        require_set_up(CVodeSetJacFn(memory_, callbacks.jacobian) == CV_SUCCESS, "CVodeSetJacFn");
        require_set_up(CVodeSetMaxHnilWarns(memory_, -1) == CV_SUCCESS, "CVodeSetMaxHnilWarns");
        if (callbacks.root_count == 0) return;
        require_set_up(CVodeRootInit(memory_, callbacks.root_count, callbacks.roots) == CV_SUCCESS, "CVodeRootInit");
        require_set_up(CVodeSetNoInactiveRootWarn(memory_) == CV_SUCCESS, "CVodeSetNoInactiveRootWarn");
    }
    ~MultistepSolver() override { CVodeFree(&memory_); }

    void begin(double t, N_Vector states) override {
        require_set_up(CVodeReInit(memory_, t, states) == CV_SUCCESS, "CVodeReInit");
    }
    void limit_step(double limit) override {
        require_set_up(CVodeSetMaxStep(memory_, limit) == CV_SUCCESS, "CVodeSetMaxStep");
    }
    Outcome advance(double stop, N_Vector states, double& time) override {
        CVodeSetStopTime(memory_, stop);
        const int flag = CVode(memory_, stop, states, &time, CV_ONE_STEP);
        if (flag == CV_ROOT_RETURN) return Outcome::root;
        if (flag == CV_TSTOP_RETURN) return Outcome::reached_stop;
        return flag >= 0 ? Outcome::advanced : Outcome::failed;
    }
    void crossings(int* directions) override {
        require_set_up(CVodeGetRootInfo(memory_, directions) == CV_SUCCESS, "CVodeGetRootInfo");
    }
    bool newton_state(N_Vector weights, double& gamma) override {
        return CVodeGetErrWeights(memory_, weights) == CV_SUCCESS &&
               CVodeGetCurrentGamma(memory_, &gamma) == CV_SUCCESS;
    }

private:
    void* memory_;
};

/// When Newton's iteration has converged. ARKODE's own test takes the rate of convergence that earlier steps left
/// behind and so ends with the first iteration where the matrix has become a bad one since: with errors of thousands of
/// tolerances. Here the first iteration counts by its own length, and the rate is that of this solution.
class NewtonTest {
public:
    static int test(SUNNonlinearSolver solver, N_Vector /*states*/, N_Vector change, realtype tolerance,
                    N_Vector weights, void* self) {
        int iteration = 0;
        SUNNonlinSolGetCurIter(solver, &iteration);
        return static_cast<NewtonTest*>(self)->judge(iteration, N_VWrmsNorm(change, weights), tolerance);
    }

private:
    int judge(int iteration, double change, double tolerance) {
        constexpr double least_decay = 0.3, divergence = 2.3;  // as ARKODE has them
        const bool first = iteration == 0;
        rate_ = first ? 1 : std::max(least_decay * rate_, change / last_);
        if (change * std::min(1.0, rate_) <= tolerance) return SUN_NLS_SUCCESS;
        if (!first && change > divergence * last_) return SUN_NLS_CONV_RECVR;
        last_ = change;
        return SUN_NLS_CONTINUE;
    }

    double rate_ = 1;
    double last_ = 0;
};

class OneStepSolver final : public OdeSolver {
public:
    OneStepSolver(N_Vector states, const OdeCallbacks& callbacks, SUNContext context)
        : OdeSolver(states, context),
          rates_(callbacks.rates),
          memory_(ARKStepCreate(nullptr, callbacks.rates, 0, states, context)),
          newton_(SUNNonlinSol_Newton(states, context)) {
        require_set_up(memory_ != nullptr && newton_ != nullptr, "out of memory");
        require_set_up(ARKStepSetNonlinearSolver(memory_, newton_) == ARK_SUCCESS, "ARKStepSetNonlinearSolver");
        require_set_up(SUNNonlinSolSetConvTestFn(newton_, NewtonTest::test, &newton_test_) == SUN_NLS_SUCCESS,
                       "SUNNonlinSolSetConvTestFn");
        require_set_up(ARKStepSetTableNum(memory_, ARKODE_ESDIRK436L2SA_6_3_4, ARKODE_ERK_NONE) == ARK_SUCCESS,
                       "ARKStepSetTableNum");
        // What Newton's method leaves is of one sign from interruption to interruption, too: a hundredth of the usual
        // share.
        constexpr double newton_share = 1e-3;
        require_set_up(ARKStepSetNonlinConvCoef(memory_, newton_share) == ARK_SUCCESS, "ARKStepSetNonlinConvCoef");
        require_set_up(ARKStepSetDeduceImplicitRhs(memory_, SUNTRUE) == ARK_SUCCESS, "ARKStepSetDeduceImplicitRhs");
        require_set_up(ARKStepWFtolerances(memory_, callbacks.weights) == ARK_SUCCESS, "ARKStepWFtolerances");
        require_set_up(ARKStepSetUserData(memory_, callbacks.user) == ARK_SUCCESS, "ARKStepSetUserData");
        require_set_up(ARKStepSetErrHandlerFn(memory_, callbacks.error, callbacks.user) == ARK_SUCCESS,
                       "ARKStepSetErrHandlerFn");
        require_set_up(ARKStepSetLinearSolver(memory_, linear_solver(), matrix()) == ARK_SUCCESS,
                       "ARKStepSetLinearSolver");
        require_set_up(ARKStepSetJacFn(memory_, callbacks.jacobian) == ARK_SUCCESS, "ARKStepSetJacFn");
        require_set_up(ARKStepSetMaxHnilWarns(memory_, -1) == ARK_SUCCESS, "ARKStepSetMaxHnilWarns");
        if (callbacks.root_count == 0) return;
        require_set_up(ARKStepRootInit(memory_, callbacks.root_count, callbacks.roots) == ARK_SUCCESS,
                       "ARKStepRootInit");
        require_set_up(ARKStepSetNoInactiveRootWarn(memory_) == ARK_SUCCESS, "ARKStepSetNoInactiveRootWarn");
    }
    ~OneStepSolver() override {
        ARKStepFree(&memory_);
        SUNNonlinSolFree(newton_);
    }

    void begin(double t, N_Vector states) override {
        require_set_up(ARKStepReInit(memory_, nullptr, rates_, t, states) == ARK_SUCCESS, "ARKStepReInit");
    }
    void begin_again(double t, N_Vector states) override {
        require_set_up(ARKStepReset(memory_, t, states) == ARK_SUCCESS, "ARKStepReset");
    }
    void limit_step(double limit) override {
        require_set_up(ARKStepSetMaxStep(memory_, limit) == ARK_SUCCESS, "ARKStepSetMaxStep");
    }
    Outcome advance(double stop, N_Vector states, double& time) override {
        ARKStepSetStopTime(memory_, stop);
        const int flag = ARKStepEvolve(memory_, stop, states, &time, ARK_ONE_STEP);
        if (flag == ARK_ROOT_RETURN) return Outcome::root;
        if (flag == ARK_TSTOP_RETURN) return Outcome::reached_stop;
        return flag >= 0 ? Outcome::advanced : Outcome::failed;
    }
    void crossings(int* directions) override {
        require_set_up(ARKStepGetRootInfo(memory_, directions) == ARK_SUCCESS, "ARKStepGetRootInfo");
    }
    bool newton_state(N_Vector weights, double& gamma) override {
        return ARKStepGetErrWeights(memory_, weights) == ARK_SUCCESS &&
               ARKStepGetCurrentGamma(memory_, &gamma) == ARK_SUCCESS;
    }

private:
    ARKRhsFn rates_;
    void* memory_;
    SUNNonlinearSolver newton_;
    NewtonTest newton_test_;
};

}  // namespace

void require_set_up(bool success, const char* what) {
    if (!success)
        throw base::Error("integrator", "", std::string("the solver could not be set up: ") + what, base::Exit::failed);
}

OdeSolver::OdeSolver(N_Vector states, SUNContext context) : matrix_(make_dense_matrix(N_VGetLength(states), context)) {
    require_set_up(matrix_ != nullptr, "out of memory");
    linear_solver_.reset(make_dense_solver(states, matrix_.get(), context));
    require_set_up(linear_solver_ != nullptr, "out of memory");
}

std::unique_ptr<OdeSolver> make_multistep_solver(N_Vector states, const OdeCallbacks& callbacks, SUNContext context) {
    return std::make_unique<MultistepSolver>(states, callbacks, context);
}

std::unique_ptr<OdeSolver> make_one_step_solver(N_Vector states, const OdeCallbacks& callbacks, SUNContext context) {
    return std::make_unique<OneStepSolver>(states, callbacks, context);
}

}  // namespace master::fmi
