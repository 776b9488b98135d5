#include "fmus/common/state/instance.hpp"
#include "fmus/common/state/setup.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace fmus {

namespace {

// Errors of order 4 then stay below 1e-9 of the step's own for everything slower than the step itself.
constexpr int micro_steps = 20;

// Times that differ by rounding only are one instant.
double rounding(double t) { return 1e-12 * std::max(1.0, std::abs(t)); }

}  // namespace

double Instance::Course::at(double dt) const {
    return start + dt * (derivatives[0] + dt / 2 * (derivatives[1] + dt / 3 * derivatives[2]));
}

void Instance::prepare_step() {
    courses_.clear();
    for (std::size_t i = 0; i < variables().size(); ++i) {
        if (!variables()[i].is_continuous_input()) continue;
        for (std::size_t k = 0; k < variables()[i].cells.count(); ++k) courses_.push_back({.input = {i, k}});
    }
    const std::size_t count = state_count();
    for (auto* part : {&scratch_.start, &scratch_.now, &scratch_.k1, &scratch_.k2, &scratch_.k3, &scratch_.k4})
        part->resize(count);
}

void Instance::set_input_derivative(Element input, int order, double value) {
    const Variable& variable = variables()[input.variable];
    if (!interpolates_inputs() || !variable.is_continuous_input())
        throw std::runtime_error("'" + variable.name + "' takes no derivatives");
    const int highest = steps_itself() ? 1 : 3;
    if (order < 1 || order > highest)
        throw std::runtime_error("derivative of order " + std::to_string(order) + " of '" + variable.name +
                                 "', known are 1 to " + std::to_string(highest));
    if (std::isnan(value)) throw std::runtime_error("the derivative of '" + variable.name + "' is not a number");
    for (Course& course : courses_) {
        if (course.input.variable != input.variable || course.input.index != input.index) continue;
        course.derivatives[static_cast<std::size_t>(order - 1)] = value;
        sloped_ = true;
    }
}

StepEnd Instance::do_step(double t, double h) {
    if (std::isnan(t) || std::abs(t - time_) > 1e-9 * std::max(1.0, std::abs(t)))
        throw std::runtime_error("step from t = " + std::to_string(t) +
                                 ", but the unit is at t = " + std::to_string(time_));
    if (!(h > 0) || !std::isfinite(h))
        throw std::runtime_error("the step size " + std::to_string(h) + " is not positive");
    time_ = t;
    step_start_ = t;
    const double end = t + h;
    for (Course& course : courses_) course.start = real(course.input);

    StepEnd result;
    while (!result.terminate) {
        const double due = kit_.has_next_event ? kit_.next_event : std::numeric_limits<double>::infinity();
        models::Advance advanced{.reached = time_};
        const double target = std::min(end, due);
        if (target > time_ + rounding(end)) advanced = advance(time_, target);
        const bool timed = due <= advanced.reached + rounding(end);
        time_ = timed ? due : advanced.reached;
        evaluate();
        const bool at_end = end - time_ <= rounding(end);
        if (!timed && !advanced.event) {
            if (at_end) break;
            continue;
        }
        if (uses_event_mode() && (at_end || setup_->early_return)) {
            result.event = true;
            break;
        }
        result.terminate = handle_event().terminate;
        silence_clocks();  // nobody sees one inside a step: what would go with its tick waits for Event Mode
        if (at_end) break;
    }
    if (end - time_ <= rounding(end)) time_ = end;
    result.reached = time_;
    for (Course& course : courses_) course.derivatives = {};
    sloped_ = false;
    return result;
}

models::Advance Instance::advance(double t, double end) {
    if (!steps_itself()) {
        integrate(t, end);
        return {.reached = end};
    }
    set_slopes(t, end);
    const models::Advance advanced = step_model(t, end - t);
    set_inputs(advanced.reached);
    return advanced;
}

/// For models that step by themselves an input is a straight line between the ends of the step.
void Instance::set_slopes(double t, double end) {
    if (!sloped_ && !asks_inputs_) {
        for (const Course& course : courses_)
            if (const auto& slope = variables()[course.input.variable].slope)
                slope->as<double>()[course.input.index] = 0;
        return;
    }
    set_inputs(end);
    for (Course& course : courses_)
        if (const auto& slope = variables()[course.input.variable].slope)
            slope->as<double>()[course.input.index] = real(course.input);
    set_inputs(t);
    for (Course& course : courses_)
        if (const auto& slope = variables()[course.input.variable].slope) {
            double& rate = slope->as<double>()[course.input.index];
            rate = (rate - real(course.input)) / (end - t);
        }
}

void Instance::set_inputs(double t) {
    if (asks_inputs_) {
        kit_.mode = Mode::intermediate_update;
        setup_->ask_inputs(t);
        kit_.mode = Mode::step;
        return;
    }
    if (!sloped_) return;
    for (const Course& course : courses_) real(course.input) = course.at(t - step_start_);
}

/// The classical Runge-Kutta method of order 4.
void Instance::integrate(double t, double end) {
    if (states().empty()) {
        set_inputs(end);
        return;
    }
    std::vector<double>&start = scratch_.start, &now = scratch_.now;
    std::vector<double>&k1 = scratch_.k1, &k2 = scratch_.k2, &k3 = scratch_.k3, &k4 = scratch_.k4;
    const auto stage = [&](const std::vector<double>& k, double dt) {
        for (std::size_t i = 0; i < start.size(); ++i) now[i] = start[i] + dt * k[i];
        set_states(now);
    };
    const double h = (end - t) / micro_steps;
    set_inputs(t);
    for (int step = 0; step < micro_steps; ++step) {
        const double from = t + step * h;
        const double to = step + 1 == micro_steps ? end : t + (step + 1) * h;
        get_states(start);
        rates(from, k1);
        set_inputs(from + h / 2);
        stage(k1, h / 2);
        rates(from + h / 2, k2);
        stage(k2, h / 2);
        rates(from + h / 2, k3);
        set_inputs(to);
        stage(k3, h);
        rates(to, k4);
        for (std::size_t i = 0; i < start.size(); ++i)
            now[i] = start[i] + h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
        set_states(now);
    }
}

void Instance::rates(double t, std::vector<double>& result) {
    evaluate_model(t);
    std::size_t at = 0;
    for (const State& pair : states()) {
        const Cells& cells = variables()[pair.derivative].cells;
        std::copy_n(cells.as<double>(), cells.count(), result.data() + at);
        at += cells.count();
    }
}

bool Instance::interpolates_inputs() const {
    bool any = false;
    for (const Variable& variable : variables()) {
        if (!variable.is_continuous_input()) continue;
        if (steps_itself() && !variable.slope) return false;
        any = true;
    }
    return any;
}

double Instance::output_derivative(Element output, int order) {
    for (const State& pair : states())
        if (pair.state == output.variable && order == 1) return real({pair.derivative, output.index});
    throw std::runtime_error("'" + variables()[output.variable].name + "' offers no derivative of order " +
                             std::to_string(order));
}

bool Instance::has_output_derivatives() const {
    if (!can_differentiate()) return false;
    bool any = false;
    for (std::size_t i = 0; i < variables().size(); ++i) {
        const Variable& variable = variables()[i];
        if (variable.causality != Causality::output || variable.variability != Variability::continuous) continue;
        if (!is_state(i)) return false;
        any = true;
    }
    return any;
}

}  // namespace fmus
