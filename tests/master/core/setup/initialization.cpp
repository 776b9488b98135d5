#include "tests/support/bench.hpp"

#include <algorithm>
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
    CHECK(std::ranges::count(bench.diagnostics.findings(), master::base::Severity::warning,
                             &master::base::Finding::severity) == 0);
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
    const auto found = std::ranges::find(bench.diagnostics.findings(), master::base::Severity::warning,
                                         &master::base::Finding::severity);
    REQUIRE(found != bench.diagnostics.findings().end());
    CHECK(found->code == "initial-loop");
    CHECK_THAT(found->text, Catch::Contains("{B.y -> A.u, A.y -> B.u} does not determine its values"));
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

namespace {

/// y = u + `offset`, but says that it depends on nothing.
TestModel understated(double offset) {
    return algebraic({"u"}, {0}, {"y"}, [=](const Vector& u) { return Vector{u[0] + offset}; }, {{}});
}

std::vector<std::string> codes(const Bench& bench) {
    std::vector<std::string> list;
    for (const auto& finding : bench.diagnostics.findings()) list.push_back(finding.code);
    return list;
}

}  // namespace

TEST_CASE("an output with a dependency that its unit does not list is not stale at the start, in any order of units") {
    std::vector<std::string> names{"source", "first", "second", "reader"};
    do {
        Bench bench({1, 100});
        for (const std::string& name : names) {
            if (name == "source")
                bench.unit(name, algebraic({}, {}, {"y"}, [](const Vector&) { return Vector{5}; }, {{}}));
            if (name == "first") bench.unit(name, understated(1));
            if (name == "second") bench.unit(name, understated(10));
            if (name == "reader") bench.unit(name, affine(2, 0));
        }
        bench.wire("source.y", "first.u").wire("first.y", "second.u").wire("second.y", "reader.u");
        const Vector y = start_of(bench);
        const auto at = std::ranges::find(names, "reader") - names.begin();
        CHECK(y[static_cast<std::size_t>(at)] == 32);
    } while (std::ranges::next_permutation(names).found);
}

TEST_CASE("a missing dependency is named once, and honest units are not mentioned") {
    Bench bench({1, 100});
    bench.unit("reader", affine(2, 0)).unit("lag", understated(1));
    bench.unit("source", algebraic({}, {}, {"y"}, [](const Vector&) { return Vector{5}; }, {{}}));
    bench.wire("source.y", "lag.u").wire("lag.y", "reader.u");
    start_of(bench);
    REQUIRE(std::ranges::count(codes(bench), "initial-dependency") == 1);
    const auto found =
        std::ranges::find(bench.diagnostics.findings(), "initial-dependency", &master::base::Finding::code);
    CHECK(found->where == "unit 'lag'");
    CHECK_THAT(found->text, Catch::Contains("output 'y'") && Catch::Contains("'u'"));
}

TEST_CASE("a loop that appears with a missing dependency is solved: y = u + 1, u = -3 y") {
    Bench bench({1, 100});
    bench.unit("A", understated(1)).unit("B", affine(-3, 0)).wire("B.y", "A.u").wire("A.y", "B.u");
    const Vector y = start_of(bench);
    CHECK(y[0] == Approx(0.25).margin(1e-11));
    CHECK(y[1] == Approx(-0.75).margin(1e-11));
}

TEST_CASE("start values that a unit lost before its initialisation are set again") {
    using Forgets = TestModel::Forgets;
    for (const Forgets forgets : {Forgets::nothing, Forgets::in_set_up, Forgets::on_entering}) {
        TestModel model = affine(2, 0);
        model.forgets = forgets;
        Bench bench({1, 100});
        bench.unit("A", model).start(0, 7);
        const Vector y = start_of(bench);
        CHECK(y[0] == 14);
        CHECK(bench.system->nodes()[0].not_taken.empty());
        const bool told = std::ranges::count(codes(bench), "start-value") == 1;
        CHECK(told == (forgets == Forgets::on_entering));
    }
}

