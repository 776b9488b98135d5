#include "fmus/common/state/instance.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace fmus {

namespace {

void require_size(std::size_t found, std::size_t expected, const char* what) {
    if (found == expected) return;
    throw std::runtime_error(std::to_string(found) + ' ' + what + ", expected " + std::to_string(expected));
}

}  // namespace

void Instance::set_time(double t) {
    if (!std::isfinite(t)) throw std::runtime_error("the time is not a finite number");
    time_ = t;
    mark_changed();
}

std::size_t Instance::state_count() const {
    std::size_t count = 0;
    for (const State& pair : states()) count += variables()[pair.state].cells.count();
    return count;
}

void Instance::get_states(std::span<double> values) const {
    require_size(values.size(), state_count(), "continuous states");
    std::size_t at = 0;
    for (const State& pair : states()) {
        const Cells& cells = variables()[pair.state].cells;
        std::copy_n(cells.as<double>(), cells.count(), values.data() + at);
        at += cells.count();
    }
}

void Instance::set_states(std::span<const double> values) {
    require_size(values.size(), state_count(), "continuous states");
    std::size_t at = 0;
    for (const State& pair : states()) {
        const Cells& cells = variables()[pair.state].cells;
        std::copy_n(values.data() + at, cells.count(), cells.as<double>());
        at += cells.count();
    }
    mark_changed();
}

void Instance::get_derivatives(std::span<double> values) {
    require_size(values.size(), state_count(), "derivatives");
    refresh();
    std::size_t at = 0;
    for (const State& pair : states()) {
        const Cells& cells = variables()[pair.derivative].cells;
        std::copy_n(cells.as<double>(), cells.count(), values.data() + at);
        at += cells.count();
    }
}

void Instance::get_nominals(std::span<double> values) const {
    require_size(values.size(), state_count(), "nominal values");
    std::size_t at = 0;
    for (const State& pair : states()) {
        const Variable& state = variables()[pair.state];
        std::fill_n(values.data() + at, state.cells.count(), state.nominal.value_or(1));
        at += state.cells.count();
    }
}

void Instance::get_event_indicators(std::span<double> values) {
    require_size(values.size(), event_indicators().size(), "event indicators");
    refresh();
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = real({event_indicators()[i], 0});
}

bool Instance::can_differentiate() const {
    return evaluates() && std::any_of(variables().begin(), variables().end(), [](const Variable& variable) {
               const bool unknown = variable.causality == Causality::output || !variable.derivative_of.empty();
               return unknown && variable.type == Type::float64;
           });
}

/// Central difference along the seed. Linear units take a large increment: there the difference is exact.
void Instance::directional_derivative(std::span<const Element> unknowns, std::span<const Element> knowns,
                                      std::span<const double> seed, std::span<double> sensitivity) {
    require_size(seed.size(), knowns.size(), "seed values");
    require_size(sensitivity.size(), unknowns.size(), "sensitivities");
    if (!can_differentiate()) throw std::runtime_error("the unit offers no derivatives");
    refresh();
    const std::unique_ptr<ModelCopy> now = copy_model();
    double size = 1, length = 0;
    for (std::size_t i = 0; i < knowns.size(); ++i) {
        size = std::max(size, std::abs(real(knowns[i])));
        length = std::max(length, std::abs(seed[i]));
    }
    std::fill(sensitivity.begin(), sensitivity.end(), 0.0);
    if (length == 0) return;
    const double increment =
        about().linear ? size / length : std::cbrt(std::numeric_limits<double>::epsilon()) * size / length;
    const auto evaluate_at = [&](double distance) {
        restore_model(*now);
        for (std::size_t i = 0; i < knowns.size(); ++i) real(knowns[i]) += distance * seed[i];
        if (kit_.mode == Mode::initialization) initialize_model(time_);
        evaluate_model(time_);
    };
    evaluate_at(increment);
    for (std::size_t i = 0; i < unknowns.size(); ++i) sensitivity[i] = real(unknowns[i]);
    evaluate_at(-increment);
    for (std::size_t i = 0; i < unknowns.size(); ++i)
        sensitivity[i] = (sensitivity[i] - real(unknowns[i])) / (2 * increment);
    restore_model(*now);
}

}  // namespace fmus
