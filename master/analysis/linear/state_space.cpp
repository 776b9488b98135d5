#include "master/analysis/linear/state_space.hpp"

#include "master/analysis/linear/dense.hpp"
#include "master/base/error.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <numbers>

namespace master::analysis {
namespace {

/// Rows and columns times numbers of their own.
Eigen::MatrixXd scaled(const Eigen::VectorXd& rows, Eigen::MatrixXd matrix, const Eigen::VectorXd& columns) {
    for (Eigen::Index k = 0; k < matrix.cols(); ++k)
        for (Eigen::Index i = 0; i < matrix.rows(); ++i) matrix(i, k) *= rows[i] * columns[k];
    return matrix;
}

/// Sizes to divide by.
Eigen::VectorXd one_for_zero(Eigen::VectorXd sizes) {
    for (double& size : sizes) size = size > 0 ? size : 1;
    return sizes;
}

/// An eigenvalue as a quotient: infinite ones have a finite form.
struct Quotient {
    std::complex<double> above;
    double below = 1;
};

/// Eigenvalues of the pair S, T in Schur's real form: S has blocks of one or two on its diagonal, T is diagonal in
/// them.
std::vector<Quotient> eigenvalues(const Eigen::MatrixXd& s, const Eigen::MatrixXd& t) {
    std::vector<Quotient> result;
    const Eigen::Index n = s.rows();
    for (Eigen::Index i = 0; i < n; ++i) {
        if (i + 1 == n || s(i + 1, i) == 0) {
            result.push_back({s(i, i), t(i, i)});
            continue;
        }
        const Eigen::Index k = i + 1;
        const double first = s(i, i) * t(k, k), second = s(k, k) * t(i, i), half = (first - second) / 2;
        const double turn = std::sqrt(std::fabs(half * half + s(i, k) * t(i, i) * s(k, i) * t(k, k)));
        for (const double imaginary : {turn, -turn}) result.push_back({{second + half, imaginary}, t(i, i) * t(k, k)});
        ++i;
    }
    return result;
}

/// A triangle that was found, of finite numbers.
void expect_solved(Eigen::ComputationInfo info, const Eigen::MatrixXd& triangle, const char* what) {
    if (info == Eigen::Success && triangle.allFinite()) return;
    throw base::Error("linearize", what, "their computation did not converge; expected a model of finite numbers",
                      base::Exit::failed);
}

/// Scaled until its Taylor series ends after sixteen terms, then squared back.
Eigen::MatrixXd exponential(const Eigen::MatrixXd& matrix) {
    const double size = matrix.cwiseAbs().colwise().sum().maxCoeff();
    const int halvings = size > 0.5 ? static_cast<int>(std::ceil(std::log2(size / 0.5))) : 0;
    const Eigen::MatrixXd part = matrix * std::exp2(-halvings);
    Eigen::MatrixXd result = Eigen::MatrixXd::Identity(matrix.rows(), matrix.cols());
    for (int k = 16; k > 0; --k) result = Eigen::MatrixXd::Identity(matrix.rows(), matrix.cols()) + part * result / k;
    for (int k = 0; k < halvings; ++k) result = (result * result).eval();
    return result;
}

/// Parlett and Reinsch: powers of two as units of the states that make rows and columns equally long. What nothing
/// depends on, or what depends on nothing, is made as long as one. Returns the units.
std::vector<double> balance(Matrix& a) {
    const std::size_t n = a.rows;
    std::vector<double> sizes(n, 1);
    for (int round = 0; round < 100; ++round) {
        bool changed = false;
        for (std::size_t i = 0; i < n; ++i) {
            double row = 0, column = 0;
            for (std::size_t k = 0; k < n; ++k) {
                if (k == i) continue;
                row += std::fabs(a(i, k));
                column += std::fabs(a(k, i));
            }
            if (row <= 0 && column <= 0) continue;
            const double ratio = row <= 0 ? 1 / (column * column) : column <= 0 ? row * row : row / column;
            const double factor = std::exp2(std::round(std::log2(ratio) / 2));
            if (factor == 1) continue;
            changed = true;
            sizes[i] *= factor;
            for (std::size_t k = 0; k < n; ++k) a(i, k) /= factor;
            for (std::size_t k = 0; k < n; ++k) a(k, i) *= factor;
        }
        if (!changed) break;
    }
    return sizes;
}

/// Poles of a sampled system that a step leaves less of than this are no motion of a continuous system.
constexpr double forgotten_below = 1e-4;
/// Below this, in rad/s for each 1/s of the fastest pole, a pole is an integrator.
constexpr double integrator_below = 1e-12;
/// Of a generalized eigenvalue: a divisor that is smaller beside its dividend is zero.
constexpr double infinite_above = 1e-12;

}  // namespace

double Mode::frequency() const { return std::abs(pole) / (2 * std::numbers::pi); }
double Mode::damping() const { return std::abs(pole) > 0 ? -pole.real() / std::abs(pole) : 0; }

StateSpace StateSpace::balanced() const {
    StateSpace result = *this;
    const std::vector<double> sizes = balance(result.a);
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        for (std::size_t k = 0; k < b.columns; ++k) result.b(i, k) /= sizes[i];
        for (std::size_t k = 0; k < c.rows; ++k) result.c(k, i) *= sizes[i];
    }
    return result;
}

