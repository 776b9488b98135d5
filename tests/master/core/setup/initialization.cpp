#include "tests/support/bench.hpp"

#include <catch2/catch.hpp>
#include <cmath>

using tests::Bench;
using tests::TestModel;
using Vector = std::vector<double>;

namespace {

TestModel algebraic(std::vector<std::string> inputs, Vector start, std::vector<std::string> outputs,
                    std::function<Vector(const Vector& u)> g, std::vector<std::vector<std::uint32_t>> feedthrough) {
    return {.inputs = std::move(inputs),
            .outputs = std::move(outputs),
            .u = std::move(start),
            .derivative = [](double, const Vector&, const Vector&) { return Vector{}; },
            .output = [g](const Vector&, const Vector& u) { return g(u); },
            .feedthrough = std::move(feedthrough)};
}

TestModel affine(double a, double b) {
    return algebraic({"u"}, {0}, {"y"}, [=](const Vector& u) { return Vector{a * u[0] + b}; }, {{0}});
}

Vector start_of(Bench& bench) {
    bench.make();
    return bench.system->signals().outputs.reals;
}

}  // namespace

TEST_CASE("a linear loop at the start is solved: x1 = 1 - x3, x3 = (1 - x1)/2") {
    Bench bench({1, 100});
    bench.unit("A", affine(-1, 1)).unit("B", affine(-0.5, 0.5)).wire("B.y", "A.u").wire("A.y", "B.u");
    const Vector y = start_of(bench);
    CHECK(y[0] == Approx(1).margin(1e-11));
    CHECK(y[1] == Approx(0).margin(1e-11));
    CHECK_THAT(bench.diagnostics.findings().at(1).text, Catch::Contains("B.y -> A.u, A.y -> B.u"));
}

TEST_CASE("a loop that diverges under fixed-point iteration is solved by Newton: 2u + 1, -3u + 1") {
    Bench bench({1, 100});
    bench.unit("A", affine(2, 1)).unit("B", affine(-3, 1)).wire("B.y", "A.u").wire("A.y", "B.u");
    const Vector y = start_of(bench);
    CHECK(y[0] == Approx(3.0 / 7).margin(1e-12));
    CHECK(y[1] == Approx(-2.0 / 7).margin(1e-12));
}

namespace {

Bench nonlinear(double c0) {
    Bench bench({1, 100});
    bench.unit("A", algebraic({"c"}, {c0}, {"a", "b"},
                              [](const Vector& u) {
                                  return Vector{1.8 - u[0], -1.8};
                              },
                              {{0}, {}}));
    bench.unit("B",
               algebraic({"a", "b"}, {0, 0}, {"c"},
                         [](const Vector& u) { return Vector{std::sqrt(5 - u[0] * u[0] - u[1] * u[1])}; }, {{0, 1}}));
    bench.wire("A.a", "B.a").wire("A.b", "B.b").wire("B.c", "A.c");
    return bench;
}

}  // namespace

TEST_CASE("a nonlinear loop is solved from a good start") {
    Bench bench = nonlinear(1);
    const Vector y = start_of(bench);
    CHECK(y[0] == Approx(0.6354248689).margin(1e-10));
    CHECK(y[2] == Approx(1.1645751311).margin(1e-10));
}

TEST_CASE("a loop whose start has no real value names the unit and the signal") {
    Bench bench = nonlinear(0);
    try {
        bench.make();
        FAIL("expected an error");
    } catch (const master::base::Error& error) {
        CHECK(error.where() == "B.c");
        CHECK_THAT(error.what(), Catch::Contains("not a number") && Catch::Contains("A.a -> B.a"));
    }
}

TEST_CASE("consistent values are accepted although the Jacobian is singular") {
    Bench bench({1, 100});
    bench.unit("A", affine(1, 0)).unit("B", affine(1, 0)).wire("B.y", "A.u").wire("A.y", "B.u");
    const Vector y = start_of(bench);
    CHECK(y == Vector{0, 0});
}

TEST_CASE("a loop without solution names the signal that still differs") {
    Bench bench({1, 100});
    bench.unit("A", affine(1, 1)).unit("B", affine(1, 0)).wire("B.y", "A.u").wire("A.y", "B.u");
    try {
        bench.make();
        FAIL("expected an error");
    } catch (const master::base::Error& error) {
        CHECK(error.where() == "A.u");
        CHECK_THAT(error.what(), Catch::Contains("no solution"));
    }
}

TEST_CASE("values travel along a chain in dependency order, whatever the order of units") {
    Bench bench({1, 100});
    bench.unit("third", affine(2, 0)).unit("second", affine(3, 0)).unit("first", affine(0, 1));
    bench.wire("first.y", "second.u").wire("second.y", "third.u");
    CHECK(start_of(bench) == Vector{6, 3, 1});
}
