#pragma once

#include <compare>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace master::base {

/// An exact rational number of seconds; always reduced, denominator positive.
struct Fraction {
    std::int64_t numerator = 0;
    std::int64_t denominator = 1;

    friend bool operator==(const Fraction&, const Fraction&) = default;
    [[nodiscard]] double value() const { return static_cast<double>(numerator) / static_cast<double>(denominator); }
};

/// "0.001", "1e-3", "1/30" as written, without rounding; nothing if it is no number or does not fit 64 bits.
[[nodiscard]] std::optional<Fraction> exact_fraction(std::string_view text);

/// The simplest fraction that prints as `text` prints ("0.0333333" is 1/30): for steps that a tool rounded.
[[nodiscard]] std::optional<Fraction> simplest_fraction(std::string_view text);

/// Shortest text that reads back as the same number: a decimal where one is exact, else n/d.
[[nodiscard]] std::string to_string(const Fraction& fraction);

/// A length of time in ticks of the run's `Timebase`.
struct Duration {
    std::int64_t ticks = 0;
    friend auto operator<=>(const Duration&, const Duration&) = default;
};

/// A communication point, in ticks since time zero.
struct Time {
    std::int64_t ticks = 0;
    friend auto operator<=>(const Time&, const Time&) = default;
};

[[nodiscard]] constexpr Time operator+(Time t, Duration h) { return {t.ticks + h.ticks}; }
[[nodiscard]] constexpr Time operator-(Time t, Duration h) { return {t.ticks - h.ticks}; }
[[nodiscard]] constexpr Duration operator-(Time a, Time b) { return {a.ticks - b.ticks}; }
[[nodiscard]] constexpr Duration operator*(Duration h, std::int64_t n) { return {h.ticks * n}; }

/// How long a tick is: 1 / ticks_per_second, a common divisor of all steps of a run. Seconds are computed from the
/// tick count for each use and never accumulated.
struct Timebase {
    /// Ticks count that far to both sides of zero, so that sums and differences of two times fit too.
    static constexpr std::int64_t most_ticks = std::int64_t{1} << 62;

    std::int64_t ticks_per_second = 1'000'000'000;

    [[nodiscard]] double seconds(Time t) const { return ratio(t.ticks); }
    [[nodiscard]] double seconds(Duration h) const { return ratio(h.ticks); }
    /// What lies beyond the most distant tick becomes that tick.
    [[nodiscard]] Time nearest(double seconds) const;
    /// Exact, or nothing when the fraction is no whole number of ticks.
    [[nodiscard]] std::optional<Duration> exactly(const Fraction& seconds) const;
    [[nodiscard]] Fraction fraction(Duration h) const;

private:
    [[nodiscard]] double ratio(std::int64_t ticks) const {
        return static_cast<double>(ticks) / static_cast<double>(ticks_per_second);
    }
};

/// The coarsest timebase in which all steps are whole ticks: 1/lcm(10^9, denominators) s, at most 10^12 ticks per
/// second; nothing when that is not enough.
[[nodiscard]] std::optional<Timebase> common_timebase(std::span<const Fraction> steps);

}  // namespace master::base
