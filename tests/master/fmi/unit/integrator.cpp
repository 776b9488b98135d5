#include "master/fmi/unit/integrator.hpp"

#include "master/fmi/unit/dense_solver.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <nvector/nvector_serial.h>
#include <vector>

using master::fmi::Integrator;

namespace {

/// x' = rate (input - x) for states of very different rates, with a closed form while the input is constant.
class Followers final : public master::fmi::OdeSystem {
public:
    static constexpr std::array<double, 3> rates{1, 50, 2000};
    double input = 0;

    int derivatives(double, const double* states, double* slopes) override {
        for (std::size_t i = 0; i < rates.size(); ++i) slopes[i] = rates[i] * (input - states[i]);
        return 0;
    }
    int indicators(double, const double*, double*) override { return 0; }
};

/// x'' = 100 (input - x), a staircase of inputs of 0.5 ms each; the closed form turns (x - input, x' / 10) by 10 rad/s.
class Oscillator final : public master::fmi::OdeSystem {
public:
    double input = 0;

    int derivatives(double, const double* states, double* slopes) override {
        slopes[0] = states[1];
        slopes[1] = 100 * (input - states[0]);
        return 0;
    }
    int indicators(double, const double*, double*) override { return 0; }
};

enum class Start { reset, restart };

/// A staircase of inputs, one stair per millisecond; the largest error of a state against the closed form.
double climb(Followers& followers, Integrator& integrator, Start start) {
    constexpr double h = 1e-3, tolerance = 1e-4;
    constexpr std::array<double, 3> absolute{1e-6, 1e-6, 1e-6};
    integrator.set_tolerances(tolerance, absolute);
    std::array<double, 3> exact{};
    double worst = 0;
    for (int i = 0; i < 100; ++i) {
        followers.input = std::sin(0.05 * i);
        const double begin = i * h, end = (i + 1) * h;
        start == Start::reset ? integrator.reset(begin) : integrator.restart(begin);
        Integrator::Outcome outcome = Integrator::Outcome::advanced;
        while (outcome == Integrator::Outcome::advanced) outcome = integrator.advance(end);
        REQUIRE(outcome == Integrator::Outcome::reached_stop);
        for (std::size_t k = 0; k < exact.size(); ++k) {
            exact[k] = followers.input + (exact[k] - followers.input) * std::exp(-Followers::rates[k] * h);
            worst = std::max(worst, std::fabs(integrator.states()[k] - exact[k]));
        }
    }
    return worst;
}

}  // namespace

TEST_CASE("a restart after a jump of inputs keeps the Jacobian, at the same accuracy") {
    Followers anew_followers, kept_followers;
    Integrator anew(anew_followers, 3, 0), kept(kept_followers, 3, 0);
    constexpr double allowed = 1e-3;  // ten tolerances: local errors of the stairs add up until they are forgotten
    CHECK(climb(anew_followers, anew, Start::reset) < allowed);
    CHECK(climb(kept_followers, kept, Start::restart) < allowed);
    CHECK(anew.jacobians() >= 100);
    CHECK(kept.jacobians() * 2 < anew.jacobians());
    CHECK(kept.evaluations() < anew.evaluations());
}

TEST_CASE("interruptions do not add up: after each the solver goes on with its full order, whatever they are apart") {
    const Start start = GENERATE(Start::reset, Start::restart);
    const double h = GENERATE(5e-4, 5e-3, 5e-2, 1e-1);
    const double tolerance = GENERATE(1e-5, 1e-6, 1e-7);
    constexpr double stop = 5;
    const std::array<double, 2> absolute{0.01 * tolerance, 0.1 * tolerance};
    Oscillator oscillator;
    Integrator integrator(oscillator, 2, 0);
    integrator.set_tolerances(tolerance, absolute);
    double position = 1, speed = 0, worst = 0;
    integrator.states()[0] = position;
    integrator.states()[1] = speed;
    for (int i = 0; i * h < stop; ++i) {
        oscillator.input = 0.1 * std::sin(3 * i * h);
        start == Start::reset ? integrator.reset(i * h) : integrator.restart(i * h);
        Integrator::Outcome outcome = Integrator::Outcome::advanced;
        while (outcome == Integrator::Outcome::advanced) outcome = integrator.advance((i + 1) * h);
        REQUIRE(outcome == Integrator::Outcome::reached_stop);
        const double distance = position - oscillator.input, turned = 10 * h;
        position = oscillator.input + distance * std::cos(turned) + speed / 10 * std::sin(turned);
        speed = -10 * distance * std::sin(turned) + speed * std::cos(turned);
        worst = std::max(worst, std::fabs(integrator.states()[0] - position));
    }
    INFO("steps of " << h << " s, tolerance " << tolerance);
    // Without interruptions the solver takes about 200 steps at 1e-5, and 600 at 1e-7.
    CHECK(worst < 100 * tolerance);
}

