#pragma once

#include "master/base/diagnostics.hpp"
#include "master/build/requests/signal_request.hpp"

#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace master::runs {

/// Values over time for one signal of a scripted run.
struct ScenarioSignal {
    enum class Hold : std::uint8_t { constant, linear };
    build::SignalRequest request;
    Hold hold = Hold::constant;
    std::vector<double> times;   // do not decrease; two equal ones are a jump
    std::vector<double> values;  // at these times; true and false are 1 and 0. The request has them as written

    /// NaN before the first time.
    [[nodiscard]] double value_at(double t, core::Side side = core::Side::after) const;
};

/// A range that a signal must keep.
struct ScenarioLimit {
    enum class Action : std::uint8_t { stop, warn };
    build::SignalRequest request;
    std::optional<double> minimum, maximum;
    std::string minimum_text, maximum_text;  // as written: a double does not hold every whole number
    Action action = Action::stop;
};

/// A scripted run: timed values and limits.
struct Scenario final : core::Foresight {
    std::vector<ScenarioSignal> signals;
    std::vector<ScenarioLimit> limits;
    double begin = -std::numeric_limits<double>::infinity();  // before it signals hold what they are there: a lead

    /// What the build has to fill in. They stay in the scenario, which drives its signals with itself.
    [[nodiscard]] std::vector<build::SignalRequest*> requests();

    [[nodiscard]] double value_at(std::uint32_t signal, double t, core::Side side) const override;
    [[nodiscard]] double next_corner(std::uint32_t signal, double t) const override;
    [[nodiscard]] std::vector<double> jumps(std::uint32_t signal) const override;
};

/// Throws `Error` for what is no scenario file; other errors are collected in `diagnostics`.
[[nodiscard]] Scenario read_scenario(const std::filesystem::path& file, base::Diagnostics& diagnostics);

}  // namespace master::runs