StateSpace StateSpace::between_ends() const {
    const std::size_t n = a.rows;
    // What stands in the matrices is what passes; numbers play no part.
    const auto closure = [&](std::vector<bool> reached, const auto& passes) {
        for (bool grown = true; grown;) {
            grown = false;
            for (std::size_t i = 0; i < n; ++i) {
                for (std::size_t k = 0; k < n && reached[i]; ++k) {
                    if (reached[k] || !passes(i, k)) continue;
                    reached[k] = grown = true;
                }
            }
        }
        return reached;
    };
    std::vector<bool> first(n), last(n);
    for (std::size_t i = 0; i < n; ++i) first[i] = b(i, 0) != 0, last[i] = c(0, i) != 0;
    const std::vector<bool> moved = closure(first, [&](std::size_t i, std::size_t k) { return a(k, i) != 0; });
    const std::vector<bool> seen = closure(last, [&](std::size_t i, std::size_t k) { return a(i, k) != 0; });
    std::vector<std::size_t> kept;
    for (std::size_t i = 0; i < n; ++i)
        if (moved[i] && seen[i]) kept.push_back(i);
    StateSpace result{.a = Matrix(kept.size(), kept.size()),
                      .b = Matrix(kept.size(), 1),
                      .c = Matrix(1, kept.size()),
                      .d = Matrix(1, 1),
                      .period = period};
    result.d(0, 0) = d(0, 0);
    for (std::size_t i = 0; i < kept.size(); ++i) {
        if (!states.empty()) result.states.push_back(states[kept[i]]);
        result.b(i, 0) = b(kept[i], 0);
        result.c(0, i) = c(0, kept[i]);
        for (std::size_t k = 0; k < kept.size(); ++k) result.a(i, k) = a(kept[i], kept[k]);
    }
    return result;
}

Modes modes_of(const StateSpace& system) {
    Modes result;
    if (system.a.rows == 0) return result;
    const StateSpace balanced = system.balanced();
    const Eigen::RealSchur<Eigen::MatrixXd> schur(dense(balanced.a), false);
    expect_solved(schur.info(), schur.matrixT(), "poles");
    const Eigen::MatrixXd one = Eigen::MatrixXd::Identity(schur.matrixT().rows(), schur.matrixT().rows());
    double fastest = 0;
    for (const auto& [value, below] : eigenvalues(schur.matrixT(), one)) {
        std::complex<double> pole = value;
        if (system.period > 0) {
            if (std::abs(value) < forgotten_below) {
                ++result.forgotten;
                continue;
            }
            pole = std::log(value) / system.period;
        }
        fastest = std::max(fastest, std::abs(pole));
        if (pole.imag() >= 0) result.modes.push_back({pole});
    }
    for (Mode& mode : result.modes)
        if (std::abs(mode.pole) < integrator_below * fastest) mode.pole = 0;
    std::ranges::stable_sort(result.modes, {}, [](const Mode& mode) { return std::abs(mode.pole); });
    return result;
}

std::vector<std::complex<double>> zeros_of(const StateSpace& system) {
    if (system.a.rows == 0) return {};
    const StateSpace balanced = system.balanced();
    const auto n = static_cast<Eigen::Index>(system.a.rows);
    const Eigen::MatrixXd b = dense(balanced.b), c = dense(balanced.c);
    const auto largest = [](const Eigen::MatrixXd& values) {
        const double found = values.cwiseAbs().maxCoeff();
        return found > 0 ? found : 1;
    };
    // Rosenbrock's matrix: [A - sI, b; c, d] is singular at a zero.
    Eigen::MatrixXd all = Eigen::MatrixXd::Zero(n + 1, n + 1), moved = Eigen::MatrixXd::Identity(n + 1, n + 1);
    all.topLeftCorner(n, n) = dense(balanced.a);
    for (Eigen::Index i = 0; i < n; ++i) {
        all(i, n) = b(i, 0) / largest(b);
        all(n, i) = c(0, i) / largest(c);
    }
    all(n, n) = system.d(0, 0) / (largest(b) * largest(c));
    moved(n, n) = 0;
    const Eigen::RealQZ<Eigen::MatrixXd> schur(all, moved, false);
    expect_solved(schur.info(), schur.matrixS(), "zeros");
    std::vector<std::complex<double>> zeros;
    for (const auto& [above, below] : eigenvalues(schur.matrixS(), schur.matrixT())) {
        if (above.imag() * below < 0 || std::fabs(below) <= infinite_above * std::abs(above)) continue;
        const std::complex<double> zero = above / below;
        if (system.period <= 0)
            zeros.push_back(zero);
        else if (std::abs(zero) > forgotten_below && std::abs(zero) < 1 / forgotten_below)
            zeros.push_back(std::log(zero) / system.period);
    }
    return zeros;
}

