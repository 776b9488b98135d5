// Watches signals with a range and a rate each, over a number of steps.
// usage: benchmark_contract SIGNALS STEPS
#include "master/contracts/monitor.hpp"

#include <cstdio>
#include <cstdlib>

int main(int count, char** arguments) {
    using namespace master;
    if (count != 3) return 2;
    const auto signals = static_cast<std::uint32_t>(std::atoi(arguments[1]));
    const int steps = std::atoi(arguments[2]);
    // Two points of a run in turn: every signal changes in every step.
    std::array<core::Signals, 2> points;
    std::vector<contracts::Watched> watched;
    for (std::uint32_t i = 0; i < signals; ++i) {
        contracts::Watched one;
        one.subject = "unit.y";
        one.contract = {.minimum = -2, .maximum = 2, .rate = 1e4};
        one.period = {1};
        one.request.found = {build::LocatedSignal{.first = {.type = core::Type::real, .input = false, .index = i}}};
        watched.push_back(one);
        points[0].outputs.reals.push_back(0.5 + 1e-4 * i);
        points[1].outputs.reals.push_back(-0.5 - 1e-4 * i);
    }
    contracts::Monitor monitor(watched, {.timebase = {1000}, .start = {0}, .units = {{1}}});
    for (int i = 0; i < steps; ++i) monitor.after_step({i}, points[static_cast<std::size_t>(i % 2)]);
    const auto verdict = monitor.verdicts().front();
    std::printf("%u signals, %s\n", signals, contracts::name_of(verdict.outcome));
    return verdict.outcome == contracts::Verdict::Outcome::passed ? 0 : 1;
}
