#pragma once

#include <cstddef>
#include <string_view>

namespace fmus::can {

/// How many quantities the nine sensors of the excavator measure together.
inline constexpr std::size_t sensor_signals = 10;

/// The SI unit of what a sensor measures, by the last part of its name.
[[nodiscard]] inline const char* unit_of_signal(std::string_view name) {
    if (name.find("pressure") != std::string_view::npos) return "Pa";
    return name.ends_with("length") ? "m" : "rad";
}

}  // namespace fmus::can
