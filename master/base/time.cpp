#include "master/base/time.hpp"

#include "master/base/xml/values.hpp"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace master::base {
namespace {

// Wide enough for every product of two 64-bit numbers.
__extension__ using Wide = __int128;

constexpr Wide limit = std::numeric_limits<std::int64_t>::max();

Wide magnitude(Wide a) { return a < 0 ? -a : a; }

Wide greatest_common_divisor(Wide a, Wide b) {
    while (b != 0) {
        const Wide rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

std::optional<Fraction> reduced(Wide numerator, Wide denominator) {
    const Wide divisor = greatest_common_divisor(magnitude(numerator), denominator);
    if (divisor > 1) {
        numerator /= divisor;
        denominator /= divisor;
    }
    if (magnitude(numerator) > limit || denominator > limit) return std::nullopt;
    return Fraction{static_cast<std::int64_t>(numerator), static_cast<std::int64_t>(denominator)};
}

/// A decimal as written: digits without the point, and the power of ten of the last digit.
struct Decimal {
    Wide digits = 0;
    int significant = 0;
    int exponent = 0;
    bool negative = false;
};

std::optional<Decimal> parse_decimal(std::string_view text) {
    Decimal decimal;
    if (!text.empty() && (text.front() == '+' || text.front() == '-')) {
        decimal.negative = text.front() == '-';
        text.remove_prefix(1);
    }
    bool any = false;
    bool point = false;
    while (!text.empty()) {
        const char c = text.front();
        if (c == '.' && !point) {
            point = true;
        } else if (c >= '0' && c <= '9') {
            any = true;
            decimal.digits = decimal.digits * 10 + (c - '0');
            if (decimal.digits > limit) return std::nullopt;
            if (decimal.digits != 0) ++decimal.significant;
            if (point) --decimal.exponent;
        } else {
            break;
        }
        text.remove_prefix(1);
    }
    if (!any) return std::nullopt;
    if (text.empty()) return decimal;
    if (text.front() != 'e' && text.front() != 'E') return std::nullopt;
    text.remove_prefix(1);
    if (!text.empty() && text.front() == '+') text.remove_prefix(1);
    int exponent = 0;
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), exponent);
    if (status != std::errc{} || end != text.data() + text.size() || std::abs(exponent) > 100) return std::nullopt;
    decimal.exponent += exponent;
    return decimal;
}

std::optional<Fraction> fraction_of(const Decimal& decimal) {
    Wide numerator = decimal.digits;
    Wide denominator = 1;
    if (numerator == 0) return Fraction{};
    for (int i = decimal.exponent; i > 0; --i) {
        numerator *= 10;
        if (numerator > limit) return std::nullopt;
    }
    for (int i = decimal.exponent; i < 0; ++i) {
        if (numerator % 10 == 0) {
            numerator /= 10;
            continue;
        }
        denominator *= 10;
        if (denominator > limit) return std::nullopt;
    }
    return reduced(decimal.negative ? -numerator : numerator, denominator);
}

/// The fraction with the smallest denominator in [low, high], both positive (Stern-Brocot).
Fraction simplest_between(double low, double high) {
    const double whole = std::floor(low);
    if (whole == low) return {static_cast<std::int64_t>(whole), 1};
    if (whole < std::floor(high)) return {static_cast<std::int64_t>(whole) + 1, 1};
    const Fraction rest = simplest_between(1 / (high - whole), 1 / (low - whole));
    return {static_cast<std::int64_t>(whole) * rest.numerator + rest.denominator, rest.numerator};
}

/// Of a fraction whose decimal ends, but is too long for a double.
std::string all_digits(const Fraction& fraction) {
    Wide rest = magnitude(fraction.numerator);
    const Wide denominator = fraction.denominator;
    std::string text =
        (fraction.numerator < 0 ? "-" : "") + std::to_string(static_cast<std::int64_t>(rest / denominator));
    for (rest %= denominator; rest != 0; rest %= denominator) {
        if (text.find('.') == std::string::npos) text += '.';
        rest *= 10;
        text += static_cast<char>('0' + static_cast<int>(rest / denominator));
    }
    return text;
}

}  // namespace

