#include "master/analysis/linear/unit_model.hpp"

#include "master/base/error.hpp"
#include "master/core/checked_slopes.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace master::analysis {
namespace {

constexpr std::size_t most_steps = 121;     // of a pulse, the first of them its own
constexpr std::size_t most_entries = 400;   // rows or columns of a Hankel matrix: a decomposition takes a second
constexpr std::size_t checked_steps = 16;   // of a pulse, where a model is checked: a unit that moves is soon elsewhere
constexpr double told_close_enough = 0.02;  // of what a unit tells to what it does
constexpr double least_noise = 1e-9;        // of Hankel singular values: rounding
constexpr double noise_factor = 10;         // what differences doubt, as it appears there

std::size_t reals(const core::Layout& layout) { return layout.counts[core::index_of(core::Type::real)]; }

/// The answers of a unit to pulses of its inputs.
struct Pulses {
    std::vector<std::size_t> outputs;  // those that count
    std::vector<Matrix> after;         // each step: those outputs by inputs, then by their slopes
    double doubt = 0;
};

/// Moves a unit alone from where it stands, again and again.
class PulseBench {
public:
    PulseBench(core::System& system, core::Node& node, base::Time t, const std::vector<bool>& counts)
        : system_(system), node_(node), t_(t), now_(node.unit->save()) {
        for (std::size_t o = 0; o < counts.size(); ++o)
            if (counts[o]) outputs_.push_back(o);
        const std::size_t widest = std::max<std::size_t>({reals(node.inputs), outputs_.size(), 1});
        steps_ = std::clamp<std::size_t>(2 * (most_entries / widest) + 1, 5, most_steps);
        slopes_.assign(reals(node.inputs), 0);
        block_ = node.input_block;
        const bool sloped = node.input_block.slopes != nullptr;
        if (sloped) block_.slopes = slopes_.data();
        columns_ = (sloped ? 2 : 1) * reals(node.inputs);
    }

    [[nodiscard]] Pulses measure() {
        Pulses result{.outputs = outputs_, .after = std::vector<Matrix>(steps_, Matrix(outputs_.size(), columns_))};
        for (const core::Layout::Slot& slot : node_.inputs.slots) {
            if (slot.type != core::Type::real) continue;
            const core::Variable& variable = node_.unit->info().variables[slot.variable];
            for (std::uint32_t e = 0; e < slot.count; ++e) {
                const std::size_t lane = slot.offset + e;
                measure(lane, scale_of(variable, lane), variable.name, result);
                if (columns_ > reals(node_.inputs) && node_.unit->takes_slope(slot.variable))
                    measure(reals(node_.inputs) + lane, scale_of(variable, lane) / period(), variable.name, result);
            }
        }
        return result;
    }

private:
    [[nodiscard]] double period() const { return system_.timebase().seconds(node_.period); }

    /// How far an input may be moved: what it is or is said to be.
    [[nodiscard]] double scale_of(const core::Variable& variable, std::size_t lane) const {
        const double now = std::fabs(node_.input_block.reals[lane]);
        if (variable.nominal && *variable.nominal > 0) return std::max(now, *variable.nominal);
        if (variable.minimum && variable.maximum && *variable.maximum > *variable.minimum)
            return (*variable.maximum - *variable.minimum) / 2;
        return now > 0 ? now : 1;
    }

    void measure(std::size_t column, double scale, const std::string& name, Pulses& result) {
        const auto pulse = [&](double size) { return answer(column, size); };
        const core::CheckedSlopes found = core::checked_slopes(pulse, scale, steps_);
        if (!found.smooth)
            throw base::Error("singular", where(),
                              fmt::format("the unit answers differently to '{}' being a little more and a little less; "
                                          "expected a point around which it is smooth",
                                          name));
        result.doubt = std::max(result.doubt, found.doubt);
        for (std::size_t o = 0; o < outputs_.size(); ++o)
            for (std::size_t k = 0; k < steps_; ++k) result.after[k](o, column) = found.slopes[o * steps_ + k];
    }

