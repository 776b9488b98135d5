#include "master/analysis/linear/stepped_sine.hpp"

#include "master/base/error.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numbers>

namespace master::analysis {
namespace {

constexpr double least_periods = 4;      // to wait, and to measure
constexpr double most_periods = 100;     // to wait for an oscillation to die away
constexpr double creeping_periods = 12;  // what takes longer without an oscillation is a drift
constexpr double decay_constants = 10;   // after which a transient is gone: 5e-5 of it
constexpr std::int64_t least_samples = 60;
constexpr Eigen::Index most_harmonics = 5;
constexpr double highest_share = 0.4;  // of the rate: what is faster is hardly told from what is slower
constexpr double settled_within = 0.01;
constexpr double usual_share = 0.01;  // amplitude by the size of the input
constexpr double full_turn = 2 * std::numbers::pi;

/// One frequency: when it begins, and from when on it is measured; in samples after the time asked for.
struct Stretch {
    double frequency = 0;
    std::int64_t begin = 0, measured = 0, end = 0;
};

/// Until transients have died away. Those that only creep are fitted as a drift.
double waiting(const Modes& modes, double frequency) {
    double wait = least_periods / frequency;
    for (const Mode& mode : modes.modes) {
        if (!(mode.pole.real() < 0)) continue;
        const double needed = decay_constants / -mode.pole.real();
        const double most = (mode.pole.imag() != 0 ? most_periods : creeping_periods) / frequency;
        if (mode.pole.imag() != 0) wait = std::max(wait, std::min(needed, most));
        if (mode.pole.imag() == 0 && needed <= most) wait = std::max(wait, needed);
    }
    return wait;
}

std::vector<Stretch> stretches(const Sweep& sweep, const Modes& modes, double step) {
    std::vector<Stretch> all;
    std::int64_t at = 0;
    for (std::size_t i = 0; i < sweep.points; ++i) {
        const double part = sweep.points > 1 ? static_cast<double>(i) / static_cast<double>(sweep.points - 1) : 0;
        const double f = sweep.from * std::pow(sweep.to / sweep.from, part);
        const double wait = std::max(sweep.wait, waiting(modes, f));
        const auto samples = [&](double seconds) {
            return std::max(least_samples, static_cast<std::int64_t>(std::ceil(seconds / step)));
        };
        const std::int64_t measured = at + samples(wait);
        all.push_back({f, at, measured, measured + samples(least_periods / f)});
        at = all.back().end;
    }
    return all;
}

/// Turns the input, and keeps what the output is at the sampling points.
class SineTap final : public core::Tap {
public:
    SineTap(const Standing& standing, std::vector<Stretch> stretches, double amplitude, base::Duration sample,
            base::Timebase timebase)
        : input_(standing.input),
          output_(*standing.output.signal()),
          at_(standing.at),
          sample_(sample),
          timebase_(timebase),
          stretches_(std::move(stretches)),
          amplitude_(amplitude) {}

    void before_step(base::Time t, core::Lanes& inputs) override {
        if (t < at_ || (t - at_).ticks % sample_.ticks != 0) return;
        const std::int64_t n = (t - at_).ticks / sample_.ticks;
        while (now_ + 1 < stretches_.size() && n >= stretches_[now_].end) ++now_;
        const Stretch& stretch = stretches_[now_];
        const double since = timebase_.seconds(sample_ * (n - stretch.begin));
        for (const build::LocatedSignal& signal : input_.found)
            build::set_number(signal, value_ + amplitude_ * std::sin(full_turn * stretch.frequency * since), inputs);
    }

    void after_step(base::Time t, const core::Signals& signals) override {
        if (t == at_) value_ = driven_value(*input_.signal(), signals);
        if (t >= at_ && (t - at_).ticks % sample_.ticks == 0) values_.push_back(build::number(output_, signals));
    }

