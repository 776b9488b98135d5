#pragma once

#include <cmath>

namespace models {

/// Dahlquist's test equation x' = -k x, advanced exactly.
struct Dahlquist {
    struct Parameters {
        double k = 1;
    } parameters;
    struct State {
        double x = 1;
    } state;
    struct Rates {
        double x = 0;
    } rates;

    void evaluate(double) { rates.x = -parameters.k * state.x; }
    void step(double, double h) { state.x *= std::exp(-parameters.k * h); }
};

}  // namespace models
