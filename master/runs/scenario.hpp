#pragma once

#include "master/base/diagnostics.hpp"
#include "master/build/signal_request.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace master::runs {

/// Values over time for one signal of a scripted run.
struct ScenarioSignal {
    enum class Hold : std::uint8_t { constant, linear };
    struct Point {
        double t = 0;
        double value = 0;  // true and false are 1 and 0
    };
    build::SignalRequest request;
    Hold hold = Hold::constant;
    std::vector<Point> points;  // times do not decrease; two equal ones are a jump

    /// Nothing before the first point; after a jump its second value.
    [[nodiscard]] std::optional<double> value_at(double t) const;
};

/// A range that a signal must keep.
struct ScenarioLimit {
    enum class Action : std::uint8_t { stop, warn };
    build::SignalRequest request;
    std::optional<double> minimum, maximum;
    Action action = Action::stop;
};

/// A scripted run: timed values and limits.
struct Scenario {
    std::vector<ScenarioSignal> signals;
    std::vector<ScenarioLimit> limits;

    /// What the build has to fill in; they stay in the scenario.
    [[nodiscard]] std::vector<build::SignalRequest*> requests();
};

/// Throws `Error` for what is no scenario file; other errors are collected in `diagnostics`.
[[nodiscard]] Scenario read_scenario(const std::filesystem::path& file, base::Diagnostics& diagnostics);

}  // namespace master::runs
