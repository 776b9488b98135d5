#include "master/analysis/swap/replay.hpp"

#include <algorithm>

namespace master::analysis {
namespace {

/// Two rows for each step, one where it begins and one where it ends.
Series over_steps(const Series& values, InputSample sample, const build::Scale& to_new) {
    Series result;
    for (std::size_t step = 1; step < values.size(); ++step) {
        const std::size_t next = std::min(step + 1, values.size() - 1);
        const std::size_t first = sample == InputSample::at_end ? step - 1 : step;
        const std::size_t last = sample == InputSample::at_begin ? next : step;
        result.push_back(to_new(values[first]));
        result.push_back(to_new(values[last]));
    }
    return result;
}

}  // namespace

std::optional<Response> replay(UnitBench& unit, const Recorded& recorded, const std::vector<ReplayedInput>& inputs,
                               const std::vector<std::string>& set) {
    Series times = recorded.time;
    for (double& t : times) t -= recorded.time.front();
    Trial trial{.time = {}, .drives = {}, .set = set, .step = recorded.step};
    for (std::size_t step = 1; step < times.size(); ++step) {
        trial.time.push_back(times[step - 1]);
        trial.time.push_back(times[step]);
    }
    for (const ReplayedInput& input : inputs)
        trial.drives.push_back({input.after, over_steps(recorded.values.at(input.before),
                                                        recorded.samples.at(input.before), input.to_new)});
    auto response = unit.run(trial);
    if (!response) {
        trial.step.clear();
        response = unit.run(trial);
    }
    if (!response) return std::nullopt;
    return response->at(times);
}

}  // namespace master::analysis
