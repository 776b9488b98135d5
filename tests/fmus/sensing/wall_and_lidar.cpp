#include "interfaces/machine_file/machine_file.hpp"
#include "interfaces/point_cloud/point_cloud.hpp"
#include "tests/fmus/sensing/points.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

using interfaces::point_cloud::View;
using tests::Fmi3Unit;
using tests::points;

namespace {

constexpr double azimuth = 2.5 / 30 + 0.2;  // of the middle of the default wall

void set(const Fmi3Unit& unit, const std::string& name, const std::vector<double>& values) {
    const fmi3ValueReference reference = unit.fmu()[name].reference;
    REQUIRE(unit.call<fmi3SetFloat64TYPE>("fmi3SetFloat64")(unit.instance(), &reference, 1, values.data(),
                                                            values.size()) == fmi3OK);
}

std::vector<double> get(const Fmi3Unit& unit, const std::string& name, std::size_t count) {
    const fmi3ValueReference reference = unit.fmu()[name].reference;
    std::vector<double> values(count);
    REQUIRE(unit.call<fmi3GetFloat64TYPE>("fmi3GetFloat64")(unit.instance(), &reference, 1, values.data(), count) ==
            fmi3OK);
    return values;
}

void set_count(const Fmi3Unit& unit, const std::string& name, std::uint64_t value) {
    const fmi3ValueReference reference = unit.fmu()[name].reference;
    REQUIRE(unit.call<fmi3SetUInt64TYPE>("fmi3SetUInt64")(unit.instance(), &reference, 1, &value, 1) == fmi3OK);
}

std::string messages(const Fmi3Unit& unit) {
    std::string text;
    for (const std::string& message : unit.messages()) text += message + "\n";
    return text;
}

/// The sensor before the wall, 5 m away, all other links far below.
std::vector<double> poses(const Fmi3Unit& lidar) {
    const auto machine = interfaces::machine_file::read(lidar.fmu().resources() + "machine.urdf");
    std::vector<double> values;
    for (const auto& link : machine.links) {
        if (link.name == "lidar")
            values.insert(values.end(), {24.91 * std::cos(azimuth), 24.91 * std::sin(azimuth), 1, 0, 0,
                                         std::sin(azimuth / 2), std::cos(azimuth / 2)});
        else
            values.insert(values.end(), {0, 0, -50, 0, 0, 0, 1});
    }
    REQUIRE(values.size() == lidar.fmu()["links.poses"].count);
    return values;
}

void bite(const Fmi3Unit& wall) {
    set(wall, "tool.pose",
        {30 * std::cos(azimuth), 30 * std::sin(azimuth), 1.5, 0, 0, std::sin(azimuth / 2), std::cos(azimuth / 2)});
    set(wall, "tool.box", {0.6, 0.5, 0.4});
    set(wall, "jaw.position", {0.2});
    set(wall, "jaw.velocity", {0.05});
}

}  // namespace

TEST_CASE("the wall unit is bitten, and says what it lost") {
    const Fmi3Unit wall("wall");
    REQUIRE(wall.initialize() == fmi3OK);
    CHECK(get(wall, "volume", 1)[0] == Approx(12 * 0.18 * 3));
    CHECK(get(wall, "heights", 3005) == std::vector<double>(3005, 3.0));
    REQUIRE(wall.step(0, 0.01).status == fmi3OK);
    CHECK(get(wall, "removed", 1)[0] == 0);
    bite(wall);
    REQUIRE(wall.step(0.01, 0.01).status == fmi3OK);
    CHECK(get(wall, "removed", 1)[0] == Approx(0.6 * 0.18 * 0.7).epsilon(0.2));
    CHECK(get(wall, "contact.force", 1)[0] == 400e3);
    CHECK(get(wall, "tool.external", 6)[2] > 0);
    const auto heights = get(wall, "heights", 3005);
    CHECK(heights[300 * 5 + 2] == Approx(1 + 1.3));
    CHECK(heights[0] == 3);
}

