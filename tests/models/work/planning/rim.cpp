#include "models/work/planning/rim.hpp"

#include <catch2/catch.hpp>
#include <cmath>

using models::planning::Rim;

namespace {

constexpr double window = 1;
constexpr double unseen = 2;

/// All cells of 2 m of rim seen at this height.
Rim seen_at(double height) {
    Rim rim(0, 2);
    for (double place = Rim::cell_length / 2; place < 2; place += Rim::cell_length) rim.see(place, height, 0, window);
    return rim;
}

}  // namespace

TEST_CASE("a single cell that stands higher does not count as the top, but as the ceiling") {
    Rim rim(0, 2);
    for (double place = Rim::cell_length / 2; place < 2; place += Rim::cell_length)
        rim.see(place, std::abs(place - 1.025) < 1e-6 ? 1.5 : 0.5, 0, window);
    CHECK(rim.about({0, 2}).top == 0.5);
    CHECK(rim.ceiling({0, 2}, unseen) == 1.5);
    CHECK(rim.ceiling({0, 0.9}, unseen) == 0.5);
}

TEST_CASE("a cell that was never seen may be as high as the wall was, until it is cut") {
    Rim rim(0, 2);
    for (double place = Rim::cell_length / 2; place < 1.9; place += Rim::cell_length) rim.see(place, 0.5, 0, window);
    CHECK(rim.ceiling({0, 1.9}, unseen) == 0.5);
    CHECK(rim.ceiling({0, 2}, unseen) == unseen);
    rim.cut({1.8, 2}, 0.3, 0);
    CHECK(rim.ceiling({0, 2}, unseen) == 0.5);
    CHECK(rim.ceiling({1.8, 2}, unseen) == 0.3);
}

TEST_CASE("nothing stands where the rim has no cells") {
    const Rim rim = seen_at(1);
    CHECK_FALSE(rim.ceiling({3, 4}, unseen));
    CHECK(rim.ceiling({1, 4}, unseen) == 1.0);
}

TEST_CASE("a rim that begins again elsewhere has forgotten what it saw") {
    Rim rim = seen_at(1);
    rim.restart(10);
    CHECK(rim.start() == 10);
    CHECK(rim.end() == Approx(12));
    CHECK(rim.about({10, 12}).known == 0);
}
