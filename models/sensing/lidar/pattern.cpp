#include "models/sensing/lidar/pattern.hpp"

#include "models/parameter_check.hpp"
#include "models/sensing/lidar/four.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

namespace models::lidar {

namespace {

constexpr double degree = std::numbers::pi / 180;

/// Rotations of the maker's curve: turns per minute, degrees, degrees.
struct Rotation {
    double rpm, amplitude, phase;
};
constexpr std::array<Rotation, 8> rotations{{{-4664, 17.1311, 179.72},
                                             {7294, 16.3918, -179.56},
                                             {-16622, 1.1618, 179.00},
                                             {19252, 0.3535, -178.84},
                                             {-28580, 0.1158, 178.29},
                                             {31210, 0.0386, -178.13},
                                             {-40538, 0.0146, 177.57},
                                             {43168, 0.0051, -177.41}}};
constexpr double fitted_field_of_view = 70.4 * degree;

/// cos(r) and sin(r) / r as series in r^2, factors of Horner's scheme from the last; with these the rest is below 1e-16
/// for r up to pi / 2.
struct Series {
    double cosine = 0, quotient = 0;
};
constexpr std::array<Series, 11> make_series() {
    std::array<Series, 11> factors{};
    for (int i = 0; i < 11; ++i) {
        const double n = 22 - 2 * i;
        factors[static_cast<std::size_t>(i)] = {1 / (n * (n - 1)), 1 / (n * (n + 1))};
    }
    return factors;
}
constexpr std::array<Series, 11> series = make_series();

/// How many factors from the last can be left out for single precision up to this angle.
std::size_t needless_factors(double angle) {
    constexpr double below_precision = 1e-9;
    std::size_t needless = series.size() - 1;
    // The terms of the cosine are the larger ones.
    for (double term = angle * angle * series[needless].cosine; needless > 0 && term > below_precision;)
        term *= angle * angle * series[--needless].cosine;
    return needless;
}

constexpr ParameterCheck pattern_check("lidar");

}  // namespace

void check(const ScanParameters& scan) {
    if (!(scan.field_of_view > 0 && scan.field_of_view < std::numbers::pi))
        pattern_check.refuse("scan.field_of_view", scan.field_of_view, "an angle between 0 and pi rad");
    if (!std::isfinite(scan.first_speed)) pattern_check.refuse("scan.first_speed", scan.first_speed, "a finite number");
    if (!std::isfinite(scan.second_speed))
        pattern_check.refuse("scan.second_speed", scan.second_speed, "a finite number");
    if (!std::isfinite(scan.start_phase)) pattern_check.refuse("scan.start_phase", scan.start_phase, "a finite number");
    if (!(scan.radius_ratio >= 0) || !std::isfinite(scan.radius_ratio))
        pattern_check.refuse("scan.radius_ratio", scan.radius_ratio, "a finite number, 0 or above");
    if (scan.rays_per_shot < 1 || scan.rays_per_shot > 1'000'000)
        pattern_check.refuse("scan.rays_per_shot", static_cast<double>(scan.rays_per_shot), "1 to 1000000");
    if (!(scan.shots_per_second > 0) || !(scan.rate() <= 1e8))
        pattern_check.refuse("scan.shots_per_second", scan.shots_per_second,
                             "a number above 0 that gives at most 1e8 rays per second");
}

Pattern::Pattern(const ScanParameters& scan) : rate_(scan.rate()) {
    check(scan);
    constexpr double aside = 0.1;  // rad, what may be added to a position
    static_assert(series.size() == std::tuple_size_v<decltype(factors_)>);
    for (std::size_t i = needless_factors(scan.field_of_view / 2 + aside); i < series.size(); ++i)
        factors_[factor_count_++] = {static_cast<float>(series[i].cosine), static_cast<float>(series[i].quotient)};
    if (scan.curve == Curve::eight_terms) {
        const double scale = scan.field_of_view / fitted_field_of_view * degree;
        for (const Rotation& rotation : rotations)
            add(scale * rotation.amplitude, rotation.rpm / 60, rotation.phase * degree);
        terms_[0].phase += scan.start_phase;
        return;
    }
    const double amplitude = scan.field_of_view / 2 / (1 + scan.radius_ratio);
    add(amplitude, scan.first_speed, scan.start_phase);
    add(amplitude * scan.radius_ratio, -scan.second_speed, 0);
}

void Pattern::add(double amplitude, double frequency, double phase) {
    Term& term = terms_[count_++];
    term.amplitude = amplitude;
    term.frequency = frequency;
    term.phase = phase;
    for (std::size_t i = 0; i < block; ++i) {
        const double angle = 2 * std::numbers::pi * frequency * static_cast<double>(i) / rate_;
        term.turns.x[i] = std::cos(angle);
        term.turns.y[i] = std::sin(angle);
    }
}

std::complex<double> Pattern::start(const Term& term, std::int64_t ray) const {
    // Whole turns are left out before the sine, so that late rays are as exact as early ones.
    const double turns = term.frequency * (static_cast<double>(ray) / rate_);
    return std::polar(term.amplitude, 2 * std::numbers::pi * (turns - std::round(turns)) + term.phase);
}

std::complex<double> Pattern::position(std::int64_t ray) const {
    std::complex<double> sum = 0;
    for (std::size_t i = 0; i < count_; ++i) sum += start(terms_[i], ray);
    return sum;
}

void Pattern::positions(std::int64_t first, Positions& result) const {
    // Summed in a local, which nothing else can point to: only then compilers use vector instructions.
    Positions sum;
    sum.x.fill(0);
    sum.y.fill(0);
    for (std::size_t i = 0; i < count_; ++i) {
        const std::complex<double> begin = start(terms_[i], first);
        const double x = begin.real(), y = begin.imag();
        const Positions& turns = terms_[i].turns;
        for (std::size_t k = 0; k < block; ++k) {
            sum.x[k] += x * turns.x[k] - y * turns.y[k];
            sum.y[k] += x * turns.y[k] + y * turns.x[k];
        }
    }
    result = sum;
}

Direction direction(std::complex<double> position) {
    const double u = position.real() * position.real() + position.imag() * position.imag();
    double cosine = 1, quotient = 1;
    for (const Series& factor : series) {
        cosine = 1 - u * factor.cosine * cosine;
        quotient = 1 - u * factor.quotient * quotient;
    }
    return {cosine, quotient * position.real(), quotient * position.imag()};
}

void Pattern::directions(const Positions& positions, Directions& result) const {
    // The same as above in single precision.
    for (std::size_t k = 0; k < block; k += lanes) {
        const Four x = load(&positions.x[k]), y = load(&positions.y[k]);
        const Four u = x * x + y * y;
        Four cosine = Four{} + 1, quotient = cosine;
        for (std::size_t i = 0; i < factor_count_; ++i) {
            cosine = 1 - u * factors_[i].cosine * cosine;
            quotient = 1 - u * factors_[i].quotient * quotient;
        }
        store(&result.x[k], cosine);
        store(&result.y[k], quotient * x);
        store(&result.z[k], quotient * y);
    }
}

}  // namespace models::lidar
