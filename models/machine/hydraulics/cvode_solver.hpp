#pragma once

#include "models/machine/hydraulics/state.hpp"

#include <memory>

namespace models::hydraulics {

/// The reference: SUNDIALS CVODE (BDF, dense Newton with difference quotients), begun anew from the state in every
/// step, because the inputs jump there. A copy is an empty solver: all that matters is in the state.
class CvodeSolver {
public:
    CvodeSolver();
    ~CvodeSolver();
    CvodeSolver(const CvodeSolver&);
    CvodeSolver& operator=(const CvodeSolver&);

    /// Throws std::runtime_error when CVODE cannot go on. `tolerance` scales both tolerances.
    void advance(const Parameters& parameters, const Inputs& inputs, State& state, double h, double tolerance = 1);

private:
    struct Memory;
    std::unique_ptr<Memory> memory_;
};

}  // namespace models::hydraulics
