#pragma once

#include <array>
#include <complex>
#include <cstdint>
#include <numbers>

namespace models::lidar {

enum class Curve : std::int64_t { hypotrochoid = 1, eight_terms = 2 };

/// How the beam of a Mid-70 moves. Positions are complex numbers: off-axis angle (rad) times exp(i position angle).
///
/// hypotrochoid: a exp(i (2 pi f1 t + phase)) + b exp(-i 2 pi f2 t), a + b = half the field of view, b / a =
/// radius_ratio. eight_terms: the sum of eight rotations fitted to the maker's scan table for 70.4 deg, scaled to the
/// field of view; speeds and radius_ratio do not apply.
struct ScanParameters {
    Curve curve = Curve::hypotrochoid;
    double field_of_view = 70.4 * std::numbers::pi / 180;
    double first_speed = 121.567, second_speed = 77.733;  // f1, f2 in turns per second
    double radius_ratio = 1;                              // 1: the disc has no hole
    double start_phase = 0;
    std::uint64_t rays_per_shot = 1000;
    double shots_per_second = 100;
    [[nodiscard]] double rate() const { return static_cast<double>(rays_per_shot) * shots_per_second; }
    [[nodiscard]] bool operator==(const ScanParameters&) const = default;
};

/// Throws std::invalid_argument naming the parameter that makes no scan.
void check(const ScanParameters& scan);

/// A scan prepared for evaluation ray by ray; ray k is fired at k / rate.
class Pattern {
public:
    static constexpr std::size_t block = 64;
    /// Of consecutive rays: real and imaginary parts.
    struct Positions {
        alignas(32) std::array<double, block> x, y;
        [[nodiscard]] std::complex<double> operator[](std::size_t k) const { return {x[k], y[k]}; }
    };
    /// Unit vectors as `direction` gives them, in single precision.
    struct Directions {
        alignas(32) std::array<float, block> x{}, y{}, z{};
    };

    explicit Pattern(const ScanParameters& scan);
    [[nodiscard]] std::complex<double> position(std::int64_t ray) const;
    void positions(std::int64_t first, Positions& result) const;
    void directions(const Positions& positions, Directions& result) const;

private:
    static constexpr std::size_t most_terms = 8;
    struct Term {
        double amplitude = 0, frequency = 0, phase = 0;
        Positions turns;  // from the first ray of a block to each of its rays
    };
    void add(double amplitude, double frequency, double phase);
    [[nodiscard]] std::complex<double> start(const Term& term, std::int64_t ray) const;

    double rate_ = 0;
    /// Factors of the series of cosine and sine, those that single precision needs in this field of view.
    struct Factors {
        float cosine = 0, quotient = 0;
    };
    std::array<Factors, 11> factors_;
    std::size_t factor_count_ = 0;
    std::size_t count_ = 0;
    std::array<Term, most_terms> terms_;
};

/// A unit vector; x is the optical axis, y left, z up.
struct Direction {
    double x = 1, y = 0, z = 0;
};
/// For off-axis angles up to a right angle.
[[nodiscard]] Direction direction(std::complex<double> position);

}  // namespace models::lidar
