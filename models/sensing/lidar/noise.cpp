#include "models/sensing/lidar/noise.hpp"

#include <algorithm>
#include <cmath>

namespace models::lidar {

namespace {

constexpr std::uint64_t golden = 0x9e3779b97f4a7c15U;

/// The finaliser of splitmix64 (S. Vigna).
std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
}

/// The inverse of the normal distribution function, to 1e-7 (M. Wichura, algorithm AS 241, PPND7).
double inverse_normal(double p) {
    const double q = p - 0.5;
    if (std::abs(q) <= 0.425) {
        const double r = 0.180625 - q * q;
        return q * (((59.109374720 * r + 159.29113202) * r + 50.434271938) * r + 3.3871327179) /
               (((67.187563600 * r + 78.757757664) * r + 17.895169469) * r + 1);
    }
    double r = std::sqrt(-std::log(std::min(p, 1 - p)));
    double size = 0;
    if (r <= 5) {
        r -= 1.6;
        size = (((0.17023821103 * r + 1.3067284816) * r + 2.7568153900) * r + 1.4234372777) /
               ((0.12021132975 * r + 0.73700164250) * r + 1);
    } else {
        r -= 5;
        size = (((0.017337203997 * r + 0.42868294337) * r + 3.0812263860) * r + 6.6579051150) /
               ((0.012258202635 * r + 0.24197894225) * r + 1);
    }
    return q < 0 ? -size : size;
}

}  // namespace

Noise::Noise(std::uint64_t seed, std::uint32_t stream) : key_(mix(seed * golden + stream)) {}

double Noise::uniform(std::uint64_t ray) const {
    return (static_cast<double>(mix(key_ + (ray + 1) * golden) >> 12) + 0.5) * 0x1p-52;
}

double Noise::normal(std::uint64_t ray) const { return inverse_normal(uniform(ray)); }

}  // namespace models::lidar