/// x'' = -10^4 x.
class Pendulum final : public master::fmi::OdeSystem {
public:
    int derivatives(double, const double* states, double* slopes) override {
        slopes[0] = states[1];
        slopes[1] = -1e4 * states[0];
        return 0;
    }
    int indicators(double, const double*, double*) override { return 0; }
};

TEST_CASE("what swings without damping does not grow, however loose the tolerance") {
    const double tolerance = GENERATE(1e-3, 1e-4, 1e-6);
    const double h = GENERATE(0.01, 1., 50.);
    const std::array<double, 2> absolute{0.01 * tolerance, tolerance};
    Pendulum pendulum;
    Integrator integrator(pendulum, 2, 0);
    integrator.set_tolerances(tolerance, absolute);
    integrator.states()[0] = 1;
    integrator.states()[1] = 0;
    integrator.reset(0);
    for (int i = 1; i * h <= 50; ++i) {
        if (h < 1) integrator.restart((i - 1) * h);
        Integrator::Outcome outcome = Integrator::Outcome::advanced;
        while (outcome == Integrator::Outcome::advanced) outcome = integrator.advance(i * h);
        REQUIRE(outcome == Integrator::Outcome::reached_stop);
    }
    const double amplitude = std::hypot(integrator.states()[0], integrator.states()[1] / 100);
    INFO("steps of " << h << " s, tolerance " << tolerance);
    CHECK(amplitude < 1 + 100 * tolerance);
    CHECK(amplitude > 1 - 100 * tolerance);  // of 800 swings
}

/// x' = rate (input - x), with an input that goes on straight from where it was.
class Follower final : public master::fmi::OdeSystem {
public:
    double rate = 1, begin = 0, value = 0, slope = 0;

    int derivatives(double t, const double* states, double* slopes) override {
        slopes[0] = rate * (value + slope * (t - begin) - states[0]);
        return 0;
    }
    int indicators(double, const double*, double*) override { return 0; }
};

TEST_CASE("a stiff unit whose input changes its slope at every interruption is followed, whatever its rate") {
    const double rate = GENERATE(1e3, 1e4, 1e6, 1e8);
    const double h = GENERATE(1., 0.1, 0.01);
    const double tolerance = GENERATE(1e-3, 1e-6, 1e-9);
    const std::array<double, 1> absolute{0.01 * tolerance};
    Follower follower;
    follower.rate = rate;
    Integrator integrator(follower, 1, 0);
    integrator.set_tolerances(tolerance, absolute);
    integrator.states()[0] = 0;
    double expected = 0, worst = 0;
    for (int i = 0; i * h < 5; ++i) {
        follower.begin = i * h;
        follower.value = std::sin(1.3 * i * h);
        follower.slope = (std::sin(1.3 * (i + 1) * h) - follower.value) / h;
        i == 0 ? integrator.reset(0) : integrator.restart(i * h);
        Integrator::Outcome outcome = Integrator::Outcome::advanced;
        while (outcome == Integrator::Outcome::advanced) outcome = integrator.advance((i + 1) * h);
        INFO("rate " << rate << ", steps of " << h << " s, tolerance " << tolerance << ": " << integrator.message());
        REQUIRE(outcome == Integrator::Outcome::reached_stop);
        const double lag = follower.slope / rate;
        expected = follower.value + follower.slope * h - lag + (expected - follower.value + lag) * std::exp(-rate * h);
        worst = std::max(worst, std::fabs(integrator.states()[0] - expected));
    }
    CHECK(worst < 20 * tolerance);  // errors of some steps, before the unit forgets them
}

/// x'' = -x, with an indicator of when x is above a level, or below it.
class Wave final : public master::fmi::OdeSystem {
public:
    double level = 0, sign = 1;

    int derivatives(double, const double* states, double* slopes) override {
        slopes[0] = states[1];
        slopes[1] = -states[0];
        return 0;
    }
    int indicators(double, const double* states, double* values) override {
        values[0] = sign * (states[0] - level);
        return 0;
    }
};

