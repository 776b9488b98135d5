#include "models/site/wall/wall.hpp"

#include "tests/support/table_file.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <numbers>

using models::wall::Bite;
using models::wall::Ring;
using models::wall::ToolBox;
using models::wall::Wall;

namespace {

constexpr double volume_tolerance = 1e-9;  // of the reference data

Wall reference_wall() {
    Wall wall;
    wall.ring = {.height = 2, .base = 0, .start = 0, .spacing = 0.025, .columns = 121};
    wall.configure();
    wall.initialize(0);
    return wall;
}

ToolBox turned_box(const std::vector<double>& row) {
    const double yaw = row[6];
    return {.pose = {row[0], row[1], row[2], 0, 0, std::sin(yaw / 2), std::cos(yaw / 2)},
            .size = {2 * row[3], 2 * row[4], 2 * row[5]}};
}

/// A box over the middle of the rim at this azimuth, its bottom at this world z.
ToolBox box_over(const Wall& wall, double azimuth, double bottom) {
    const double radius = wall.ring.radius;
    return {.pose = {radius * std::cos(azimuth), radius * std::sin(azimuth), bottom + 0.35, 0, 0, std::sin(azimuth / 2),
                     std::cos(azimuth / 2)},
            .size = {0.6, 0.5, 0.7}};
}

std::string refusal(Wall wall) {
    try {
        wall.configure();
        wall.initialize(0);
    } catch (const std::invalid_argument& problem) {
        return problem.what();
    }
    return "accepted";
}

}  // namespace

TEST_CASE("six bites leave the heights and volumes of the reference") {
    Wall wall = reference_wall();
    CHECK(std::abs(wall.state.volume - 1.08) < volume_tolerance);
    for (const auto& row : tests::read_table("models/site/wall/data/wall_bites.csv", 1)) {
        const Bite bite = wall.push_down(turned_box(row));
        CHECK(static_cast<double>(bite.moved) == row[7]);
        CHECK(std::abs(wall.state.volume - row[8]) < volume_tolerance);
        CHECK(std::abs(wall.state.volume - volume_of(wall.ring, wall.state.heights)) < volume_tolerance);
        CHECK(std::abs(wall.state.volume + wall.state.removed - 1.08) < volume_tolerance);
    }
    const auto expected = tests::read_table("models/site/wall/data/wall_heights_after.csv", 0);
    REQUIRE(expected.size() == wall.ring.columns);
    // The file has six decimals; the boxes' bottoms have two.
    for (std::size_t column = 0; column < expected.size(); ++column)
        for (std::size_t row = 0; row < wall.ring.rows; ++row)
            CHECK(std::abs(wall.state.heights[column * wall.ring.rows + row] - expected[column][row]) < 1e-12);
}

TEST_CASE("a bite again changes nothing, and no bite raises a vertex or goes below the base") {
    Wall wall = reference_wall();
    for (const double bottom : {1.5, 1.7, -3.0, 1.9, 0.4}) {
        const std::vector<double> before = wall.state.heights;
        wall.push_down(box_over(wall, 0.05, bottom));
        const std::vector<double> after = wall.state.heights;
        for (std::size_t i = 0; i < after.size(); ++i) {
            CHECK(after[i] <= before[i]);
            CHECK(after[i] >= 0);
        }
        CHECK(wall.push_down(box_over(wall, 0.05, bottom)).moved == 0);
        CHECK(wall.state.heights == after);
    }
    CHECK(*std::min_element(wall.state.heights.begin(), wall.state.heights.end()) == 0);
}

TEST_CASE("the wall gives way only while the jaw closes on it") {
    Wall wall = reference_wall();
    wall.jaw.contact_position = 0.1;
    wall.inputs.tool = box_over(wall, 0.05, 1.5);
    const auto removed_with = [&](double position, double velocity, double sign) {
        Wall copy = wall;
        copy.jaw.closing_sign = sign;
        copy.inputs.jaw_position = position;
        copy.inputs.jaw_velocity = velocity;
        copy.step(0, 0.01);
        CHECK(copy.state.contact_active == (copy.state.removed > 0));
        CHECK((copy.state.contact_force > 0) == copy.state.contact_active);
        return copy.state.removed;
    };
    CHECK(removed_with(0.2, 0.1, 1) > 0.04);
    CHECK(removed_with(0.2, 0.0, 1) == 0);
    CHECK(removed_with(0.2, -0.1, 1) == 0);
    CHECK(removed_with(0.05, 0.1, 1) == 0);
    CHECK(removed_with(0.05, -0.1, -1) > 0.04);
    CHECK(removed_with(0.2, -0.1, -1) == 0);
}

TEST_CASE("the wall pushes the tool up at the crushed place and lets go when nothing is left to crush") {
    Wall wall = reference_wall();
    wall.inputs = {.tool = box_over(wall, 0.0, 1.5), .jaw_position = 0.2, .jaw_velocity = 0.1};
    wall.step(0, 0.01);
    CHECK(wall.state.contact_force == 400e3);
    CHECK(wall.state.tool_external[2] == Approx(20e3));
    CHECK(wall.state.tool_external[0] == 0);
    // Half of the box is over the wall, which begins at azimuth 0: the force acts on the +y side, turning about +x.
    CHECK(wall.state.tool_external[3] == Approx(20e3 * 0.125).epsilon(0.1));
    CHECK(std::abs(wall.state.tool_external[4]) < 20e3 * 0.01);
    wall.step(0.01, 0.01);
    CHECK_FALSE(wall.state.contact_active);
    CHECK(wall.state.tool_external == std::array<double, 6>{});
}

