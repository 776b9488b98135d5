#pragma once

#include <array>
#include <optional>

namespace models::edge {

/// The cone a sensor sees.
struct View {
    std::array<double, 3> position{};
    std::array<double, 3> axis{1, 0, 0};  // unit vector
    double half_angle = 0;                // rad
};

/// The highest point that is seen on the cylinder of this radius about z, at an azimuth; infinite where the cone opens
/// upwards without an end, nothing where the azimuth is out of view.
[[nodiscard]] std::optional<double> highest_visible(const View& view, double radius, double azimuth);

}  // namespace models::edge