TEST_CASE("a start value that a unit does not take is a warning with both values") {
    TestModel model = affine(2, 0);
    model.forgets = TestModel::Forgets::always;
    Bench bench({1, 100});
    bench.unit("A", model).start(0, 7);
    start_of(bench);
    const auto& nodes = bench.system->nodes();
    REQUIRE(nodes[0].not_taken.size() == 1);
    CHECK(std::get<std::vector<double>>(nodes[0].not_taken[0].value) == Vector{0});
    const auto found = std::ranges::find(bench.diagnostics.findings(), "start-value", &master::base::Finding::code);
    REQUIRE(found != bench.diagnostics.findings().end());
    CHECK(found->severity == master::base::Severity::warning);
    CHECK(found->text == "'u' was given 7, but the unit keeps 0");
}

TEST_CASE("a parameter that a unit lost when it left Initialization Mode is a warning with both values") {
    TestModel model = affine(2, 0);
    model.forgets = TestModel::Forgets::on_leaving;
    model.parameters = true;
    Bench bench({1, 100});
    bench.unit("A", model).start(0, 7);
    CHECK(start_of(bench)[0] == 0);
    REQUIRE(bench.system->nodes()[0].not_taken.size() == 1);
    const auto found = std::ranges::find(bench.diagnostics.findings(), "start-value", &master::base::Finding::code);
    REQUIRE(found != bench.diagnostics.findings().end());
    CHECK(found->severity == master::base::Severity::warning);
    CHECK(found->text == "'u' was given 7, but after its initialisation the unit has 0");
}

TEST_CASE(
    "an input that nobody drives has the start value of its description, also where the unit begins with another") {
    TestModel model = affine(2, 0);
    model.u = {7};
    model.forgets = TestModel::Forgets::on_entering;
    Bench bench({1, 100});
    bench.unit("A", model);
    CHECK(start_of(bench)[0] == 14);
    const auto found = std::ranges::find(bench.diagnostics.findings(), "start-value", &master::base::Finding::code);
    REQUIRE(found != bench.diagnostics.findings().end());
    CHECK(found->severity == master::base::Severity::note);
    CHECK_THAT(found->text, Catch::Contains("'u' = 0 (stated: 7)"));
}

TEST_CASE("what a unit has in place of a parameter that its description states is kept and noted") {
    TestModel model = affine(2, 0);
    model.u = {42};
    model.forgets = TestModel::Forgets::on_leaving;
    model.parameters = true;
    Bench bench({1, 100});
    bench.unit("A", model).stated(0, 42);
    start_of(bench);
    const auto& kept = bench.system->nodes()[0].not_taken;
    REQUIRE(kept.size() == 1);
    CHECK(std::get<std::vector<double>>(kept[0].value) == Vector{0});
    const auto found = std::ranges::find(bench.diagnostics.findings(), "start-value", &master::base::Finding::code);
    REQUIRE(found != bench.diagnostics.findings().end());
    CHECK(found->severity == master::base::Severity::note);
    CHECK_THAT(found->text, Catch::Contains("'u' = 0 (stated: 42)"));
}

TEST_CASE(
    "outputs that change when their unit leaves Initialization Mode are noted with the wires that carried others") {
    for (const bool changes : {false, true}) {
        TestModel sender = affine(1, 0);
        if (changes) sender.forgets = TestModel::Forgets::on_leaving;
        Bench bench({1, 100});
        bench.unit("sender", sender).start(0, 7).unit("reader", affine(2, 0)).wire("sender.y", "reader.u");
        start_of(bench);
        CHECK(bench.system->signals().inputs.reals == Vector{7});  // what the reader had in its initialisation
        const auto found = std::ranges::find(bench.diagnostics.findings(), "start-value", &master::base::Finding::code);
        REQUIRE((found != bench.diagnostics.findings().end()) == changes);
        if (!changes) continue;
        CHECK(found->severity == master::base::Severity::note);
        CHECK(found->where == "unit 'sender'");
        CHECK_THAT(found->text, Catch::Contains("left its initialisation: sender.y -> reader.u;"));
    }
}