    [[nodiscard]] const std::vector<double>& values() const { return values_; }

private:
    const build::SignalRequest& input_;
    const build::LocatedSignal& output_;
    base::Time at_;
    base::Duration sample_;
    base::Timebase timebase_;
    std::vector<Stretch> stretches_;
    double amplitude_ = 0, value_ = 0;
    std::size_t now_ = 0;
    std::vector<double> values_;
};

struct Fitted {
    std::complex<double> response;
    double distortion = 0;
};

/// Least squares over the samples [first, last) of a stretch.
Fitted fitted(const std::vector<double>& values, const Stretch& stretch, std::int64_t first, std::int64_t last,
              double step, double amplitude) {
    const Eigen::Index harmonics = std::clamp<Eigen::Index>(
        static_cast<Eigen::Index>(highest_share / (stretch.frequency * step)), 1, most_harmonics);
    const Eigen::Index rows = last - first;
    Eigen::MatrixXd basis(rows, 2 * harmonics + 2);
    Eigen::VectorXd y(rows);
    for (Eigen::Index i = 0; i < rows; ++i) {
        const double since = static_cast<double>(first + i - stretch.begin) * step;
        for (Eigen::Index k = 1; k <= harmonics; ++k) {
            const double angle = full_turn * static_cast<double>(k) * stretch.frequency * since;
            basis(i, 2 * k - 2) = std::sin(angle);
            basis(i, 2 * k - 1) = std::cos(angle);
        }
        basis(i, 2 * harmonics) = 1;
        basis(i, 2 * harmonics + 1) = static_cast<double>(2 * i) / static_cast<double>(rows) - 1;
        y(i) = values[static_cast<std::size_t>(first + i)];
    }
    const Eigen::VectorXd found = basis.colPivHouseholderQr().solve(y);
    double others = 0;
    for (Eigen::Index k = 2; k <= harmonics; ++k) others += std::norm(std::complex(found[2 * k - 2], found[2 * k - 1]));
    const std::complex<double> fundamental(found[0], found[1]);
    return {fundamental / amplitude, std::abs(fundamental) > 0 ? std::sqrt(others) / std::abs(fundamental) : 0};
}

SinePoint measured(const std::vector<double>& values, const Stretch& stretch, double step, double amplitude) {
    const std::int64_t middle = (stretch.measured + stretch.end) / 2;
    const Fitted whole = fitted(values, stretch, stretch.measured, stretch.end, step, amplitude);
    const Fitted first = fitted(values, stretch, stretch.measured, middle, step, amplitude);
    const Fitted second = fitted(values, stretch, middle, stretch.end, step, amplitude);
    return {.frequency = stretch.frequency,
            .response = whole.response,
            .distortion = whole.distortion,
            .settled = std::abs(first.response - second.response) <= settled_within * std::abs(whole.response)};
}

double usual_amplitude(const build::LocatedSignal& input, double value) {
    const core::Variable& variable = *input.variable;
    if (variable.minimum && variable.maximum && *variable.maximum > *variable.minimum)
        return usual_share * (*variable.maximum - *variable.minimum);
    return usual_share * std::max(std::fabs(value), variable.nominal && *variable.nominal > 0 ? *variable.nominal : 1);
}

}  // namespace

SteppedSine stepped_sine(const LinearRequest& request, const BeforeSine& before, base::Diagnostics& diagnostics,
                         base::Log& log, runs::Board* board) {
    const Sweep& sweep = *request.sine;
    const build::Simulation& simulation = before.standing.simulation();
    const build::Timing& timing = simulation.timing;
    const double step = timing.timebase.seconds(timing.hyperperiod);
    if (sweep.to > highest_share / step)
        throw base::Error("linearize", "--sine",
                          fmt::format("{} Hz is too fast for a step of {} s; expected at most {:.6g} Hz", sweep.to,
                                      step, highest_share / step));
    if (!request.scenario.empty())
        for (const core::DrivenInput& driven : simulation.system->options().driven)
            if (driven.name == request.input)
                throw base::Error("linearize", driven.where,
                                  fmt::format("'{}' is driven by the scenario; expected an input that nothing drives, "
                                              "so that it can be turned",
                                              request.input));
    const std::vector<Stretch> plan = stretches(sweep, before.modes, step);
    const double value = driven_value(*before.standing.input.signal(), simulation.system->signals());
    const double amplitude = sweep.amplitude.value_or(usual_amplitude(*before.standing.input.signal(), value));
    const base::Time end = before.standing.at + timing.hyperperiod * plan.back().end;
    const std::string stop = base::to_string(timing.timebase.fraction(base::Duration{end.ticks}));
    SteppedSine result;
    for (const double size : {amplitude, amplitude / 2}) {
        base::Diagnostics repeated;
        Standing standing = stand(request, stop, result.runs.empty() ? diagnostics : repeated, log);
        const build::Timing& now = standing.simulation().timing;
        SineTap tap(standing, plan, size, now.hyperperiod, now.timebase);
        run_to(standing, standing.at + now.hyperperiod * plan.back().end, &tap, board);
        standing.simulation().system->terminate();
        SteppedSine::Run run{.amplitude = size};
        for (const Stretch& stretch : plan) run.points.push_back(measured(tap.values(), stretch, step, size));
        result.runs.push_back(std::move(run));
    }
    return result;
}

}  // namespace master::analysis