namespace {

/// s I - A.
Eigen::MatrixXcd less(std::complex<double> s, const Matrix& a) {
    Eigen::MatrixXcd result = (-dense(a)).cast<std::complex<double>>();
    for (Eigen::Index i = 0; i < result.rows(); ++i) result(i, i) += s;
    return result;
}

}  // namespace

FrequencyResponse::FrequencyResponse(const StateSpace& system) : system_(system.balanced()) {
    if (system_.period <= 0) return;
    for (std::size_t i = 0; i < system_.a.rows; ++i) system_.a(i, i) -= 1;
}

std::complex<double> FrequencyResponse::operator()(double frequency) const {
    const auto n = static_cast<Eigen::Index>(system_.a.rows);
    if (n == 0) return system_.d(0, 0);
    const double turn = 2 * std::numbers::pi * frequency * (system_.period > 0 ? system_.period : 1);
    const double half = std::sin(turn / 2);
    // exp(i turn) - 1 without the difference of numbers that are nearly one.
    const std::complex<double> s =
        system_.period > 0 ? std::complex(-2 * half * half, std::sin(turn)) : std::complex(0.0, turn);
    const Eigen::VectorXcd b = dense(system_.b).col(0);
    const Eigen::VectorXcd x = less(s, system_.a).partialPivLu().solve(b);
    std::complex<double> y = system_.d(0, 0);
    for (Eigen::Index i = 0; i < n; ++i) y += system_.c(0, static_cast<std::size_t>(i)) * x[i];
    return y;
}

std::vector<std::complex<double>> response(const StateSpace& system, const std::vector<double>& frequencies) {
    std::vector<std::complex<double>> result;
    result.reserve(frequencies.size());
    const FrequencyResponse at(system);
    for (const double f : frequencies) result.push_back(at(f));
    return result;
}

/// By one exponential: u and its slope are states that stay as they are. Large numbers would be squared many times, so
/// that everything has units of its own meanwhile.
bool closes_to(const StateSpace& open, const StateSpace& closed) {
    // det(zI - A + ...) of the closed loop is det(zI - A) (1 - L(z)) of the open one; poles at zero are factors of one
    // on the unit circle.
    constexpr double tolerance = 1e-6;
    const auto size = [](const StateSpace& system, std::complex<double> z) {
        const Eigen::MatrixXcd factors = less(z, system.a).partialPivLu().matrixLU();
        double sum = 0;
        for (Eigen::Index i = 0; i < factors.rows(); ++i) sum += std::log(std::abs(factors(i, i)));
        return sum;
    };
    const StateSpace balanced_open = open.balanced(), balanced_closed = closed.balanced();
    for (const double share : {0.07, 0.13, 0.21, 0.29, 0.38, 0.46}) {
        const std::complex<double> z = std::polar(1.0, 2 * std::numbers::pi * share);
        const std::complex<double> loop = response(open, {share / open.period}).front();
        const double difference = size(balanced_open, z) + std::log(std::abs(1.0 - loop)) - size(balanced_closed, z);
        if (!(std::fabs(difference) <= tolerance)) return false;
    }
    return true;
}

Transition transition(const Matrix& a, const Matrix& b, double period) {
    Matrix balanced = a;
    const std::vector<double> sizes = balance(balanced);
    const auto n = static_cast<Eigen::Index>(a.rows), m = static_cast<Eigen::Index>(b.columns);
    const Eigen::VectorXd size = Eigen::Map<const Eigen::VectorXd>(sizes.data(), n), less = size.cwiseInverse();
    const Eigen::MatrixXd inputs = scaled(less, dense(b), Eigen::VectorXd::Ones(m));
    Eigen::VectorXd reach = Eigen::VectorXd::Zero(m);
    for (Eigen::Index k = 0; k < m && n > 0; ++k) reach[k] = inputs.col(k).cwiseAbs().maxCoeff();
    reach = one_for_zero(reach);
    Eigen::MatrixXd all = Eigen::MatrixXd::Zero(n + 2 * m, n + 2 * m);
    all.block(0, 0, n, n) = dense(balanced) * period;
    all.block(0, n, n, m) = scaled(Eigen::VectorXd::Ones(n), inputs, reach.cwiseInverse()) * period;
    for (Eigen::Index k = 0; k < m; ++k) all(n + k, n + m + k) = 1;  // per period
    const Eigen::MatrixXd moved = exponential(all);
    return {matrix_of(scaled(size, moved.block(0, 0, n, n), less)),
            matrix_of(scaled(size, moved.block(0, n, n, m), reach)),
            matrix_of(scaled(size, moved.block(0, n + m, n, m), reach * period))};
}

