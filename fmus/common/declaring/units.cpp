#include "fmus/common/declaring/units.hpp"

#include <algorithm>
#include <array>
#include <numbers>

namespace fmus {

namespace {

constexpr double pi = std::numbers::pi;

constexpr std::array known{
    SiUnit{.name = "1"},
    SiUnit{.name = "%", .factor = 0.01},
    SiUnit{.name = "kg", .kg = 1},
    SiUnit{.name = "g", .kg = 1, .factor = 1e-3},
    SiUnit{.name = "t", .kg = 1, .factor = 1e3},
    SiUnit{.name = "m", .m = 1},
    SiUnit{.name = "mm", .m = 1, .factor = 1e-3},
    SiUnit{.name = "cm", .m = 1, .factor = 1e-2},
    SiUnit{.name = "km", .m = 1, .factor = 1e3},
    SiUnit{.name = "m2", .m = 2},
    SiUnit{.name = "m3", .m = 3},
    SiUnit{.name = "l", .m = 3, .factor = 1e-3},
    SiUnit{.name = "s", .s = 1},
    SiUnit{.name = "ms", .s = 1, .factor = 1e-3},
    SiUnit{.name = "min", .s = 1, .factor = 60},
    SiUnit{.name = "h", .s = 1, .factor = 3600},
    SiUnit{.name = "A", .A = 1},
    SiUnit{.name = "K", .K = 1},
    SiUnit{.name = "degC", .K = 1, .offset = 273.15},
    SiUnit{.name = "mol", .mol = 1},
    SiUnit{.name = "cd", .cd = 1},
    SiUnit{.name = "rad", .rad = 1},
    SiUnit{.name = "deg", .rad = 1, .factor = pi / 180},
    SiUnit{.name = "rad/s", .s = -1, .rad = 1},
    SiUnit{.name = "deg/s", .s = -1, .rad = 1, .factor = pi / 180},
    SiUnit{.name = "rpm", .s = -1, .rad = 1, .factor = pi / 30},
    SiUnit{.name = "rad/s2", .s = -2, .rad = 1},
    SiUnit{.name = "m/s", .m = 1, .s = -1},
    SiUnit{.name = "km/h", .m = 1, .s = -1, .factor = 1 / 3.6},
    SiUnit{.name = "m/s2", .m = 1, .s = -2},
    SiUnit{.name = "m3/s", .m = 3, .s = -1},
    SiUnit{.name = "l/min", .m = 3, .s = -1, .factor = 1e-3 / 60},
    SiUnit{.name = "kg/s", .kg = 1, .s = -1},
    SiUnit{.name = "kg/m3", .kg = 1, .m = -3},
    SiUnit{.name = "kg.m2", .kg = 1, .m = 2},
    SiUnit{.name = "N", .kg = 1, .m = 1, .s = -2},
    SiUnit{.name = "kN", .kg = 1, .m = 1, .s = -2, .factor = 1e3},
    SiUnit{.name = "N.m", .kg = 1, .m = 2, .s = -2},
    SiUnit{.name = "N/m", .kg = 1, .s = -2},
    SiUnit{.name = "N.s/m", .kg = 1, .s = -1},
    SiUnit{.name = "N.m/rad", .kg = 1, .m = 2, .s = -2, .rad = -1},
    SiUnit{.name = "N.m.s/rad", .kg = 1, .m = 2, .s = -1, .rad = -1},
    SiUnit{.name = "Pa", .kg = 1, .m = -1, .s = -2},
    SiUnit{.name = "kPa", .kg = 1, .m = -1, .s = -2, .factor = 1e3},
    SiUnit{.name = "MPa", .kg = 1, .m = -1, .s = -2, .factor = 1e6},
    SiUnit{.name = "bar", .kg = 1, .m = -1, .s = -2, .factor = 1e5},
    SiUnit{.name = "Pa.s", .kg = 1, .m = -1, .s = -1},
    SiUnit{.name = "J", .kg = 1, .m = 2, .s = -2},
    SiUnit{.name = "kJ", .kg = 1, .m = 2, .s = -2, .factor = 1e3},
    SiUnit{.name = "J/K", .kg = 1, .m = 2, .s = -2, .K = -1},
    SiUnit{.name = "J/(kg.K)", .m = 2, .s = -2, .K = -1},
    SiUnit{.name = "W", .kg = 1, .m = 2, .s = -3},
    SiUnit{.name = "kW", .kg = 1, .m = 2, .s = -3, .factor = 1e3},
    SiUnit{.name = "W/K", .kg = 1, .m = 2, .s = -3, .K = -1},
    SiUnit{.name = "K/s", .s = -1, .K = 1},
    SiUnit{.name = "V", .kg = 1, .m = 2, .s = -3, .A = -1},
    SiUnit{.name = "Ohm", .kg = 1, .m = 2, .s = -3, .A = -2},
    SiUnit{.name = "H", .kg = 1, .m = 2, .s = -2, .A = -2},
    SiUnit{.name = "F", .kg = -1, .m = -2, .s = 4, .A = 2},
    SiUnit{.name = "C", .s = 1, .A = 1},
    SiUnit{.name = "T", .kg = 1, .s = -2, .A = -1},
    SiUnit{.name = "Wb", .kg = 1, .m = 2, .s = -2, .A = -1},
    SiUnit{.name = "Hz", .s = -1},
    SiUnit{.name = "1/s", .s = -1},
};

}  // namespace

const SiUnit* find_unit(std::string_view name) {
    const auto* const found = std::find_if(known.begin(), known.end(), [&](const SiUnit& u) { return u.name == name; });
    return found == known.end() ? nullptr : &*found;
}

}  // namespace fmus
