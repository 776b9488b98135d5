#include "master/core/system.hpp"

#include "tests/master/core/small_models.hpp"
#include "tests/support/bench.hpp"

#include <catch2/catch.hpp>

using tests::Bench;
using tests::counter;
using tests::TestModel;
using Vector = std::vector<double>;

TEST_CASE("a slow unit's output appears only when its period ends") {
    Bench bench({1, 1000});
    bench.unit("fast", counter()).unit("slow", counter(), master::base::Fraction{3, 1000});
    std::vector<std::pair<double, double>> seen;
    bench.run({7, 1000}, [&](double, const Vector& y) { seen.emplace_back(y[0], y[1]); });
    const std::vector<std::pair<double, double>> expected{{0, 0}, {1, 0}, {2, 0}, {3, 1},
                                                          {4, 1}, {5, 1}, {6, 2}, {7, 2}};
    CHECK(seen == expected);
}

TEST_CASE("periods that do not divide each other meet at exact points") {
    Bench bench({1, 1000});
    bench.unit("a", counter(), master::base::Fraction{2, 1000}).unit("b", counter(), master::base::Fraction{1, 300});
    std::vector<double> times;
    bench.run({1, 100}, [&](double t, const Vector&) { times.push_back(t); });
    const std::vector<double> expected{0, 0.002, 1.0 / 300, 0.004, 0.006, 2.0 / 300, 0.008, 0.01};
    CHECK(times == expected);
}
