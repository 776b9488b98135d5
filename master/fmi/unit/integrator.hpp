#pragma once

#include "master/fmi/unit/inner_crossing.hpp"

#include <cstddef>
#include <cstdint>
#include <nvector/nvector_serial.h>
#include <span>
#include <string>
#include <sundials/sundials_context.h>
#include <sundials/sundials_nonlinearsolver.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <vector>

namespace master::fmi {

/// An ordinary differential equation with event indicators. The functions return 0, a positive number when a smaller
/// step may help, or a negative one when nothing will.
class OdeSystem {
public:
    virtual ~OdeSystem() = default;
    [[nodiscard]] virtual int derivatives(double t, const double* states, double* rates) = 0;
    [[nodiscard]] virtual int indicators(double t, const double* states, double* values) = 0;
};

/// Solves an `OdeSystem`, one accepted step at a time, by ARKODE's implicit Runge-Kutta method of order 4 (Kennedy and
/// Carpenter's ESDIRK4(3)6L[2]SA): every step has the full order, also the first one after an interruption, and it is
/// L-stable, so that neither what is stiff nor what swings without damping grows. A multistep method is neither: it
/// begins with order 1, and where interruptions follow closely upon one another their errors, all of one sign, add up.
/// Without states it integrates a constant, so that event indicators are still searched for their zeros.
class Integrator {
public:
    Integrator(OdeSystem& system, std::size_t states, std::size_t indicators);
    ~Integrator();
    Integrator(const Integrator&) = delete;
    Integrator& operator=(const Integrator&) = delete;

    /// Relative tolerance, and an absolute one for each state.
    void set_tolerances(double relative, std::span<const double> absolute);
    /// Begins anew at `t` with the values in `states()`: after an event nothing that the solver knows is of use.
    void reset(double t);
    /// Begins anew at `t` after inputs jumped: step length and Jacobian are kept until they prove bad. They decide on
    /// the speed of convergence only; the errors allowed are the same.
    void restart(double t);

    enum class Outcome : std::uint8_t { advanced, reached_stop, root, failed };
    /// The longest time that `advance` will be asked for from here, e.g. the communication step.
    void set_span(double span) { span_ = span; }
    /// The longest step from here on; zero for no limit.
    void limit_step(double limit);
    /// One accepted step, not beyond `stop`.
    [[nodiscard]] Outcome advance(double stop);
    /// After `Outcome::root`, per indicator: 1 where it rises through zero, -1 where it falls, else 0.
    [[nodiscard]] std::span<const int> crossings() const { return crossings_; }

    [[nodiscard]] double time() const { return time_; }
    [[nodiscard]] std::span<double> states() { return {N_VGetArrayPointer(states_), state_count_}; }
    /// What the solver said about a failure.
    [[nodiscard]] const std::string& message() const { return message_; }
    [[nodiscard]] std::uint64_t evaluations() const { return evaluations_; }
    [[nodiscard]] std::uint64_t jacobians() const { return jacobians_; }

private:
    static int weights_callback(N_Vector states, N_Vector weights, void* self);
    static int rates_callback(realtype t, N_Vector states, N_Vector rates, void* self);
    static int roots_callback(realtype t, N_Vector states, realtype* values, void* self);
    static int jacobian_callback(realtype t, N_Vector states, N_Vector rates, SUNMatrix jacobian, void* self,
                                 N_Vector weights, N_Vector moved, N_Vector moved_rates);
    static void error_callback(int code, const char* module, const char* function, char* text, void* self);
    static int newton_test(SUNNonlinearSolver solver, N_Vector states, N_Vector change, realtype tolerance,
                           N_Vector weights, void* self);
    void set_up();
    [[nodiscard]] bool crosses_inside();
    [[nodiscard]] bool look(double t, double* values);
    [[nodiscard]] int differentiate(double t, N_Vector states, N_Vector rates, SUNMatrix jacobian, N_Vector weights,
                                    N_Vector moved, N_Vector moved_rates);

    OdeSystem& system_;
    std::size_t state_count_;
    std::size_t indicator_count_;
    SUNContext context_ = nullptr;
    N_Vector states_ = nullptr;
    N_Vector inner_states_ = nullptr;
    N_Vector tolerances_ = nullptr;
    SUNMatrix matrix_ = nullptr;
    SUNMatrix kept_ = nullptr;  // the last Jacobian
    SUNLinearSolver linear_solver_ = nullptr;
    SUNNonlinearSolver newton_ = nullptr;
    void* memory_ = nullptr;
    struct NewtonProgress {
        double rate = 1;  // of convergence, of the present solution
        double last = 0;  // change
    } newton_progress_;
    double relative_ = 1e-6;
    double time_ = 0;
    double span_ = 1;
    double step_limit_ = 0;
    InnerCrossing inner_;
    std::vector<int> crossings_;
    std::uint64_t evaluations_ = 0;
    std::uint64_t jacobians_ = 0;
    int steps_with_kept_ = 0;
    bool offers_kept_ = false;  // the first Jacobian that is asked for after a restart is the kept one
    std::string message_;
};

}  // namespace master::fmi
