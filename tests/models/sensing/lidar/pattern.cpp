#include "models/sensing/lidar/pattern.hpp"

#include "models/sensing/lidar/coverage.hpp"
#include "models/sensing/lidar/noise.hpp"
#include "tests/support/table_file.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

using models::lidar::Coverage;
using models::lidar::Curve;
using models::lidar::direction;
using models::lidar::Direction;
using models::lidar::Noise;
using models::lidar::Pattern;
using models::lidar::ScanParameters;

namespace {

constexpr double degree = std::numbers::pi / 180;

template <class Visit>
void scan(const Pattern& pattern, std::int64_t rays, Visit visit) {
    Pattern::Positions positions;
    for (std::int64_t first = 0; first < rays; first += static_cast<std::int64_t>(Pattern::block)) {
        pattern.positions(first, positions);
        for (std::size_t i = 0; i < Pattern::block && first + static_cast<std::int64_t>(i) < rays; ++i)
            visit(positions[i]);
    }
}

double coverage(const ScanParameters& parameters, double cell, std::int64_t rays) {
    const Pattern pattern(parameters);
    Coverage result(parameters.field_of_view, cell);
    scan(pattern, rays, [&](std::complex<double> position) { result.add(position); });
    return result.share();
}

std::string scan_refusal(const ScanParameters& parameters) {
    try {
        models::lidar::check(parameters);
    } catch (const std::invalid_argument& problem) {
        return problem.what();
    }
    return "accepted";
}

}  // namespace

TEST_CASE("rays point where the reference points") {
    constexpr double tolerance = 1e-9;  // of the reference data, which have 12 digits
    const Pattern pattern{ScanParameters{}};
    for (const auto& row : tests::read_table("models/sensing/lidar/data/lidar_points.csv", 1)) {
        const auto ray = static_cast<std::int64_t>(row[0]);
        const auto at = pattern.position(ray);
        CHECK(std::abs(std::abs(at) / degree - row[2]) < 1e-8);  // ten digits of up to 35 degrees
        CHECK(std::abs(std::arg(at) / degree - row[3]) < 1e-7);
        Pattern::Positions block;
        const std::int64_t first = ray - ray % 50;
        pattern.positions(first, block);
        for (const auto position : {at, block[static_cast<std::size_t>(ray - first)]}) {
            const Direction to = direction(position);
            CHECK(std::abs(to.x - row[4]) < tolerance);
            CHECK(std::abs(to.y - row[5]) < tolerance);
            CHECK(std::abs(to.z - row[6]) < tolerance);
        }
    }
}

TEST_CASE("directions are unit vectors up to a right angle") {
    for (double angle = 0; angle <= std::numbers::pi / 2; angle += 0.01)
        for (const double side : {0.0, 1.0, 2.5}) {
            const Direction to = direction(std::polar(angle, side));
            CHECK(std::abs(to.x - std::cos(angle)) < 2e-15);
            CHECK(std::abs(to.y - std::sin(angle) * std::cos(side)) < 2e-15);
            CHECK(std::abs(to.z - std::sin(angle) * std::sin(side)) < 2e-15);
        }
}

TEST_CASE("the field of view is covered as the reference says") {
    constexpr double tolerance = 0.002;
    for (const auto& row : tests::read_table("models/sensing/lidar/data/lidar_coverage.csv", 1)) {
        const ScanParameters parameters{.first_speed = row[0], .second_speed = row[1]};
        CHECK(std::abs(coverage(parameters, row[2] * degree, static_cast<std::int64_t>(row[3])) - row[4]) < tolerance);
    }
}

