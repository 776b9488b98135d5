#include "master/analysis/swap/known_factors.hpp"

#include "master/build/resolve/well_known_units.hpp"

#include <array>
#include <cmath>
#include <numbers>

namespace master::analysis {
namespace {

constexpr double close_enough = 0.02;
constexpr double degrees = 180 / std::numbers::pi;
constexpr double rpm = 30 / std::numbers::pi;

constexpr double psi = 6894.757293168361, lbf = 4.4482216152605, foot = 0.3048, inch = 0.0254, pound = 0.45359237;

// Pa and bar, m and mm, 1 and %, rad and deg, rad/s and rpm, m3/s and l/min, s and min, m/s and km/h, Pa and psi, N and
// lbf, m and ft, m and in, mm and in, kg and lb.
constexpr std::array factors{1.0,     1e3,         1e-3,    1e5,      1e-5,       1e6,         1e-6,  100.0,    0.01,
                             degrees, 1 / degrees, rpm,     1 / rpm,  6e4,        1 / 6e4,     60.0,  1.0 / 60, 10.0,
                             0.1,     3.6,         1 / 3.6, psi,      1 / psi,    1e4,         1e-4,  lbf,      1 / lbf,
                             foot,    1 / foot,    inch,    1 / inch, 1e3 * inch, 1e-3 / inch, pound, 1 / pound};

constexpr std::array unit_names{"mm",  "cm",    "um",  "km",   "bar",   "mbar", "kPa",  "MPa",  "psi",   "kN",
                                "MN",  "kW",    "%",   "deg",  "deg/s", "rpm",  "mm/s", "km/h", "l/min", "l/s",
                                "g",   "t",     "ms",  "min",  "h",     "m",    "Pa",   "N",    "W",     "1",
                                "rad", "rad/s", "m/s", "m3/s", "kg",    "s",    "kN.m", "N.mm", "N.m",   "mm2",
                                "cm2", "m2",    "lbf", "ft",   "in",    "lb"};

}  // namespace

std::span<const double> known_factors() { return factors; }

std::optional<double> known_factor(double ratio) {
    std::optional<double> best;
    for (const double factor : factors) {
        const double off = std::fabs(std::fabs(ratio) / factor - 1);
        if (off < close_enough && (!best || off < std::fabs(std::fabs(ratio / *best) - 1)))
            best = std::copysign(factor, ratio);
    }
    return best;
}

std::string unit_by_factor(const core::PhysicalUnit& unit, double ratio) {
    const core::PhysicalUnit* own = unit.exponents ? &unit : build::well_known_unit(unit.name);
    if (own == nullptr) return {};
    for (const char* name : unit_names) {
        const core::PhysicalUnit* other = build::well_known_unit(name);
        if (other == nullptr || other->exponents != own->exponents || other->offset != own->offset) continue;
        if (std::fabs(other->factor / (own->factor * std::fabs(ratio)) - 1) < 1e-6) return name;
    }
    return {};
}

}  // namespace master::analysis