    /// Output by output, after each step.
    [[nodiscard]] std::vector<double> answer(std::size_t column, double size) {
        const std::size_t inputs = reals(node_.inputs);
        node_.unit->restore(*now_);
        std::vector<double> values(inputs);
        std::copy_n(node_.input_block.reals, inputs, values.begin());
        block_.reals = values.data();
        double& moved = column < inputs ? values[column] : slopes_[column - inputs];
        const double before = moved;
        std::vector<double> result(outputs_.size() * steps_);
        base::Time at = t_;
        for (std::size_t k = 0; k < steps_; ++k) {
            moved = k == 0 ? before + size : before;
            node_.unit->write(core::Group{}, block_);
            const core::StepResult step = node_.unit->step(at, node_.period);
            if (step.event || step.discarded || step.terminate)
                throw base::Error("singular", where(),
                                  "an event follows within a few steps; expected a time after which the unit is "
                                  "left alone by events for a while");
            at = at + node_.period;
            node_.unit->read(core::Group{}, node_.output_block);
            for (std::size_t o = 0; o < outputs_.size(); ++o)
                result[o * steps_ + k] = node_.output_block.reals[outputs_[o]];
        }
        return result;
    }

    [[nodiscard]] std::string where() const {
        return fmt::format("unit '{}' at t = {}", node_.name, system_.timebase().seconds(t_));
    }

    core::System& system_;
    core::Node& node_;
    base::Time t_;
    std::unique_ptr<core::Snapshot> now_;
    std::vector<std::size_t> outputs_;  // that count
    std::size_t steps_ = 0, columns_ = 0;
    std::vector<double> slopes_;
    core::ConstBlock block_;
};

Matrix part_of(const core::LocalModel& model, std::size_t row, std::size_t rows, std::size_t column,
               std::size_t columns) {
    Matrix result(rows, columns);
    for (std::size_t r = 0; r < rows; ++r)
        for (std::size_t c = 0; c < columns; ++c) {
            const double slope = model.slope(row + r, column + c);
            result(r, c) = std::isnan(slope) ? 0 : slope;
        }
    return result;
}

/// Integrated exactly over the unit's step.
UnitModel model_from(const core::LocalModel& local, double period) {
    const std::size_t n = local.states.size();
    UnitModel model{.states = local.states, .period = period, .origin = local.origin, .order = n, .doubt = local.doubt};
    StateSpace continuous{.states = local.states,
                          .a = part_of(local, 0, n, 0, n),
                          .b = part_of(local, 0, n, n, local.inputs),
                          .c = part_of(local, n, local.outputs, 0, n),
                          .d = part_of(local, n, local.outputs, n, local.inputs)};
    for (std::size_t o = 0; o < local.outputs; ++o) {
        bool told = true;
        for (std::size_t c = 0; c < local.columns(); ++c) told = told && !std::isnan(local.slope(n + o, c));
        model.told.push_back(told);
    }
    Transition moved = transition(continuous.a, continuous.b, period);
    model.a = std::move(moved.a);
    model.b = std::move(moved.b);
    model.slope = std::move(moved.slope);
    model.c = continuous.c;
    model.d = continuous.d;
    model.continuous = std::move(continuous);
    return model;
}

/// y(end) = C x(begin) + D u becomes a state of its own.
UnitModel model_from(const Realization& found, const Pulses& pulses, const core::Node& node, double period) {
    const std::size_t n = found.model.states.size(), p = pulses.outputs.size();
    const std::size_t inputs = reals(node.inputs), outputs = reals(node.outputs);
    UnitModel model{.states = found.model.states,
                    .a = Matrix(n + p, n + p),
                    .b = Matrix(n + p, inputs),
                    .slope = Matrix(n + p, inputs),
                    .c = Matrix(outputs, n + p),
                    .d = Matrix(outputs, inputs),
                    .period = period,
                    .told = std::vector<bool>(outputs, false),
                    .origin = "identified from pulses",
                    .order = n,
                    .error = found.error,
                    .measured = true};
    const bool sloped = found.model.b.columns > inputs;
    for (std::size_t r = 0; r < n + p; ++r) {
        const bool state = r < n;
        for (std::size_t c = 0; c < n; ++c) model.a(r, c) = state ? found.model.a(r, c) : found.model.c(r - n, c);
        for (std::size_t c = 0; c < inputs; ++c) {
            model.b(r, c) = state ? found.model.b(r, c) : found.model.d(r - n, c);
            if (sloped) model.slope(r, c) = state ? found.model.b(r, inputs + c) : found.model.d(r - n, inputs + c);
        }
        if (state) continue;
        const std::size_t output = pulses.outputs[r - n];
        model.states.push_back("output " + std::to_string(output + 1));
        model.c(output, r) = 1;
        model.told[output] = true;
    }
    model.doubt = pulses.doubt;
    if (n > 0) return model;
    model.origin = "measured: no memory";
    model.continuous = StateSpace{.a = Matrix(0, 0), .b = Matrix(0, inputs), .c = Matrix(outputs, 0), .d = model.d};
    for (std::size_t o = 0; o < p; ++o)
        for (std::size_t c = 0; c < inputs; ++c) model.continuous->d(pulses.outputs[o], c) = found.model.d(o, c);
    return model;
}

/// How far the model's pulses are from the measured ones, as a share of each output's largest.
double distance(const UnitModel& model, const Pulses& pulses) {
    const std::size_t n = model.a.rows, m = model.b.columns;
    double worst = 0;
    for (std::size_t i = 0; i < pulses.outputs.size(); ++i) {
        const std::size_t o = pulses.outputs[i];
        if (!model.told[o]) return 1;
        double largest = 0, off = 0;
        for (std::size_t j = 0; j < pulses.after.front().columns; ++j) {
            const bool slope = j >= m;
            std::vector<double> x(n);
            for (std::size_t r = 0; r < n; ++r) x[r] = slope ? model.slope(r, j - m) : model.b(r, j);
            for (std::size_t k = 0; k < std::min(checked_steps, pulses.after.size()); ++k) {
                double y = k > 0 ? 0 : slope ? model.d(o, j - m) * model.period : model.d(o, j);
                for (std::size_t r = 0; r < n; ++r) y += model.c(o, r) * x[r];
                // Slopes are of another unit: over a step they count as values.
                const double unit = slope ? 1 / model.period : 1;
                off = std::max(off, unit * std::fabs(y - pulses.after[k](i, j)));
                largest = std::max(largest, unit * std::fabs(pulses.after[k](i, j)));
                std::vector<double> next(n, 0);
                for (std::size_t r = 0; r < n; ++r)
                    for (std::size_t c = 0; c < n; ++c) next[r] += model.a(r, c) * x[c];
                x = std::move(next);
            }
        }
        if (largest > 0) worst = std::max(worst, off / largest);
        if (largest == 0 && off > 0) worst = std::max(worst, 1.0);
    }
    return worst;
}

/// A unit that nothing reaches does not answer.
UnitModel silent(const core::Node& node, double period) {
    const std::size_t p = reals(node.outputs);
    UnitModel model{.b = Matrix(0, 0), .c = Matrix(p, 0), .d = Matrix(p, 0), .period = period};
    model.told.assign(p, true);
    model.origin = "nothing reaches it";
    model.continuous = StateSpace{.b = Matrix(0, 0), .c = Matrix(p, 0), .d = Matrix(p, 0)};
    return model;
}

bool all_numbers(const core::LocalModel& model) {
    const std::size_t rates = model.states.size() * model.columns();
    return std::ranges::none_of(model.slopes, [](double slope) { return std::isinf(slope); }) &&
           std::all_of(model.slopes.begin(), model.slopes.begin() + static_cast<std::ptrdiff_t>(rates),
                       [](double slope) { return std::isfinite(slope); });
}

}  // namespace

