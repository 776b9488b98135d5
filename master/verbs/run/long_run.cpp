#include "master/verbs/run/long_run.hpp"

#include "master/base/error.hpp"
#include "master/results/formats.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace master::verbs {
namespace {

constexpr double most_points = 1e9;

std::filesystem::space_info space_for(const std::filesystem::path& folder, std::error_code& failure) {
    std::filesystem::path place = std::filesystem::absolute(folder);
    while (!std::filesystem::exists(place, failure) && place.has_relative_path()) place = place.parent_path();
    return std::filesystem::space(place, failure);
}

}  // namespace

void require_asked_for(const ExpectedResult& expected) {
    const build::Timing& timing = expected.simulation.timing;
    if (timing.periods.empty()) return;
    const double length = timing.timebase.seconds(timing.stop - timing.start);
    const double step = timing.timebase.seconds(*std::ranges::min_element(timing.periods));
    if (length / step > most_points)
        throw base::Error("size", "",
                          fmt::format("{:.3g} points from {} s to {} s at a step of {} s are more than 10^9; --long "
                                      "runs them all the same",
                                      length / step, timing.timebase.seconds(timing.start),
                                      timing.timebase.seconds(timing.stop), step));
    const auto interval = base::exact_fraction(expected.interval);
    const double spacing = interval && interval->numerator > 0 ? std::max(step, interval->value()) : step;
    const std::uint64_t bytes = results::expected_bytes(expected.format, expected.simulation.columns,
                                                        static_cast<std::uint64_t>(length / spacing));
    std::error_code failure;
    const std::filesystem::space_info space = space_for(expected.out, failure);
    if (failure || bytes <= space.available) return;
    throw base::Error("size", expected.out.string(),
                      fmt::format("about {:.3g} GB will be written, and the disk has {:.3g} GB free; --record and "
                                  "--record-interval select less, --long runs it all the same",
                                  static_cast<double>(bytes) / 1e9, static_cast<double>(space.available) / 1e9));
}

}  // namespace master::verbs