TEST_CASE("the LiDAR unit gives a cloud of the last 100 ms that sees the bitten wall") {
    const Fmi3Unit wall("wall"), lidar("lidar");
    REQUIRE(wall.initialize() == fmi3OK);
    set(lidar, "links.poses", poses(lidar));
    set(lidar, "beam.range_noise", {0});
    REQUIRE(lidar.initialize() == fmi3OK);
    const auto empty = points(lidar);
    REQUIRE(View::parse(empty).has_value());
    CHECK(View::parse(empty)->size() == 0);

    bite(wall);
    for (int i = 0; i < 25; ++i) {
        REQUIRE(wall.step(i * 0.01, 0.01).status == fmi3OK);
        set(lidar, "heights", get(wall, "heights", 3005));
        REQUIRE(lidar.step(i * 0.01, 0.01).status == fmi3OK);
    }
    const auto bytes = points(lidar);
    const auto cloud = View::parse(bytes);
    REQUIRE(cloud.has_value());
    CHECK(cloud->size() == 10'000);
    CHECK(cloud->header().sequence == 25);
    CHECK(cloud->header().time == 250'000'000);
    int seen = 0;
    double highest = -1;
    for (std::size_t i = 0; i < cloud->size(); ++i) {
        const auto point = (*cloud)[i];
        REQUIRE(point.time == 150'000'000 + 10'000 * static_cast<std::int64_t>(i));
        if (point.object != 1) continue;
        ++seen;
        if (std::abs(point.y) < 0.2) highest = std::max(highest, 1.0 + point.z);
    }
    CHECK(seen > 3000);
    CHECK(highest < 1.3 + 1e-3);
    CHECK(highest > 1.2);
    CHECK(get(lidar, "points.rate", 1)[0] > 30'000);
}

TEST_CASE("a saved state of the LiDAR unit repeats its points bit by bit") {
    const Fmi3Unit lidar("lidar");
    set(lidar, "links.poses", poses(lidar));
    REQUIRE(lidar.initialize() == fmi3OK);
    for (int i = 0; i < 12; ++i) REQUIRE(lidar.step(i * 0.01, 0.01).status == fmi3OK);
    fmi3FMUState state = nullptr;
    REQUIRE(lidar.call<fmi3GetFMUStateTYPE>("fmi3GetFMUState")(lidar.instance(), &state) == fmi3OK);
    for (int i = 12; i < 16; ++i) REQUIRE(lidar.step(i * 0.01, 0.01).status == fmi3OK);
    const auto first = points(lidar);
    REQUIRE(lidar.call<fmi3SetFMUStateTYPE>("fmi3SetFMUState")(lidar.instance(), state) == fmi3OK);
    for (int i = 12; i < 16; ++i) REQUIRE(lidar.step(i * 0.01, 0.01).status == fmi3OK);
    CHECK(points(lidar) == first);
    lidar.call<fmi3FreeFMUStateTYPE>("fmi3FreeFMUState")(lidar.instance(), &state);
}

TEST_CASE("another grid of the wall is a structural parameter") {
    const Fmi3Unit wall("wall");
    REQUIRE(wall("fmi3EnterConfigurationMode") == fmi3OK);
    set_count(wall, "n_phi", 301);
    REQUIRE(wall("fmi3ExitConfigurationMode") == fmi3OK);
    REQUIRE(wall.initialize() == fmi3OK);
    CHECK(get(wall, "volume", 1)[0] == Approx(6 * 0.18 * 3));
    CHECK(get(wall, "heights", 1505).size() == 1505);
}

TEST_CASE("a grid finer than the memory allows is refused by name") {
    for (const char* name : {"wall", "lidar"}) {
        const Fmi3Unit unit(name);
        REQUIRE(unit("fmi3EnterConfigurationMode") == fmi3OK);
        set_count(unit, "n_phi", 1ULL << 40);
        CHECK(unit("fmi3ExitConfigurationMode") != fmi3OK);
        CHECK_THAT(messages(unit), Catch::Contains("'n_phi' x 'n_r'"));
    }
}

TEST_CASE("bad parameters and inputs are refused by name") {
    const Fmi3Unit wall("wall"), lidar("lidar"), blind("lidar");
    set(wall, "ring.thickness", {-0.18});
    CHECK(wall.initialize() != fmi3OK);
    CHECK_THAT(messages(wall), Catch::Contains("'ring.thickness' is -0.18"));
    set(blind, "scan.field_of_view", {0});
    CHECK(blind.initialize() != fmi3OK);
    CHECK_THAT(messages(blind), Catch::Contains("'scan.field_of_view' is 0"));
    REQUIRE(lidar.initialize() == fmi3OK);
    auto lost = poses(lidar);
    lost[14] = 1e30;
    set(lidar, "links.poses", lost);
    CHECK(lidar.step(0, 0.01).status != fmi3OK);
    CHECK_THAT(messages(lidar), Catch::Contains("'links.poses'"));
}
