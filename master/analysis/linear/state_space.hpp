#pragma once

#include "master/analysis/linear/matrix.hpp"

#include <complex>
#include <cstddef>
#include <string>
#include <vector>

namespace master::analysis {

/// dx/dt = A x + B u, y = C x + D u; where there is a period, x and y of the next sample instead of dx/dt.
struct StateSpace {
    std::vector<std::string> states;
    Matrix a, b, c, d;
    double period = 0;  // s; 0: continuous

    /// With states in units of their own, so that numbers of one size stand in A: rounding hurts less.
    [[nodiscard]] StateSpace balanced() const;
    /// With those states alone that the first input moves and the first output sees, directly or over others.
    [[nodiscard]] StateSpace between_ends() const;
};

/// A natural motion of a linear system: exp(pole t).
struct Mode {
    std::complex<double> pole;  // 1/s

    [[nodiscard]] double frequency() const;  // Hz, undamped
    [[nodiscard]] double damping() const;    // -1 to 1
};

/// Slowest first, of conjugate pairs the one that turns forward. A sampled system's are those of ln(z) / period.
struct Modes {
    std::vector<Mode> modes;
    std::size_t forgotten = 0;  // poles of a sampled system that are gone after a step or two: what wires remember
};
[[nodiscard]] Modes modes_of(const StateSpace& system);

/// Zeros of the answer of the first output to the first input, in 1/s, of conjugate pairs the one that turns forward. A
/// sampled system's are those of ln(z) / period, without those that are gone after a step or two.
[[nodiscard]] std::vector<std::complex<double>> zeros_of(const StateSpace& system);

/// The answer of the first output to the first input at one frequency after the other.
class FrequencyResponse {
public:
    explicit FrequencyResponse(const StateSpace& system);
    [[nodiscard]] std::complex<double> operator()(double frequency) const;  // Hz

private:
    StateSpace system_;  // balanced, where it is sampled with A less one: slow poles are differences from one
};

/// The same at each frequency (Hz).
[[nodiscard]] std::vector<std::complex<double>> response(const StateSpace& system,
                                                         const std::vector<double>& frequencies);

/// True where an open loop becomes the closed one when its output is its input, both sampled at the same times. What is
/// gone after a step or two (poles at zero) may differ.
[[nodiscard]] bool closes_to(const StateSpace& open, const StateSpace& closed);

/// x(period) = a x + b u + slope s for u(t) = u + s t, exactly.
struct Transition {
    Matrix a, b, slope;
};
[[nodiscard]] Transition transition(const Matrix& a, const Matrix& b, double period);

/// A model of few states with the same answers to pulses. `pulses[k](i, j)` is what output i is after step k + 1 where
/// input j was one during the first. y(end) = C x(begin) + D u.
struct Realization {
    StateSpace model;
    double error = 0;  // the largest distance to a pulse, as a share of its output's largest
};
/// Hankel singular values below `noise`, as a share of the largest, are taken for noise.
[[nodiscard]] Realization realize(const std::vector<Matrix>& pulses, double noise, double period);

}  // namespace master::analysis
