#include "models/sensing/edge/highest_point.hpp"

#include "tests/support/table_file.hpp"

#include <catch2/catch.hpp>
#include <cmath>

using namespace models::edge;

TEST_CASE("quantiles of the highest point are those of the reference") {
    for (const auto& row : tests::read_table("models/sensing/edge/data/edge_quantiles.csv", 1)) {
        const Cloud cloud{.density = row[0], .width = row[1], .noise = row[2]};
        // Six digits in the file.
        CHECK(quantile_of_highest(cloud, 0.05) == Approx(row[3]).epsilon(5e-6).margin(1e-11));
        CHECK(quantile_of_highest(cloud, 0.50) == Approx(row[4]).epsilon(5e-6).margin(1e-11));
        CHECK(quantile_of_highest(cloud, 0.95) == Approx(row[5]).epsilon(5e-6).margin(1e-11));
    }
}

TEST_CASE("levels and numbers of points above them are inverse to each other") {
    for (const double noise : {0.0, 0.001, 0.02, 0.5})
        for (const double mean : {1e-12, 1e-3, 0.1, 0.693, 1.0, 3.0, 50.0, 1e4}) {
            const Cloud cloud{.density = 3482, .width = 0.05, .noise = noise};
            CHECK(points_above(cloud, level_with(cloud, mean)) == Approx(mean).epsilon(1e-9));
        }
}

TEST_CASE("half of the ranked points lie above their median error") {
    // Without noise the point of rank k lies a Gamma(k) distributed distance below: P = exp(-x) sum x^i / i!, i < k.
    const Cloud cloud{.density = 1000, .width = 0.1};
    for (const std::size_t rank : {1U, 2U, 3U, 5U, 10U}) {
        const double x = -median_error(cloud, rank) * 100;
        double term = std::exp(-x), share = 0;
        for (std::size_t i = 0; i < rank; term *= x / static_cast<double>(++i)) share += term;
        CHECK(share == Approx(0.5).margin(0.004));
    }
}
