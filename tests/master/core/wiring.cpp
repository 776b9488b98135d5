// What a receiver sees of its sender between two updates, seen through a whole system.
#include "tests/master/core/small_models.hpp"
#include "tests/support/bench.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

using master::base::Fraction;
using master::core::Hold;
using tests::Bench;
using tests::keeper;
using tests::TestModel;
using Vector = std::vector<double>;

namespace {

// A hundred additions of numbers of order one, and a difference of them.
constexpr double rounding = 1e-12;

/// y = t, whatever the step.
TestModel ramp() {
    return {.outputs = {"y"},
            .x = {0},
            .output = [](const Vector& x, const Vector&) { return x; },
            .exact = [](const Vector& x, const Vector&, double h) { return Vector{x[0] + h}; }};
}

/// y = t before `jump`, y = t + 10 from there on; says that it jumped.
TestModel jumping_ramp(double jump) {
    TestModel model = ramp();
    const auto after = [jump](double t) { return t > jump - rounding; };
    model.output = [after](const Vector& x, const Vector&) { return Vector{x[0] + (after(x[0]) ? 10 : 0)}; };
    model.jumps = [after](const Vector& from, const Vector& to) { return !after(from[0]) && after(to[0]); };
    return model;
}

/// y' = u, exact for inputs that are constant or linear in the step.
TestModel integrator() {
    return {.inputs = {"u"},
            .outputs = {"y"},
            .x = {0},
            .u = {0},
            .derivative = [](double, const Vector&, const Vector& u) { return u; },
            .output = [](const Vector& x, const Vector&) { return x; }};
}

struct Rates {
    Fraction sender, receiver;
};
const std::vector<Rates> every_ratio{
    {{1, 100}, {1, 100}}, {{1, 100}, {4, 100}}, {{4, 100}, {1, 100}}, {{2, 100}, {3, 100}}, {{3, 100}, {2, 100}}};
// The sender's history needs a few periods to fill; after that a ramp is met exactly.
constexpr double filled = 0.3;

Bench coupled(const TestModel& sender, const TestModel& receiver, const Rates& rates, Hold hold) {
    Bench bench({1, 100});
    bench.unit("sender", sender, rates.sender).unit("receiver", receiver, rates.receiver);
    bench.wire("sender.y", "receiver.u");
    bench.hold = hold;
    return bench;
}

}  // namespace

TEST_CASE("a constant hold is the sender's last value") {
    Bench bench = coupled(ramp(), keeper(), {{1, 100}, {1, 100}}, Hold::constant);
    bench.run({1, 1},
              [](double t, const Vector& y) { CHECK(y[1] == Approx(std::max(0.0, t - 0.01)).margin(rounding)); });
}

TEST_CASE("what the system shows of a Float32 input is what its unit got") {
    const auto is_single = [](double value) { return value == static_cast<double>(static_cast<float>(value)); };
    TestModel receiver = keeper();
    receiver.single = true;
    for (const Hold hold : {Hold::constant, Hold::compensated, Hold::linear}) {
        for (const char* algorithm : {"jacobi", "gauss-seidel"}) {
            Bench bench = coupled(ramp(), receiver, {{1, 100}, {1, 100}}, hold);
            bench.algorithm = algorithm;
            bool sender_is_wider = false;
            bench.run({1, 1}, [&](double, const Vector& y) {
                const std::vector<double>& inputs = bench.system->signals().inputs.reals;
                CHECK(std::ranges::all_of(inputs, is_single));
                sender_is_wider |= !is_single(y[0]);
            });
            CHECK(sender_is_wider);
        }
    }
}

TEST_CASE("a compensated hold meets the middle of the receiver's step at every ratio of rates") {
    for (const Rates& rates : every_ratio) {
        for (const char* algorithm : {"jacobi", "gauss-seidel"}) {
            Bench bench = coupled(ramp(), keeper(), rates, Hold::compensated);
            bench.algorithm = algorithm;
            const double period = rates.receiver.value();
            int checked = 0;
            bench.run({1, 1}, [&](double t, const Vector& y) {
                if (t < filled) return;
                const double end = std::floor(t / period + 1e-9) * period;
                INFO(algorithm << " " << to_string(rates.sender) << " to " << to_string(rates.receiver) << " t " << t);
                CHECK(y[1] == Approx(end - period / 2).margin(rounding));
                ++checked;
            });
            CHECK(checked > 10);
        }
    }
}