TEST_CASE("an indicator that crosses zero and comes back within one solver step is found both times") {
    const double tolerance = GENERATE(1e-3, 1e-4, 1e-6);
    const double depth = GENERATE(10., 30., 300.);  // of the crest above the level, in tolerances
    Wave wave;
    wave.sign = GENERATE(1., -1.);
    wave.level = 1 - depth * tolerance;
    Integrator integrator(wave, 2, 1);
    integrator.set_tolerances(tolerance, std::array<double, 2>{0.01 * tolerance, 0.01 * tolerance});
    integrator.states()[0] = 0;
    integrator.states()[1] = 1;
    integrator.reset(0);
    constexpr int waves = 5;
    const double turn = 2 * std::acos(-1.0);
    std::vector<double> found;
    for (Integrator::Outcome outcome{}; outcome != Integrator::Outcome::reached_stop;) {
        outcome = integrator.advance(waves * turn);
        REQUIRE(outcome != Integrator::Outcome::failed);
        if (outcome != Integrator::Outcome::root) continue;
        const bool rises = found.size() % 2 == 0;
        CHECK(integrator.crossings()[0] == (rises == (wave.sign > 0) ? 1 : -1));
        found.push_back(integrator.time());
        integrator.reset(integrator.time());
    }
    CAPTURE(tolerance, wave.level, found);
    REQUIRE(found.size() == 2 * waves);
    // The crest's height is off by some tolerances, and so the width above the level.
    const double half = std::acos(wave.level);
    for (std::size_t i = 0; i < found.size(); ++i) {
        const double crest = turn * (0.25 + static_cast<double>(i / 2));
        CHECK(found[i] == Approx(crest + (i % 2 == 0 ? -half : half)).margin(0.5 * half));
    }
}

TEST_CASE("without states, indicators of time alone are found inside the longest step") {
    class Clock final : public master::fmi::OdeSystem {
    public:
        int derivatives(double, const double*, double*) override { return 0; }
        int indicators(double t, const double*, double* values) override {
            values[0] = std::cos(t) - 0.9999;
            return 0;
        }
    } clock;
    Integrator integrator(clock, 0, 1);
    integrator.set_span(20);
    integrator.reset(1);
    std::vector<double> found;
    for (Integrator::Outcome outcome{}; outcome != Integrator::Outcome::reached_stop;) {
        outcome = integrator.advance(20);
        REQUIRE(outcome != Integrator::Outcome::failed);
        if (outcome != Integrator::Outcome::root) continue;
        found.push_back(integrator.time());
        integrator.reset(integrator.time());
    }
    const double turn = 2 * std::acos(-1.0), half = std::acos(0.9999);
    REQUIRE(found.size() == 6);
    for (std::size_t i = 0; i < found.size(); ++i)
        CHECK(found[i] == Approx(turn * static_cast<double>(i / 2 + 1) + (i % 2 == 0 ? -half : half)).margin(1e-9));
}

TEST_CASE("the dense solver exchanges rows where the diagonal is zero, and says that a matrix is singular") {
    SUNContext context = nullptr;
    REQUIRE(SUNContext_Create(nullptr, &context) == 0);
    SUNMatrix matrix = master::fmi::make_dense_matrix(3, context);
    N_Vector right = N_VNew_Serial(3, context);
    N_Vector solution = N_VNew_Serial(3, context);
    SUNLinearSolver solver = master::fmi::make_dense_solver(right, matrix, context);

    const double rows[3][3] = {{0, 2, 1}, {4, 0, -1}, {1, 3, 0}};
    const double wanted[3] = {1.5, -2, 0.25};
    for (int i = 0; i < 3; ++i) {
        double sum = 0;
        for (int j = 0; j < 3; ++j) {
            SUNDenseMatrix_Column(matrix, j)[i] = rows[i][j];
            sum += rows[i][j] * wanted[j];
        }
        N_VGetArrayPointer(right)[i] = sum;
    }
    REQUIRE(SUNLinSolSetup(solver, matrix) == SUNLS_SUCCESS);
    REQUIRE(SUNLinSolSolve(solver, matrix, solution, right, 0) == SUNLS_SUCCESS);
    for (int i = 0; i < 3; ++i) CHECK(N_VGetArrayPointer(solution)[i] == Approx(wanted[i]).epsilon(1e-14));

    REQUIRE(SUNMatZero(matrix) == SUNMAT_SUCCESS);
    CHECK(SUNLinSolSetup(solver, matrix) != SUNLS_SUCCESS);
    REQUIRE(SUNMatScaleAddI(2, matrix) == SUNMAT_SUCCESS);
    CHECK(SUNLinSolSetup(solver, matrix) == SUNLS_SUCCESS);

    SUNLinSolFree(solver);
    N_VDestroy(solution);
    N_VDestroy(right);
    SUNMatDestroy(matrix);
    SUNContext_Free(&context);
}
