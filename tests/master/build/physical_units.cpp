#include "master/build/physical_units.hpp"

#include <catch2/catch.hpp>
#include <tuple>

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

TEST_CASE("a unit without base units leaves the value as it is, in doubt where both sides have a name") {
    const PhysicalUnit odd{"furlong", {}, 1, 0};
    CHECK(master::build::convert({odd}, {kelvin}).outcome == Outcome::doubtful);
    CHECK(master::build::convert({odd}, {kelvin}).scale.identity());
    CHECK(master::build::convert({PhysicalUnit{}}, {kelvin}).outcome == Outcome::unchanged);
    CHECK(master::build::convert({odd}, {odd}).outcome == Outcome::converted);
    PhysicalUnit spelt = pascal;
    spelt.name = "N/m2";
    CHECK(master::build::convert({pascal}, {spelt}).scale.identity());
}

namespace {

PhysicalUnit named(const std::string& name) { return {name, {}, 1, 0}; }
double in_si(double value, const std::string& unit, const std::string& si) {
    const auto conversion = master::build::convert({named(unit)}, {named(si)});
    INFO(unit << " to " << si << ": " << conversion.text);
    CHECK(conversion.outcome == Outcome::converted);
    return conversion.scale(value);
}

}  // namespace

TEST_CASE("well-known names convert without a definition") {
    // 1 of each in SI, from the definitions of the units.
    const std::vector<std::tuple<std::string, std::string, double>> expected{
        {"mm", "m", 1e-3},
        {"cm", "m", 1e-2},
        {"km", "m", 1e3},
        {"bar", "Pa", 1e5},
        {"kPa", "Pa", 1e3},
        {"MPa", "Pa", 1e6},
        {"psi", "Pa", 0.45359237 * 9.80665 / (0.0254 * 0.0254)},
        {"kN", "N", 1e3},
        {"N.m", "J", 1},
        {"l", "m3", 1e-3},
        {"l/min", "m3/s", 1e-3 / 60},
        {"rpm", "rad/s", 2 * 3.14159265358979323846 / 60},
        {"deg", "rad", 3.14159265358979323846 / 180},
        {"%", "1", 0.01},
        {"ms", "s", 1e-3},
        {"min", "s", 60},
        {"h", "s", 3600},
        {"kW", "W", 1e3},
        {"km/h", "m/s", 1000.0 / 3600},
        {"degC", "K", 274.15},
        {"degF", "K", (1 + 459.67) * 5 / 9},
    };
    for (const auto& [unit, si, value] : expected) CHECK(in_si(1, unit, si) == Approx(value).epsilon(1e-14));
}

TEST_CASE("well-known names are recognised in the spellings of tools") {
    CHECK(in_si(1, "mm^2", "m2") == Approx(1e-6));
    CHECK(in_si(1, "cm\u00B3", "m^3") == Approx(1e-6));
    CHECK(in_si(1, "kN*m", "Nm") == Approx(1e3));
    CHECK(in_si(1, "\u00B5m", "m") == Approx(1e-6));
    CHECK(in_si(20, "\u00B0C", "K") == Approx(293.15));
}

TEST_CASE("what was understood by its name alone is said") {
    const auto conversion = master::build::convert({named("mbar")}, {pascal});
    REQUIRE(conversion.assumed.size() == 1);
    CHECK(conversion.assumed.front().find("'mbar'") != std::string::npos);
    CHECK(conversion.assumed.front().find("100 kg m^-1 s^-2") != std::string::npos);
    CHECK(master::build::convert({bar}, {pascal}).assumed.empty());
}

TEST_CASE("a definition is above a well-known name") {
    PhysicalUnit own = bar;
    own.factor = 98066.5;  // a technical atmosphere under that name
    CHECK(master::build::convert({own}, {named("Pa")}).scale(1) == 98066.5);
}

TEST_CASE("well-known names of different dimensions do not fit") {
    CHECK(master::build::convert({named("bar")}, {named("mm")}).outcome == Outcome::refused);
    CHECK(master::build::convert({named("Hz")}, {radian_per_second}).outcome == Outcome::refused);
}

TEST_CASE("a file that defines angles without the radian meets a well-known angle") {
    const PhysicalUnit plain{"rad", std::array<int, 8>{}, 1, 0};
    CHECK(master::build::convert({named("deg")}, {plain}).scale(180) == Approx(3.14159265358979323846));
}

TEST_CASE("one name with two definitions passes unchanged, in doubt") {
    PhysicalUnit slip = bar;
    slip.exponents = std::array<int, 8>{1, -2};
    const auto conversion = master::build::convert({slip}, {bar});
    CHECK(conversion.outcome == Outcome::doubtful);
    CHECK(conversion.scale.identity());
}
