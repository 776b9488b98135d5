#pragma once

#include <memory>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_context.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

namespace master::fmi {

/// What a solver of SUNDIALS calls. `user` is handed to each of them.
struct OdeCallbacks {
    /// One over the error that each state is allowed.
    int (*weights)(N_Vector states, N_Vector weights, void* user);
    int (*rates)(realtype t, N_Vector states, N_Vector rates, void* user);
    int (*roots)(realtype t, N_Vector states, realtype* values, void* user);
    int (*jacobian)(realtype t, N_Vector states, N_Vector rates, SUNMatrix jacobian, void* user, N_Vector weights,
                    N_Vector moved, N_Vector moved_rates);
    void (*error)(int code, const char* module, const char* function, char* text, void* user);
    int root_count = 0;
    void* user = nullptr;
};

/// Throws where a solver could not be set up.
void require_set_up(bool success, const char* what);

/// One method of SUNDIALS with a dense Newton iteration, driven one accepted step at a time.
class OdeSolver {
public:
    virtual ~OdeSolver() = default;
    OdeSolver(const OdeSolver&) = delete;
    OdeSolver& operator=(const OdeSolver&) = delete;

    enum class Outcome { advanced, reached_stop, root, failed };

    /// Begins at `t` with `states`, which are copied; nothing is known of what is solved.
    virtual void begin(double t, N_Vector states) = 0;
    /// Begins at `t` with `states` where the right-hand side is much the same as before: with steps as long as before.
    virtual void begin_again(double t, N_Vector states) { begin(t, states); }
    virtual void limit_step(double limit) = 0;
    /// One accepted step, not beyond `stop`.
    [[nodiscard]] virtual Outcome advance(double stop, N_Vector states, double& time) = 0;
    virtual void crossings(int* directions) = 0;
    /// The weights of the error norm and the factor of the Jacobian in Newton's matrix; false where there are none yet.
    [[nodiscard]] virtual bool newton_state(N_Vector weights, double& gamma) = 0;

protected:
    OdeSolver(N_Vector states, SUNContext context);

    SUNMatrix matrix() const { return matrix_.get(); }
    SUNLinearSolver linear_solver() const { return linear_solver_.get(); }

private:
    struct Destroy {
        void operator()(SUNMatrix matrix) const { SUNMatDestroy(matrix); }
        void operator()(SUNLinearSolver solver) const { SUNLinSolFree(solver); }
    };
    std::unique_ptr<_generic_SUNMatrix, Destroy> matrix_;
    std::unique_ptr<_generic_SUNLinearSolver, Destroy> linear_solver_;
};

/// CVODE's backward differentiation formulas, orders 1 to 5. Cheapest where nothing interrupts: each beginning is of
/// order 1, and where beginnings follow closely upon one another their errors, all of one sign, add up.
[[nodiscard]] std::unique_ptr<OdeSolver> make_multistep_solver(N_Vector states, const OdeCallbacks& callbacks,
                                                               SUNContext context);
/// ARKODE's implicit Runge-Kutta method of order 4 (Kennedy and Carpenter's ESDIRK4(3)6L[2]SA, L-stable): every step
/// has the full order, the first one too.
[[nodiscard]] std::unique_ptr<OdeSolver> make_one_step_solver(N_Vector states, const OdeCallbacks& callbacks,
                                                              SUNContext context);

}  // namespace master::fmi
