#pragma once

#include "master/analysis/swap/recorded.hpp"
#include "master/analysis/swap/series.hpp"
#include "master/analysis/swap/unit_bench.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace master::analysis {

/// Trials in which an input of a unit jumps, and what its outputs do.
class Excitation {
public:
    /// `length` is that of the run that the unit is known from, `step` its step.
    Excitation(double length, std::string step) : step_(std::move(step)) {
        const double trial = std::min(longest_trial, length);
        times_ = {0, step_begins * trial, step_begins * trial, trial};
        for (std::size_t i = 0; i < points; ++i)
            grid_.push_back(trial * static_cast<double>(i) / static_cast<double>(points - 1));
    }

    [[nodiscard]] std::optional<Response> on_bench(UnitBench& unit, const std::vector<Drive>& drives,
                                                   const std::vector<std::string>& set = {}) const {
        auto response = unit.run({.time = times_, .drives = drives, .set = set, .step = step_});
        if (!response) response = unit.run({.time = times_, .drives = drives, .set = set, .step = {}});
        if (!response) return std::nullopt;
        return response->at(grid_);
    }

    [[nodiscard]] static Drive jump(const UnitBench& unit, std::uint32_t input, double by) {
        const double start = start_value(unit.info().variables[input]);
        return {unit.name(input), {start, start, start + by, start + by}};
    }

    /// What an input does, alone or while `others` move; `rest` is what happens without it.
    [[nodiscard]] std::optional<Effect> effect(UnitBench& unit, const Response& rest, std::uint32_t input, double by,
                                               std::vector<Drive> others = {}) const {
        others.push_back(jump(unit, input, by));
        const auto moved = on_bench(unit, others);
        if (!moved) return std::nullopt;
        Effect result;
        for (std::size_t o = 0; o < moved->outputs.size(); ++o)
            result.push_back(minus(moved->outputs[o], rest.outputs[o]));
        return result;
    }

private:
    static constexpr std::size_t points = 400;
    static constexpr double longest_trial = 1;  // s
    static constexpr double step_begins = 0.1;  // of a trial

    std::string step_;
    std::vector<double> times_, grid_;
};

}  // namespace master::analysis