TEST_CASE("under a tilted box the wall gets a slope") {
    Wall wall = reference_wall();
    const double tilt = 0.2;  // about x: the side towards larger azimuth is higher
    ToolBox box = box_over(wall, 0, 1.5);
    box.pose = {30, 1.5, 2.0, std::sin(tilt / 2), 0, 0, std::cos(tilt / 2)};
    REQUIRE(wall.push_down(box).moved > 0);
    const std::size_t middle = 60, step = 4;
    const double slope = (wall.state.heights[(middle + step) * 5 + 2] - wall.state.heights[middle * 5 + 2]) /
                         (30 * std::sin(wall.ring.azimuth(middle + step)) - 30 * std::sin(wall.ring.azimuth(middle)));
    CHECK(slope == Approx(std::tan(tilt)));
    CHECK(wall.state.heights[middle * 5 + 2] == Approx(2.0 - 0.35 / std::cos(tilt)).margin(1e-3));
}

TEST_CASE("base and azimuth move the wall, not the bite") {
    const auto removed_at = [](double base, double start) {
        Wall wall;
        wall.ring.base = base;
        wall.ring.start = start;
        wall.initialize(0);
        return wall.push_down(box_over(wall, start + 0.2, base + 2.5)).volume;
    };
    const double removed = removed_at(0, 0);
    CHECK(removed == Approx(0.5 * 0.5 * 0.18).epsilon(0.05));
    for (const double start : {-3.2, -0.1, 0.5, 3.0, 7.0})
        CHECK(removed_at(-1, start) == Approx(removed).epsilon(0.05));
}

TEST_CASE("a tool at the seam of a closed ring bites both ends") {
    Wall wall;
    wall.ring.columns = 9425;
    wall.ring.spacing = 2 * std::numbers::pi * wall.ring.radius / 9424;
    wall.ring.start = 0;
    wall.configure();
    wall.initialize(0);
    wall.push_down(box_over(wall, 0.0, 1.0));
    CHECK(wall.state.heights.front() == 2.0);
    CHECK(wall.state.heights.back() == 2.0);
}

TEST_CASE("notches repeat with their seed and differ with another") {
    const auto notched = [](std::uint64_t seed) {
        Wall wall;
        wall.notches.seed = seed;
        wall.initialize(0);
        return wall;
    };
    CHECK(notched(0).state.volume == Approx(12 * 0.18 * 3));
    CHECK(notched(1).state.heights == notched(1).state.heights);
    CHECK(notched(1).state.heights != notched(2).state.heights);
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
        const Wall wall = notched(seed);
        CHECK(wall.state.volume < 12 * 0.18 * 3);
        CHECK(wall.state.removed == 0);
        CHECK(*std::min_element(wall.state.heights.begin(), wall.state.heights.end()) >= 3 - 0.6);
    }
}

TEST_CASE("parameters that make no wall are refused by name") {
    Wall wall;
    CHECK(refusal(wall) == "accepted");
    const auto refused = [](auto change) {
        Wall changed;
        change(changed);
        return refusal(changed);
    };
    CHECK_THAT(refused([](Wall& w) { w.ring.thickness = -0.18; }), Catch::Contains("'ring.thickness' is -0.18"));
    CHECK_THAT(refused([](Wall& w) { w.ring.radius = 0; }), Catch::Contains("'ring.radius'"));
    CHECK_THAT(refused([](Wall& w) { w.ring.height = -3; }), Catch::Contains("'ring.height'"));
    CHECK_THAT(refused([](Wall& w) { w.ring.spacing = -0.02; }), Catch::Contains("'ring.spacing'"));
    CHECK_THAT(refused([](Wall& w) { w.ring.spacing = 1; }), Catch::Contains("'ring.spacing'"));
    CHECK_THAT(refused([](Wall& w) { w.ring.base = std::numeric_limits<double>::quiet_NaN(); }),
               Catch::Contains("'ring.base'"));
    CHECK_THAT(refused([](Wall& w) { w.ring.columns = 1; }), Catch::Contains("'n_phi'"));
    CHECK_THAT(refused([](Wall& w) { w.ring.rows = 0; }), Catch::Contains("'n_r'"));
    CHECK_THAT(refused([](Wall& w) { w.ring.columns = 1ULL << 62; }), Catch::Contains("'n_phi'"));
    CHECK_THAT(refused([](Wall& w) { w.jaw.closing_sign = 0; }), Catch::Contains("'jaw.closing_sign'"));
    CHECK_THAT(refused([](Wall& w) { w.notches.depth = 4; }), Catch::Contains("'notch.depth'"));
    CHECK_THAT(refused([](Wall& w) { w.notches.width = 0; }), Catch::Contains("'notch.width'"));
}

TEST_CASE("a tool that is nowhere ends the step with the input's name") {
    Wall wall = reference_wall();
    wall.inputs = {.tool = box_over(wall, 0.0, 1.5), .jaw_position = 0.2, .jaw_velocity = 0.1};
    wall.inputs.tool.pose[1] = std::numeric_limits<double>::quiet_NaN();
    CHECK_THROWS_WITH(wall.step(0, 0.01), Catch::Contains("tool.pose"));
    wall.inputs.tool = {.pose = {}, .size = {1, 1, 1}};
    CHECK_THROWS_WITH(wall.step(0, 0.01), Catch::Contains("quaternion"));
    wall.inputs.tool = {.size = {1, -1, 1}};
    CHECK_THROWS_WITH(wall.step(0, 0.01), Catch::Contains("tool.box"));
    wall.inputs.jaw_velocity = std::numeric_limits<double>::infinity();
    CHECK_THROWS_WITH(wall.step(0, 0.01), Catch::Contains("jaw.velocity"));
}
