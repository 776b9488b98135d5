#include "master/report/pacing.hpp"

#include <fmt/format.h>

namespace master::report {
namespace {

std::string short_time(double seconds) {
    if (seconds < 1e-3) return fmt::format("{:.0f} us", 1e6 * seconds);
    if (seconds < 1) return fmt::format("{:.3g} ms", 1e3 * seconds);
    return fmt::format("{:.3g} s", seconds);
}

std::string histogram(const Pacing& pacing) {
    std::string text;
    for (std::size_t i = 0; i < pacing.late.size(); ++i) {
        if (pacing.late[i] == 0) continue;
        text += text.empty() ? "" : ", ";
        text += i < Pacing::bounds.size()
                    ? fmt::format("{} by less than {}", pacing.late[i], short_time(Pacing::bounds[i]))
                    : fmt::format("{} by more", pacing.late[i]);
    }
    return text;
}

}  // namespace

std::string misses(const Pacing& pacing) {
    if (pacing.missed == 0) return {};
    std::string text = fmt::format("{} of {} deadlines missed, the worst by {}", pacing.missed, pacing.deadlines,
                                   short_time(pacing.worst));
    if (pacing.slipped > 0) text += fmt::format(", {} behind the clock", short_time(pacing.slipped));
    return text;
}

TextLines lines(const Pacing& pacing) {
    TextLines all;
    const std::string speed = pacing.factor == 1 ? std::string{} : fmt::format(" x {:g}", pacing.factor);
    all.emplace_back("real time" + speed,
                     pacing.missed == 0 ? fmt::format("{} deadlines, none missed", pacing.deadlines) : misses(pacing));
    if (pacing.missed != 0) all.emplace_back("late", histogram(pacing));
    all.emplace_back("scheduling", pacing.scheduling);
    return all;
}

}  // namespace master::report