UnitModel model_of(core::System& system, core::Node& node, base::Time t, const std::vector<bool>& counts) {
    const double period = system.timebase().seconds(node.period);
    const std::string where = fmt::format("unit '{}' at t = {}", node.name, system.timebase().seconds(t));
    const bool exchanged = node.unit->info().interface == "model exchange";
    const std::optional<core::LocalModel> local = node.unit->local_model();
    if (local && !all_numbers(*local))
        throw base::Error("singular", where,
                          "slopes of the unit are infinite or no numbers; expected a point around which it is smooth");
    const bool heard = std::ranges::find(counts, true) != counts.end();
    if ((reals(node.inputs) == 0 || !heard) && (!local || local->states.empty())) return silent(node, period);
    std::optional<UnitModel> told;
    if (local && (exchanged || !local->states.empty())) told = model_from(*local, period);
    if (exchanged && told) return *told;
    if (!node.unit->info().can.save_state) {
        if (told) return *told;
        throw base::Error("state", where,
                          "the unit tells no states (directional derivatives of rates) and saves none "
                          "(canGetAndSetFMUState); expected one of both, or --sine, which needs neither");
    }
    if (told && (reals(node.inputs) == 0 || !heard)) return *told;
    const Pulses pulses = PulseBench(system, node, t, counts).measure();
    if (told) {
        told->error = distance(*told, pulses);
        if (*told->error <= told_close_enough) return *told;
    }
    return model_from(realize(pulses.after, std::max(least_noise, noise_factor * pulses.doubt), period), pulses, node,
                      period);
}

}  // namespace master::analysis
