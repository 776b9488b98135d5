#include "master/build/physical_units.hpp"

#include <catch2/catch.hpp>

using master::build::convert;
using master::core::PhysicalUnit;
using Outcome = master::build::UnitConversion::Outcome;

namespace {

const PhysicalUnit kelvin{"K", std::array<int, 8>{0, 0, 0, 0, 1, 0, 0, 0}, 1, 0};
const PhysicalUnit celsius{"degC", std::array<int, 8>{0, 0, 0, 0, 1, 0, 0, 0}, 1, 273.15};
const PhysicalUnit fahrenheit{"degF", std::array<int, 8>{0, 0, 0, 0, 1, 0, 0, 0}, 5.0 / 9, 459.67 * 5 / 9};
const PhysicalUnit bar{"bar", std::array<int, 8>{1, -1, -2, 0, 0, 0, 0, 0}, 1e5, 0};
const PhysicalUnit pascal{"Pa", std::array<int, 8>{1, -1, -2, 0, 0, 0, 0, 0}, 1, 0};
const PhysicalUnit rpm{"rpm", std::array<int, 8>{0, 0, -1, 0, 0, 0, 0, 1}, 0.10471975511965977, 0};
const PhysicalUnit radian_per_second{"rad/s", std::array<int, 8>{0, 0, -1, 0, 0, 0, 0, 1}, 1, 0};
const PhysicalUnit hertz{"Hz", std::array<int, 8>{0, 0, -1, 0, 0, 0, 0, 0}, 1, 0};

}  // namespace

TEST_CASE("temperatures convert with factor and offset") {
    CHECK(master::build::convert({celsius}, {kelvin}).scale(20) == Approx(293.15).epsilon(1e-15));
    CHECK(master::build::convert({kelvin}, {celsius}).scale(293.15) == Approx(20).epsilon(1e-14));
    CHECK(master::build::convert({fahrenheit}, {celsius}).scale(212) == Approx(100).epsilon(1e-13));
}

TEST_CASE("pressures and speeds convert with their factor") {
    CHECK(master::build::convert({bar}, {pascal}).scale(2.5) == 250000);
    CHECK(master::build::convert({rpm}, {radian_per_second}).scale(60) == Approx(6.283185307179586).epsilon(1e-15));
    CHECK(master::build::convert({pascal}, {pascal}).scale.identity());
}

TEST_CASE("the radian is part of the dimension") {
    const auto refused = master::build::convert({rpm}, {hertz});
    CHECK(refused.outcome == Outcome::refused);
    CHECK(refused.text.find("rad") != std::string::npos);
}

TEST_CASE("differences ignore offsets and do not fit absolute values where an offset counts") {
    const auto both = master::build::convert({celsius, true}, {kelvin, true});
    CHECK(both.outcome == Outcome::converted);
    CHECK(both.scale(20) == 20);
    CHECK(master::build::convert({celsius, true}, {kelvin, false}).outcome == Outcome::refused);
    CHECK(master::build::convert({bar, true}, {pascal, false}).outcome == Outcome::converted);
}

TEST_CASE("a unit without base units leaves the value as it is") {
    const PhysicalUnit odd{"furlong", {}, 1, 0};
    CHECK(master::build::convert({odd}, {kelvin}).outcome == Outcome::unchanged);
    CHECK(master::build::convert({odd}, {kelvin}).scale.identity());
    CHECK(master::build::convert({odd}, {odd}).outcome == Outcome::converted);
    PhysicalUnit spelt = pascal;
    spelt.name = "N/m2";
    CHECK(master::build::convert({pascal}, {spelt}).scale.identity());
}