std::optional<Fraction> exact_fraction(std::string_view text) {
    text = trimmed(text);
    const std::size_t slash = text.find('/');
    if (slash == std::string_view::npos) {
        const auto decimal = parse_decimal(text);
        return decimal ? fraction_of(*decimal) : std::nullopt;
    }
    const auto above = exact_fraction(text.substr(0, slash));
    const auto below = exact_fraction(text.substr(slash + 1));
    if (!above || !below || below->numerator == 0) return std::nullopt;
    const Wide sign = below->numerator < 0 ? -1 : 1;
    return reduced(sign * Wide{above->numerator} * below->denominator,
                   sign * Wide{above->denominator} * below->numerator);
}

std::optional<Fraction> simplest_fraction(std::string_view text) {
    text = trimmed(text);
    const auto decimal = parse_decimal(text);
    if (!decimal || text.find('/') != std::string_view::npos) return exact_fraction(text);
    const double value = std::strtod(std::string(text).c_str(), nullptr);
    if (!(value > 0) || value > 1e9 || value < 1e-12) return fraction_of(*decimal);
    // Nobody rounds to so few digits: 1e-8 is meant as it stands, though 1/99999501 prints the same.
    constexpr int deliberate_digits = 4;
    if (decimal->significant <= deliberate_digits) return fraction_of(*decimal);
    // Numbers are printed with six significant digits or more; what lies within half of the last one prints the same.
    constexpr int printed_digits = 6;
    const int digits = std::max(printed_digits, std::min(decimal->significant, 15));
    const double half = 0.5 * std::pow(10.0, std::floor(std::log10(value)) - digits + 1);
    const Fraction simple = simplest_between(value - half, value + half);
    const auto exact = fraction_of(*decimal);
    if (!exact) return simple;
    return exact->denominator <= simple.denominator ? *exact : simple;
}

std::string to_string(const Fraction& fraction) {
    std::string ratio = std::to_string(fraction.numerator) + "/" + std::to_string(fraction.denominator);
    std::int64_t rest = fraction.denominator;
    while (rest % 2 == 0) rest /= 2;
    while (rest % 5 == 0) rest /= 5;
    if (rest != 1) return ratio;
    char buffer[40];
    const auto result = std::to_chars(buffer, buffer + sizeof buffer, fraction.value());
    for (std::string text : {std::string{buffer, result.ptr}, all_digits(fraction)})
        if (exact_fraction(text) == fraction) return text;
    return ratio;
}

Time Timebase::nearest(double seconds) const {
    const double ticks = seconds * static_cast<double>(ticks_per_second);
    constexpr auto most = static_cast<double>(most_ticks);
    if (!(std::abs(ticks) < most)) return {ticks < 0 ? -most_ticks : most_ticks};
    return {std::llround(ticks)};
}

std::optional<Duration> Timebase::exactly(const Fraction& seconds) const {
    const Wide product = Wide{seconds.numerator} * ticks_per_second;
    if (product % seconds.denominator != 0) return std::nullopt;
    const Wide ticks = product / seconds.denominator;
    if (magnitude(ticks) > most_ticks) return std::nullopt;
    return Duration{static_cast<std::int64_t>(ticks)};
}

Fraction Timebase::fraction(Duration h) const { return *reduced(h.ticks, ticks_per_second); }

std::optional<Timebase> common_timebase(std::span<const Fraction> steps) {
    constexpr Wide base = 1'000'000'000;
    constexpr Wide most = 1'000'000'000'000;
    Wide ticks = base;
    for (const Fraction& step : steps) {
        assert(step.denominator > 0);
        ticks = ticks / greatest_common_divisor(ticks, step.denominator) * step.denominator;
        if (ticks > most) return std::nullopt;
    }
    return Timebase{static_cast<std::int64_t>(ticks)};
}

}  // namespace master::base
