#include "master/analysis/linear/margins.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>

namespace master::analysis {
namespace {

constexpr int points_per_decade = 100;
constexpr int bisections = 60;
constexpr double far_beyond = 1e3;       // all poles and zeros: there the loop is a power of the frequency
constexpr double sharp_damping = 0.3;    // of a pole or zero that is looked at more closely
constexpr double nearest_look = 0.1;     // at it, by its width
constexpr double thinnest = 1e-13;       // width of an undamped one, by its frequency
constexpr double slowest_share = 1e-12;  // of the fastest, or of the rate: what is slower is an integrator
constexpr double same_gain = 1e-12;
constexpr double same_direction = 1e-9;      // rad: rounding turns a response that is real as much
constexpr double crossing_direction = 1e-6;  // rad from real, where the imaginary part passes zero
constexpr double most_factor = 1e9;          // what is beyond is rounding of a loop that is infinite or zero there
constexpr double full_circle = 2 * std::numbers::pi;

/// Where `f` changes its sign between two frequencies.
double sign_change(const std::function<double(double)>& f, double low, double high) {
    const bool rises = f(high) > 0;
    for (int i = 0; i < bisections; ++i) {
        const double middle = std::sqrt(low * high);
        ((f(middle) > 0) == rises ? high : low) = middle;
    }
    return std::sqrt(low * high);
}

/// The least value of `f` between two frequencies, by the golden section.
double least_place(const std::function<double(double)>& f, double low, double high) {
    const double part = 2 - std::numbers::phi;
    for (int i = 0; i < bisections; ++i) {
        const double first = low * std::pow(high / low, part), second = high * std::pow(low / high, part);
        if (f(first) < f(second))
            high = second;
        else
            low = first;
    }
    return std::sqrt(low * high);
}

/// The frequencies at which a loop is looked at.
class SearchGrid {
public:
    SearchGrid(const StateSpace& loop, const FrequencyResponse& response) : response_(response) {
        double fastest = loop.period > 0 ? 1 / loop.period : 0;
        for (const Mode& mode : modes_of(loop).modes) marks_.push_back(mode.pole);
        for (const std::complex<double>& zero : zeros_of(loop)) marks_.push_back(zero);
        for (const std::complex<double>& mark : marks_) fastest = std::max(fastest, std::abs(mark));
        std::erase_if(marks_, [&](const auto& mark) { return !(std::abs(mark) > slowest_share * fastest); });
        bound(loop.period);
        add_even();
        for (const std::complex<double>& mark : marks_) add_around(mark);
        std::ranges::sort(points_);
        points_.erase(std::unique(points_.begin(), points_.end()), points_.end());
    }

    [[nodiscard]] const std::vector<double>& points() const { return points_; }
    [[nodiscard]] double low() const { return low_; }
    /// True where the loop is a constant below all that is looked at.
    [[nodiscard]] bool constant_below() const { return std::lround(power_at(low_, 0.1)) == 0; }

private:
    void bound(double period) {
        double slowest = std::numeric_limits<double>::infinity(), fastest = 0;
        for (const std::complex<double>& mark : marks_) {
            slowest = std::min(slowest, std::abs(mark) / full_circle);
            fastest = std::max(fastest, std::abs(mark) / full_circle);
        }
        if (marks_.empty()) slowest = fastest = period > 0 ? 0.5 / period : 1;
        low_ = beyond(slowest / far_beyond, 0.1);
        high_ = period > 0 ? 0.5 / period : beyond(fastest * far_beyond, 10);
        low_ = std::min(low_, high_ / far_beyond);
    }

    /// The loop is K f^n from here on: n.
    [[nodiscard]] double power_at(double end, double by) const {
        const double power = std::log(std::abs(response_(by * end) / response_(end))) / std::log(by);
        return std::isfinite(power) ? power : 0;
    }

    /// A decade behind the frequency at which K f^n is one, where that lies outwards.
    [[nodiscard]] double beyond(double end, double by) const {
        const double power = std::round(power_at(end, by));
        if (power == 0) return end;
        const double one = end * std::pow(std::abs(response_(end)), -1 / power);
        const bool outwards = by < 1 ? one < end : one > end;
        return outwards && one > 0 && std::isfinite(one) ? by * one : end;
    }

    void add_even() {
        const int count = std::max(2, static_cast<int>(std::ceil(points_per_decade * std::log10(high_ / low_))));
        for (int i = 0; i < count; ++i)
            points_.push_back(low_ * std::pow(high_ / low_, static_cast<double>(i) / count));
        points_.push_back(high_);
    }

