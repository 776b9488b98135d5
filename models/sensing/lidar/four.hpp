#pragma once

#include <Eigen/Core>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace models::lidar {

/// Four numbers that are worked on at once. Eigen does not vectorise choices between two arrays, nor do compilers at
/// the usual level of optimisation vectorise loops.
using Four [[gnu::vector_size(16)]] = float;
using Mask [[gnu::vector_size(16)]] = int;
inline constexpr std::size_t lanes = 4;

inline Four load(const float* from) {
    Four result;
    std::memcpy(&result, from, sizeof(result));
    return result;
}
/// Rounded to single precision.
inline Four load(const double* from) {
    using Doubles [[gnu::vector_size(32)]] = double;
    Doubles result;
    std::memcpy(&result, from, sizeof(result));
    return __builtin_convertvector(result, Four);
}
inline void store(float* to, Four values) { std::memcpy(to, &values, sizeof(values)); }
inline Four least(Four a, Four b) { return a < b ? a : b; }
inline Four greatest(Four a, Four b) { return a > b ? a : b; }
inline Four size_of(Four a) { return a < 0 ? -a : a; }
inline Four root(Four a) {
    Eigen::Array4f values;
    store(values.data(), a);
    values = values.sqrt();
    return load(values.data());
}
inline bool any(Mask mask) {
    const auto halves = std::bit_cast<std::array<std::uint64_t, 2>>(mask);
    return (halves[0] | halves[1]) != 0;
}

}  // namespace models::lidar
