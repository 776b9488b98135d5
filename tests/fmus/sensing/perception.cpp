#include "interfaces/point_cloud/point_cloud.hpp"
#include "tests/support/fmi3_unit.hpp"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>

namespace point_cloud = interfaces::point_cloud;
using tests::Fmi3Unit;

namespace {

std::vector<double> get(const Fmi3Unit& unit, const std::string& name) {
    std::vector<double> values(unit.fmu()[name].count);
    const fmi3ValueReference reference = unit.fmu()[name].reference;
    REQUIRE(unit.call<fmi3GetFloat64TYPE>("fmi3GetFloat64")(unit.instance(), &reference, 1, values.data(),
                                                            values.size()) == fmi3OK);
    return values;
}

std::array<bool, 300> valid(const Fmi3Unit& perception) {
    std::array<bool, 300> values{};
    const fmi3ValueReference reference = perception.fmu()["edge.valid"].reference;
    REQUIRE(perception.call<fmi3GetBooleanTYPE>("fmi3GetBoolean")(perception.instance(), &reference, 1, values.data(),
                                                                  values.size()) == fmi3OK);
    return values;
}

std::vector<std::uint8_t> points_of(const Fmi3Unit& lidar) {
    const fmi3ValueReference reference = lidar.fmu()["points.data"].reference;
    fmi3Binary data = nullptr;
    std::size_t size = 0;
    REQUIRE(lidar.call<fmi3GetBinaryTYPE>("fmi3GetBinary")(lidar.instance(), &reference, 1, &size, &data, 1) == fmi3OK);
    return {data, data + size};
}

void step(const Fmi3Unit& perception, const std::vector<std::uint8_t>& points, double t) {
    const fmi3ValueReference reference = perception.fmu()["points.data"].reference;
    const fmi3Binary data = points.data();
    const std::size_t size = points.size();
    REQUIRE(perception.call<fmi3SetBinaryTYPE>("fmi3SetBinary")(perception.instance(), &reference, 1, &size, &data,
                                                                1) == fmi3OK);
    REQUIRE(perception.step(t, 0.1).status == fmi3OK);
}

/// The same points, with the object of each unknown; returns how many had one.
std::size_t forget_objects(std::vector<std::uint8_t>& points) {
    std::size_t known = 0;
    constexpr std::size_t object = 16;  // of a point: point_cloud.hpp
    for (std::size_t at = point_cloud::header_size + object; at < points.size(); at += point_cloud::point_size) {
        if (points[at] != 0 || points[at + 1] != 0) ++known;
        points[at] = points[at + 1] = 0;
    }
    return known;
}

}  // namespace

TEST_CASE("perception finds the same edge, bit by bit, when nobody tells what the points lie on") {
    const Fmi3Unit kinematics("kinematics"), lidar("lidar"), told("perception"), untold("perception");
    for (const Fmi3Unit* unit : {&kinematics, &told, &untold}) REQUIRE(unit->initialize() == fmi3OK);
    const std::vector<double> poses = get(kinematics, "links.poses");
    const fmi3ValueReference reference = lidar.fmu()["links.poses"].reference;
    REQUIRE(lidar.call<fmi3SetFloat64TYPE>("fmi3SetFloat64")(lidar.instance(), &reference, 1, poses.data(),
                                                             poses.size()) == fmi3OK);
    REQUIRE(lidar.initialize() == fmi3OK);
    std::size_t known = 0;
    for (int i = 0; i < 100; ++i) {
        REQUIRE(lidar.step(0.01 * i, 0.01).status == fmi3OK);
        if (i % 10 != 9) continue;
        std::vector<std::uint8_t> points = points_of(lidar);
        step(told, points, 0.1 * (i / 10));
        known += forget_objects(points);
        step(untold, points, 0.1 * (i / 10));
    }
    CHECK(known > 10'000);
    CHECK(std::ranges::count(valid(told), true) > 50);
    CHECK(valid(told) == valid(untold));
    CHECK(get(told, "edge.height") == get(untold, "edge.height"));
}
