#include "models/machine/hydraulics/cvode_solver.hpp"

#include <algorithm>
#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <stdexcept>
#include <string>
#include <sundials/sundials_context.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

namespace models::hydraulics {

namespace {

constexpr std::size_t energies = 7;
constexpr double spool_tolerance = 1e-8;
constexpr double energy_tolerance = 1;  // J; the ledger must not steer the step
constexpr long most_steps = 100000;

std::size_t size_of(const Parameters& parameters) { return 4 * parameters.count + 2 + energies; }

void require(bool success, const char* what) {
    if (!success) throw std::runtime_error(std::string("CVODE could not be set up: ") + what);
}

/// Passes every number of the state, in one order, to `function(number, tolerance)`.
template <class Function>
void for_each_number(const Parameters& parameters, State& state, const Function& function) {
    for (std::size_t i = 0; i < parameters.count; ++i) {
        function(state.fluid.a[i], pressure_tolerance);
        function(state.fluid.b[i], pressure_tolerance);
        function(state.spools.position[i], spool_tolerance);
        function(state.spools.velocity[i], spool_tolerance * parameters.valve.frequency);
    }
    function(state.fluid.supply, pressure_tolerance);
    function(state.fluid.flow_rate, flow_tolerance(parameters));
    Energy& energy = state.energy;
    for (double* part : {&energy.pump, &energy.throttle_in, &energy.throttle_out, &energy.leak, &energy.relief,
                         &energy.compression, &energy.work})
        function(*part, energy_tolerance);
}

}  // namespace

struct CvodeSolver::Memory {
    explicit Memory(std::size_t size) {
        const auto dimension = static_cast<sunindextype>(size);
        require(SUNContext_Create(nullptr, &context) == 0, "SUNContext_Create");
        states = N_VNew_Serial(dimension, context);
        tolerances = N_VNew_Serial(dimension, context);
        matrix = SUNDenseMatrix(dimension, dimension, context);
        require(states != nullptr && tolerances != nullptr && matrix != nullptr, "out of memory");
        solver = SUNLinSol_Dense(states, matrix, context);
        cvode = CVodeCreate(CV_BDF, context);
        require(solver != nullptr && cvode != nullptr, "out of memory");
    }
    ~Memory() {
        if (cvode != nullptr) CVodeFree(&cvode);
        if (solver != nullptr) SUNLinSolFree(solver);
        if (matrix != nullptr) SUNMatDestroy(matrix);
        if (tolerances != nullptr) N_VDestroy(tolerances);
        if (states != nullptr) N_VDestroy(states);
        if (context != nullptr) SUNContext_Free(&context);
    }
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;

    static int rates_callback(realtype t, N_Vector values, N_Vector rates, void* self);
    static void error_callback(int, const char*, const char*, char* text, void* self) {
        static_cast<Memory*>(self)->message = text;
    }

    SUNContext context = nullptr;
    N_Vector states = nullptr, tolerances = nullptr;
    SUNMatrix matrix = nullptr;
    SUNLinearSolver solver = nullptr;
    void* cvode = nullptr;
    bool initialised = false;
    const Parameters* parameters = nullptr;  // of the step under way
    const Inputs* inputs = nullptr;
    std::string message;
};

int CvodeSolver::Memory::rates_callback(realtype t, N_Vector values, N_Vector rates, void* self) {
    const Memory& memory = *static_cast<Memory*>(self);
    const Parameters& parameters = *memory.parameters;
    State state, rate;
    const double* from = N_VGetArrayPointer(values);
    for_each_number(parameters, state, [&](double& number, double) { number = *from++; });
    const Balance now = balance({parameters, *memory.inputs, t, state.fluid, state.spools});
    rate.fluid = now.rates;
    rate.energy = now.powers;
    rate.spools.position = state.spools.velocity;
    rate.spools.velocity = spool_rates(parameters, *memory.inputs, state.spools);
    double* to = N_VGetArrayPointer(rates);
    for_each_number(parameters, rate, [&](double& number, double) { *to++ = number; });
    return 0;
}

CvodeSolver::CvodeSolver() = default;
CvodeSolver::~CvodeSolver() = default;
CvodeSolver::CvodeSolver(const CvodeSolver&) {}
CvodeSolver& CvodeSolver::operator=(const CvodeSolver& other) {
    if (this != &other) memory_.reset();
    return *this;
}

void CvodeSolver::advance(const Parameters& parameters, const Inputs& inputs, State& state, double h,
                          double tolerance) {
    if (!memory_) memory_ = std::make_unique<Memory>(size_of(parameters));
    Memory& memory = *memory_;
    memory.parameters = &parameters;
    memory.inputs = &inputs;
    double* value = N_VGetArrayPointer(memory.states);
    double* absolute = N_VGetArrayPointer(memory.tolerances);
    for_each_number(parameters, state, [&](double& number, double own) {
        *value++ = number;
        *absolute++ = own * tolerance;
    });
    if (memory.initialised) {
        require(CVodeReInit(memory.cvode, 0, memory.states) == CV_SUCCESS, "CVodeReInit");
    } else {
        require(CVodeInit(memory.cvode, Memory::rates_callback, 0, memory.states) == CV_SUCCESS, "CVodeInit");
        require(CVodeSetUserData(memory.cvode, &memory) == CV_SUCCESS, "CVodeSetUserData");
        require(CVodeSetErrHandlerFn(memory.cvode, Memory::error_callback, &memory) == CV_SUCCESS, "handler");
        require(CVodeSetLinearSolver(memory.cvode, memory.solver, memory.matrix) == CV_SUCCESS, "linear solver");
        require(CVodeSetMaxNumSteps(memory.cvode, most_steps) == CV_SUCCESS, "steps");
        memory.initialised = true;
    }
    require(CVodeSVtolerances(memory.cvode, relative_tolerance * tolerance, memory.tolerances) == CV_SUCCESS,
            "tolerances");
    require(CVodeSetStopTime(memory.cvode, h) == CV_SUCCESS, "stop time");
    double reached = 0;
    if (CVode(memory.cvode, h, memory.states, &reached, CV_NORMAL) < 0)
        throw std::runtime_error("CVODE cannot follow the pressures: " + memory.message);
    const double* result = N_VGetArrayPointer(memory.states);
    for_each_number(parameters, state, [&](double& number, double) { number = *result++; });
}

}  // namespace models::hydraulics