TEST_CASE("the eight-term curve covers the field of view as the maker's does") {
    const ScanParameters parameters{.curve = Curve::eight_terms};
    // Published to 0.1 %, as means over start times.
    constexpr double tolerance = 0.006;
    CHECK(std::abs(coverage(parameters, 0.2 * degree, 10'000) - 0.071) < tolerance);
    CHECK(std::abs(coverage(parameters, 0.2 * degree, 100'000) - 0.536) < tolerance);
    CHECK(std::abs(coverage(parameters, 0.5 * degree, 10'000) - 0.193) < tolerance);
    CHECK(std::abs(coverage(parameters, 0.5 * degree, 30'000) - 0.478) < tolerance);
    CHECK(std::abs(coverage(parameters, 0.5 * degree, 100'000) - 0.921) < tolerance);
}

TEST_CASE("one third of the rays lies inside half the radius, and none outside the field of view") {
    int inside = 0, rays = 0;
    double largest = 0;
    scan(Pattern{ScanParameters{}}, 100'000, [&](std::complex<double> position) {
        ++rays;
        if (std::abs(position) < 17.6 * degree) ++inside;
        largest = std::max(largest, std::abs(position));
    });
    CHECK(rays == 100'000);
    CHECK(inside == 33282);
    CHECK(largest == Approx(35.2 * degree).epsilon(1e-12));
}

TEST_CASE("field of view, radius ratio and phase shape the curve") {
    const ScanParameters narrow{.field_of_view = 0.4, .radius_ratio = 0.5, .start_phase = std::numbers::pi};
    double smallest = 1, largest = 0;
    scan(Pattern{narrow}, 100'000, [&](std::complex<double> position) {
        smallest = std::min(smallest, std::abs(position));
        largest = std::max(largest, std::abs(position));
    });
    CHECK(largest == Approx(0.2).epsilon(1e-4));
    CHECK(smallest == Approx(0.2 / 3).epsilon(1e-4));
    CHECK(Pattern{narrow}.position(0).real() == Approx(-0.2 / 3));
}

TEST_CASE("rays taken away from the coverage leave what it was") {
    const Pattern pattern{ScanParameters{}};
    Coverage result(70.4 * degree, 0.5 * degree);
    std::vector<std::uint32_t> cells;
    scan(pattern, 10'000, [&](std::complex<double> position) { cells.push_back(result.add(position)); });
    const double before = result.share();
    const std::size_t first = cells.size();
    scan(pattern, 30'000, [&](std::complex<double> position) { cells.push_back(result.add(position)); });
    for (std::size_t i = first; i < cells.size(); ++i) result.remove(cells[i]);
    CHECK(result.share() == before);
    for (std::size_t i = 0; i < first; ++i) result.remove(cells[i]);
    CHECK(result.share() == 0);
}

TEST_CASE("noise is normal, and a number of the ray alone") {
    constexpr int count = 200'000;
    double sum = 0, squares = 0, fourth = 0, neighbours = 0, before = 0;
    int beyond_two = 0;
    for (std::uint64_t ray = 0; ray < count; ++ray) {
        const double value = Noise(7, 0).normal(ray);
        sum += value;
        squares += value * value;
        fourth += value * value * value * value;
        neighbours += value * before;
        before = value;
        if (std::abs(value) > 2) ++beyond_two;
    }
    // Five standard deviations of each figure for this count.
    CHECK(std::abs(sum / count) < 5 / std::sqrt(count));
    CHECK(std::abs(squares / count - 1) < 5 * std::sqrt(2.0 / count));
    CHECK(std::abs(fourth / count - 3) < 5 * std::sqrt(96.0 / count));
    CHECK(std::abs(neighbours / count) < 5 / std::sqrt(count));
    CHECK(std::abs(beyond_two / double(count) - 0.0455) < 5 * std::sqrt(0.0455 / count));
    CHECK(Noise(7, 0).normal(3) == Noise(7, 0).normal(3));
    CHECK(Noise(7, 0).normal(3) != Noise(7, 1).normal(3));
    CHECK(Noise(7, 0).normal(3) != Noise(8, 0).normal(3));
}

TEST_CASE("parameters that make no scan are refused by name") {
    CHECK(scan_refusal({}) == "accepted");
    CHECK_THAT(scan_refusal({.field_of_view = 0}), Catch::Contains("'scan.field_of_view' is 0"));
    CHECK_THAT(scan_refusal({.field_of_view = -1}), Catch::Contains("'scan.field_of_view'"));
    CHECK_THAT(scan_refusal({.field_of_view = 4}), Catch::Contains("'scan.field_of_view'"));
    CHECK_THAT(scan_refusal({.first_speed = std::numeric_limits<double>::quiet_NaN()}),
               Catch::Contains("'scan.first_speed'"));
    CHECK_THAT(scan_refusal({.radius_ratio = -0.1}), Catch::Contains("'scan.radius_ratio'"));
    CHECK_THAT(scan_refusal({.rays_per_shot = 0}), Catch::Contains("'scan.rays_per_shot'"));
    CHECK_THAT(scan_refusal({.shots_per_second = -100}), Catch::Contains("'scan.shots_per_second'"));
    CHECK_THROWS_WITH(Coverage(1.2, 0), Catch::Contains("'coverage.cell'"));
    CHECK_THROWS_WITH(Coverage(1.2, 1e-9), Catch::Contains("'coverage.cell'"));
}
