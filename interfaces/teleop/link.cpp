#include "interfaces/teleop/link.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <stdexcept>
#include <utility>
#include <vector>

namespace interfaces::teleop {

namespace {

/// Evenly in [0, 1), from the seed and two numbers; the mixer of splitmix64 (Steele, Lea, Flood 2014). Distributions of
/// the standard library differ between compilers.
double uniform(std::uint64_t seed, std::uint64_t number, std::uint64_t purpose) {
    std::uint64_t bits = seed * 0x9E3779B97F4A7C15 + number * 2 + purpose;
    for (int round = 0; round < 2; ++round) {
        bits += 0x9E3779B97F4A7C15;
        bits = (bits ^ bits >> 30U) * 0xBF58476D1CE4E5B9;
        bits = (bits ^ bits >> 27U) * 0x94D049BB133111EB;
        bits ^= bits >> 31U;
    }
    return static_cast<double>(bits >> 11U) * 0x1p-53;
}

struct Unit {
    std::string_view name;
    double factor;
};
constexpr std::array<Unit, 4> durations{{{"ms", 1e6}, {"us", 1e3}, {"ns", 1}, {"s", 1e9}}};
constexpr std::array<Unit, 2> shares{{{"%", 0.01}, {"", 1}}};
constexpr std::array<Unit, 3> rates{{{"kbit/s", 1e3}, {"Mbit/s", 1e6}, {"bit/s", 1}}};

[[noreturn]] void bad(std::string_view part, const std::string& expected) {
    throw std::invalid_argument("link: '" + std::string(part) + "', expected " + expected);
}

double number_with(std::string_view part, std::string_view text, std::span<const Unit> units) {
    double number = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
    const std::string_view unit = text.substr(static_cast<std::size_t>(read.ptr - text.data()));
    if (read.ec == std::errc{} && number >= 0 && std::isfinite(number)) {
        for (const Unit& known : units) {
            if (unit == known.name) return number * known.factor;
        }
    }
    std::string names;
    for (const Unit& known : units)
        names += (names.empty() ? "" : ", ") + (known.name.empty() ? "nothing" : std::string(known.name));
    bad(part, "a number that is not negative with " + names);
}

std::int64_t duration(std::string_view part, std::string_view text) {
    const double value = number_with(part, text, durations);
    if (value > 60e9) bad(part, "at most 60s");
    return std::llround(value);
}

}  // namespace

LinkSettings parse_link(std::string_view text) {
    LinkSettings settings;
    std::vector<std::string_view> given;
    while (!text.empty()) {
        const std::string_view part = text.substr(0, text.find(','));
        text.remove_prefix(std::min(part.size() + 1, text.size()));
        const std::size_t equals = part.find('=');
        if (equals == std::string_view::npos) bad(part, "name=value");
        const std::string_view name = part.substr(0, equals), value = part.substr(equals + 1);
        if (std::ranges::find(given, name) != given.end()) bad(part, "'" + std::string(name) + "' once");
        given.push_back(name);
        if (name == "delay") {
            settings.delay = duration(part, value);
        } else if (name == "jitter") {
            settings.jitter = duration(part, value);
        } else if (name == "loss") {
            settings.loss = number_with(part, value, shares);
            if (settings.loss > 1) bad(part, "at most 100%");
        } else if (name == "rate") {
            settings.rate = number_with(part, value, rates);
            if (settings.rate < 100) bad(part, "at least 100bit/s");
        } else if (name == "seed") {
            const auto read = std::from_chars(value.data(), value.data() + value.size(), settings.seed);
            if (read.ec != std::errc{} || read.ptr != value.data() + value.size()) bad(part, "a whole number");
        } else {
            bad(part, "delay, jitter, loss, rate or seed");
        }
    }
    return settings;
}

void Link::put(std::span<const std::uint8_t> datagram, std::int64_t now, std::uint64_t mark) {
    const std::uint64_t number = count_++;
    std::int64_t sent = now;
    if (settings_.rate > 0) {
        const std::int64_t begin = std::max(now, free_at_);
        if (begin - now > longest_queue) {
            ++lost_;
            return;
        }
        const double bits = 8.0 * static_cast<double>(datagram.size() + headers);
        sent = free_at_ = begin + std::llround(bits / settings_.rate * 1e9);
    }
    // What is lost on the way has used the rate.
    if (uniform(settings_.seed, number, 0) < settings_.loss || flights_.size() >= most_in_flight) {
        ++lost_;
        return;
    }
    const double deviation = (2 * uniform(settings_.seed, number, 1) - 1) * static_cast<double>(settings_.jitter);
    const std::int64_t delay = std::max<std::int64_t>(0, settings_.delay + std::llround(deviation));
    flights_.push_back({sent + delay, number, {mark, {datagram.begin(), datagram.end()}}});
    std::push_heap(flights_.begin(), flights_.end(), later);
}

std::optional<Link::Arrival> Link::take(std::int64_t now) {
    if (flights_.empty() || flights_.front().due > now) return std::nullopt;
    std::pop_heap(flights_.begin(), flights_.end(), later);
    Arrival arrival = std::move(flights_.back().arrival);
    flights_.pop_back();
    return arrival;
}

std::optional<std::int64_t> Link::next() const {
    if (flights_.empty()) return std::nullopt;
    return flights_.front().due;
}

/// The order of two that are due at once is that in which they were put in.
bool Link::later(const Flight& a, const Flight& b) { return std::pair(a.due, a.number) > std::pair(b.due, b.number); }

}  // namespace interfaces::teleop