TEST_CASE("the integral of a ramp is exact under compensated and linear holds at every ratio of rates") {
    for (const Hold hold : {Hold::compensated, Hold::linear}) {
        for (const Rates& rates : every_ratio) {
            for (const char* algorithm : {"jacobi", "gauss-seidel"}) {
                Bench bench = coupled(ramp(), integrator(), rates, hold);
                bench.algorithm = algorithm;
                const double period = rates.receiver.value();
                std::optional<double> missed;  // while the history filled
                int checked = 0;
                bench.run({1, 1}, [&](double t, const Vector& y) {
                    if (t < filled) return;
                    const double end = std::floor(t / period + 1e-9) * period;
                    const double error = y[1] - end * end / 2;
                    if (!missed) missed = error;
                    INFO(algorithm << " hold " << static_cast<int>(hold) << " " << to_string(rates.sender) << " to "
                                   << to_string(rates.receiver) << " t " << t);
                    CHECK(error == Approx(*missed).margin(rounding));
                    ++checked;
                });
                CHECK(checked > 10);
            }
        }
    }
}

TEST_CASE("the integral of a ramp is exact through points that are laid beside the grid") {
    for (const char* algorithm : {"jacobi", "gauss-seidel"}) {
        for (const Hold hold : {Hold::compensated, Hold::linear}) {
            Bench bench({1, 10});
            bench.algorithm = algorithm;
            bench.hold = hold;
            bench.extra_points = {{53, 100}, {58, 100}, {95, 100}};
            bench.unit("ramp", ramp()).unit("sum", integrator()).wire("ramp.y", "sum.u");
            std::vector<double> times;
            double offset = 0;  // what the first steps, which know no slope yet, left behind
            bench.run({95, 100}, [&](double t, const Vector& y) {
                times.push_back(t);
                if (t == 0.3) offset = y[1] - t * t / 2;
                if (t > 0.3) CHECK(y[1] - t * t / 2 == Approx(offset).margin(rounding));
            });
            CHECK(times == Vector{0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.53, 0.58, 0.6, 0.7, 0.8, 0.9, 0.95});
        }
    }
}

TEST_CASE("nothing is extrapolated across a jump, and the ramp behind it is met again") {
    constexpr double jump = 0.48;  // a communication point of every rate
    for (const Rates& rates : every_ratio) {
        Bench bench = coupled(jumping_ramp(jump), keeper(), rates, Hold::compensated);
        const double period = rates.receiver.value();
        int first = 0, later = 0;
        bench.run({1, 1}, [&](double t, const Vector& y) {
            const double end = std::floor(t / period + 1e-9) * period;
            const double begin = end - period;
            INFO(to_string(rates.sender) << " to " << to_string(rates.receiver) << " t " << t);
            if (std::abs(begin - jump) < rounding) {
                CHECK(y[1] == Approx(jump + 10).margin(rounding));
                ++first;
            }
            if (begin > jump + rounding) {
                CHECK(y[1] > jump + 10 - rounding);
                CHECK(y[1] < end + 10);
            }
            if (begin < jump + filled) return;
            CHECK(y[1] == Approx(end + 10 - period / 2).margin(rounding));
            ++later;
        });
        CHECK(first > 0);
        CHECK(later > 5);
    }
}

TEST_CASE("a linear hold after a jump begins without a slope") {
    constexpr double jump = 0.5;
    Bench bench = coupled(jumping_ramp(jump), integrator(), {{1, 100}, {1, 100}}, Hold::linear);
    double before = 0;
    bench.run({1, 1}, [&](double t, const Vector& y) {
        const double gained = y[1] - before;
        before = y[1];
        if (std::abs(t - (jump + 0.01)) > rounding) return;
        CHECK(gained == Approx((jump + 10) * 0.01).margin(rounding));
    });
}

TEST_CASE("a receiver that takes no slope gets the middle instead") {
    TestModel plain = keeper();
    plain.interpolates = false;
    Bench bench = coupled(ramp(), plain, {{1, 100}, {1, 100}}, Hold::linear);
    bench.run({1, 1}, [](double t, const Vector& y) {
        if (t > filled) CHECK(y[1] == Approx(t - 0.005).margin(rounding));
    });
    CHECK(std::ranges::count(bench.diagnostics.findings(), "hold", &master::base::Finding::code) == 1);
}