/// Eigensystem realization (Juang and Pappa 1985) over a block Hankel matrix, with inputs and outputs scaled to one.
Realization realize(const std::vector<Matrix>& pulses, double noise, double period) {
    const auto p = static_cast<Eigen::Index>(pulses.front().rows),
               m = static_cast<Eigen::Index>(pulses.front().columns);
    Eigen::VectorXd out = Eigen::VectorXd::Zero(p), in = Eigen::VectorXd::Zero(m);
    for (const Matrix& pulse : pulses) {
        const Eigen::MatrixXd seen = dense(pulse);
        for (Eigen::Index i = 0; i < p; ++i) out[i] = std::max(out[i], seen.row(i).cwiseAbs().maxCoeff());
    }
    out = one_for_zero(out);
    for (const Matrix& pulse : pulses) {
        const Eigen::MatrixXd seen = scaled(out.cwiseInverse(), dense(pulse), Eigen::VectorXd::Ones(m));
        for (Eigen::Index k = 0; k < m; ++k) in[k] = std::max(in[k], seen.col(k).cwiseAbs().maxCoeff());
    }
    in = one_for_zero(in);
    std::vector<Eigen::MatrixXd> ones;  // the pulses, scaled
    ones.reserve(pulses.size());
    for (const Matrix& pulse : pulses) ones.push_back(scaled(out.cwiseInverse(), dense(pulse), in.cwiseInverse()));

    const auto half = static_cast<Eigen::Index>((pulses.size() - 1) / 2);
    Eigen::MatrixXd hankel(half * p, half * m), shifted(half * p, half * m);
    for (Eigen::Index i = 0; i < half; ++i) {
        for (Eigen::Index j = 0; j < half; ++j) {
            hankel.block(i * p, j * m, p, m) = ones[static_cast<std::size_t>(i + j + 1)];
            shifted.block(i * p, j * m, p, m) = ones[static_cast<std::size_t>(i + j + 2)];
        }
    }
    const Eigen::JacobiSVD<Eigen::MatrixXd> svd(hankel, Eigen::ComputeThinU | Eigen::ComputeThinV);
    const Eigen::VectorXd& sigma = svd.singularValues();
    Eigen::Index order = 0;
    while (order < sigma.size() && sigma[order] > noise * std::max(sigma[0], 1e-300)) ++order;
    if (sigma.size() > 0 && sigma[0] < noise) order = 0;  // pulses are scaled to one: nothing is left after the first
    const Eigen::VectorXd root = sigma.head(order).cwiseSqrt(), less = root.cwiseInverse();
    const Eigen::VectorXd left_ones = Eigen::VectorXd::Ones(half * p), right_ones = Eigen::VectorXd::Ones(half * m);
    const Eigen::MatrixXd u = svd.matrixU().leftCols(order), v = svd.matrixV().leftCols(order);
    const Eigen::MatrixXd left = scaled(left_ones, u, less).transpose(), right = scaled(right_ones, v, less);
    const Eigen::MatrixXd part = left * shifted, a = part * right;
    const Eigen::MatrixXd b = scaled(right_ones, v, root).topRows(m).transpose();
    const Eigen::MatrixXd c = scaled(left_ones, u, root).topRows(p);

    Realization result;
    Eigen::MatrixXd moved = b;
    for (std::size_t k = 1; k < pulses.size(); ++k) {
        const Eigen::MatrixXd answer = c * moved;
        result.error = std::max(result.error, (answer - ones[k]).cwiseAbs().maxCoeff());
        moved = a * moved;
    }
    result.model.period = period;
    for (Eigen::Index i = 0; i < order; ++i) result.model.states.push_back("identified " + std::to_string(i + 1));
    result.model.a = matrix_of(a);
    result.model.b = matrix_of(scaled(Eigen::VectorXd::Ones(order), b, in));
    result.model.c = matrix_of(scaled(out, c, Eigen::VectorXd::Ones(order)));
    result.model.d = pulses.front();
    return result;
}

}  // namespace master::analysis