    /// A resonance or a notch is as narrow as it is little damped.
    void add_around(const std::complex<double>& mark) {
        const double middle = std::fabs(mark.imag()) / full_circle, width = std::fabs(mark.real()) / full_circle;
        if (!(width < sharp_damping * middle)) return;
        const auto add = [&](double f) {
            if (f > low_ && f < high_) points_.push_back(f);
        };
        if (width > thinnest * middle) add(middle);
        double apart = nearest_look * std::max(width, thinnest * middle);
        while (apart < middle / 2) {
            add(middle - apart);
            add(middle + apart);
            apart *= 2;
        }
    }

    const FrequencyResponse& response_;
    std::vector<std::complex<double>> marks_;  // poles and zeros, 1/s
    double low_ = 0, high_ = 0;
    std::vector<double> points_;
};

/// Looks at a loop along its frequencies, and keeps the worst that is met.
class MarginSearch {
public:
    explicit MarginSearch(const StateSpace& loop) : loop_(loop), grid_(loop, loop_) {
        for (const double f : grid_.points()) {
            const std::complex<double> value = loop_(f);
            if (std::isfinite(std::abs(value)) && std::abs(value) > 0) points_.push_back({f, value});
        }
    }

    Margins run(bool sampled) {
        for (std::size_t i = 0; i < points_.size(); ++i) {
            look_at_gain(i);
            look_at_direction(points_[i]);
        }
        // A loop is real at rest and at half the rate.
        const double high = grid_.points().back();
        if (grid_.constant_below()) at_real({0, loop_(grid_.low() / (far_beyond * far_beyond))});
        if (sampled) at_real({high, loop_(high)});
        return result_;
    }

private:
    struct Point {
        double f = 0;
        std::complex<double> value;
        [[nodiscard]] double gain() const { return std::log(std::abs(value)); }
        [[nodiscard]] bool is_real() const { return std::fabs(value.imag()) <= same_direction * std::abs(value); }
    };

    void look_at_gain(std::size_t i) {
        const std::function<double(double)> gain = [this](double f) { return std::log(std::abs(loop_(f))); };
        const Point& now = points_[i];
        if (std::fabs(now.gain()) <= same_gain) return at_one(now.f);
        if (i == 0 || std::fabs(points_[i - 1].gain()) <= same_gain) return;
        const Point& last = points_[i - 1];
        if ((last.gain() > 0) != (now.gain() > 0)) return at_one(sign_change(gain, last.f, now.f));
        if (i + 1 == points_.size()) return;
        // Between two points it may come to one and go back.
        const Point& next = points_[i + 1];
        const double side = now.gain() > 0 ? 1 : -1;
        if (!(side * now.gain() < side * last.gain()) || !(side * now.gain() < side * next.gain())) return;
        const double nearest = least_place([&](double f) { return side * gain(f); }, last.f, next.f);
        if (!(side * gain(nearest) < 0)) return;
        at_one(sign_change(gain, last.f, nearest));
        at_one(sign_change(gain, nearest, next.f));
    }

    void look_at_direction(const Point& now) {
        if (now.is_real()) return;
        const bool turned = last_turned_ && (last_turned_->value.imag() > 0) != (now.value.imag() > 0);
        if (turned) {
            const std::function<double(double)> side = [this](double f) { return loop_(f).imag(); };
            const double at = sign_change(side, last_turned_->f, now.f);
            const std::complex<double> value = loop_(at);
            // Where it is infinite it changes its sign too.
            if (std::fabs(value.imag()) <= crossing_direction * std::abs(value)) at_real({at, value});
        }
        last_turned_ = now;
    }

    void at_one(double f) {
        const double turned = std::arg(-loop_(f));  // from the critical point: 0 is there
        const double degrees = turned * 360 / full_circle;
        const double delay = (turned >= 0 ? turned : turned + full_circle) / (full_circle * f);
        if (!result_.phase || std::fabs(degrees) < std::fabs(result_.phase->degrees))
            result_.phase = {degrees, f, delay};
        result_.delay = std::min(result_.delay.value_or(delay), delay);
    }

    void at_real(const Point& point) {
        const double factor = -1 / point.value.real();
        if (!(factor >= 1 / most_factor && factor <= most_factor)) return;
        if (factor >= 1 && (!result_.upper || factor < result_.upper->factor)) result_.upper = {factor, point.f};
        if (factor < 1 && (!result_.lower || factor > result_.lower->factor)) result_.lower = {factor, point.f};
    }

    FrequencyResponse loop_;
    SearchGrid grid_;
    std::vector<Point> points_;
    std::optional<Point> last_turned_;
    Margins result_;
};

}  // namespace

Margins margins(const StateSpace& loop) { return MarginSearch(loop.between_ends()).run(loop.period > 0); }

}  // namespace master::analysis
