#include "master/core/setup/newton.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

using master::core::newton;
using master::core::NewtonResult;
using Vector = std::vector<double>;
using Status = NewtonResult::Status;

namespace {

/// The circle u0^2 + u1^2 = 5 and the hyperbola u0 u1 = 2, which meet at (2, 1).
bool circle_and_hyperbola(const Vector& u, Vector& r) {
    r[0] = u[0] * u[0] + u[1] * u[1] - 5;
    r[1] = u[0] * u[1] - 2;
    return true;
}

}  // namespace

TEST_CASE("Newton's method squares the error in every iteration") {
    Vector errors;
    Vector u{2.4, 0.7};
    const NewtonResult result = newton(
        [&](const Vector& at, Vector& r) {
            errors.push_back(std::max(std::abs(at[0] - 2), std::abs(at[1] - 1)));
            return circle_and_hyperbola(at, r);
        },
        u);
    REQUIRE(result.status == Status::solved);
    CHECK(u[0] == Approx(2).epsilon(1e-12));
    CHECK(u[1] == Approx(1).epsilon(1e-12));
    CHECK(result.residual < 1e-12);
    REQUIRE(result.iterations >= 3);
    CHECK(result.iterations <= 6);
    // One evaluation at the guess; then each iteration moves both unknowns for the Jacobian and takes its whole step.
    REQUIRE(errors.size() >= static_cast<std::size_t>(1 + 3 * result.iterations));
    constexpr double curvature = 2;  // bounds half the second derivatives over the inverse Jacobian near (2, 1)
    constexpr double difference_step = 1e-7;  // the Jacobian of a difference quotient is that much off
    for (int i = 0; i < result.iterations; ++i) {
        const double before = errors[static_cast<std::size_t>(3 * i)];
        const double after = errors[static_cast<std::size_t>(3 * i + 3)];
        CHECK(after <= curvature * before * before + difference_step * before);
    }
}

TEST_CASE("the last evaluation is at the solution, so that whoever computed it is left there") {
    Vector last;
    Vector u{2.4, 0.7};
    const NewtonResult result = newton(
        [&](const Vector& at, Vector& r) {
            last = at;
            return circle_and_hyperbola(at, r);
        },
        u);
    REQUIRE(result.status == Status::solved);
    CHECK(last == u);
}

TEST_CASE("equations without a solution are not solved, and the worst one is named") {
    Vector u{1, 3};
    const NewtonResult result = newton(
        [](const Vector& at, Vector& r) {
            r[0] = at[0] - 2;
            r[1] = at[1] * at[1] + 1;
            return true;
        },
        u);
    CHECK(result.status == Status::not_solved);
    CHECK(result.worst == 1);
    CHECK(result.residual >= 1);
}

TEST_CASE("a residual that is no number ends the search") {
    const auto no_number = [](const Vector&, Vector&) { return false; };
    Vector u{1};
    CHECK(newton(no_number, u).status == Status::no_number);
    CHECK(u == Vector{1});

    // A number at the guess alone: the Jacobian cannot be formed.
    const auto only_at_one = [](const Vector& at, Vector& r) {
        r[0] = 1;
        return at[0] == 1;
    };
    CHECK(newton(only_at_one, u).status == Status::no_number);
}

TEST_CASE("a step to where there is no number is halved until there is one") {
    // From 5 the whole step of log(u) = 0 leads to 5 - 5 log 5 < 0.
    Vector u{5};
    const NewtonResult result = newton(
        [](const Vector& at, Vector& r) {
            r[0] = std::log(at[0]);
            return at[0] > 0;
        },
        u);
    CHECK(result.status == Status::solved);
    CHECK(u[0] == Approx(1).epsilon(1e-12));
}

TEST_CASE("a guess that is consistent already is accepted as it is, whatever the Jacobian") {
    int evaluations = 0;
    Vector u{0.25, -3};
    const NewtonResult result = newton(
        [&](const Vector& at, Vector& r) {
            ++evaluations;
            const double both = at[0] - 0.25 + (at[1] + 3);  // the same equation twice
            r = {both, both};
            return true;
        },
        u);
    CHECK(result.status == Status::solved);
    CHECK(result.iterations == 0);
    CHECK(u == Vector{0.25, -3});
    CHECK(evaluations <= 2);
}

TEST_CASE("a Jacobian is singular where equations repeat each other, not where their sizes differ") {
    const auto twice = [](const Vector& at, Vector& r) {
        r = {at[0] - at[1], 3 * (at[1] - at[0])};
        return true;
    };
    CHECK(master::core::is_singular(twice, {0, 0}));
    const auto nothing = [](const Vector& at, Vector& r) {
        r[0] = at[0] - at[0];
        return true;
    };
    CHECK(master::core::is_singular(nothing, {0}));
    // A pressure in pascal and a flow in cubic metres per second, each made from the other.
    Vector last;
    const auto sizes = [&](const Vector& at, Vector& r) {
        last = at;
        r = {1e9 * at[1] - at[0], 5e-10 * at[0] - at[1]};
        return true;
    };
    CHECK_FALSE(master::core::is_singular(sizes, {0, 0}));
    CHECK(last == Vector{0, 0});
}

TEST_CASE("equations that repeat each other are solved where they can be") {
    Vector u{0, 0};
    const NewtonResult result = newton(
        [](const Vector& at, Vector& r) {
            r = {at[0] + at[1] - 2, at[0] + at[1] - 2};
            return true;
        },
        u);
    CHECK(result.status == Status::solved);
    CHECK(u[0] + u[1] == Approx(2).epsilon(1e-12));
}
