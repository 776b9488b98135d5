#include "master/report/wall_picture.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace master::report {
namespace {

constexpr double wall_width = 1000;
constexpr double slant = 0.6, rise = 0.45;  // of the direction across the wall
constexpr double wider = 3;                 // thickness is drawn larger than it is
constexpr std::size_t most_columns = 240;

}  // namespace

std::string wall_view(const WallSize& wall, std::span<const double> heights, std::size_t across, double highest) {
    const std::size_t along = across > 0 ? heights.size() / across : 0;
    if (along < 2) return {};
    const double depth = wider * wall.thickness;
    const double scale = wall_width / (wall.length + slant * depth);
    const double tall = scale * (highest - wall.base + rise * depth);
    const auto x = [&](std::size_t i, double inward) {
        return scale * (wall.length * static_cast<double>(i) / static_cast<double>(along - 1) + slant * inward);
    };
    const auto y = [&](double height, double inward) { return tall - scale * (height - wall.base + rise * inward); };
    std::string picture = fmt::format("<svg viewBox=\"0 0 {:.0f} {:.0f}\" role=\"img\">", wall_width, tall + 2);
    const std::size_t stride = std::max<std::size_t>(1, along / most_columns);
    // The far edge, then the top from far to near, then the face.
    for (std::size_t j = across - 1; j-- > 0;) {
        const double near = depth * static_cast<double>(j) / static_cast<double>(across - 1);
        const double far = depth * static_cast<double>(j + 1) / static_cast<double>(across - 1);
        std::string there, back;
        for (std::size_t i = 0; i < along; i += stride) {
            there += fmt::format("{:.1f} {:.1f} ", x(i, near), y(heights[i * across + j], near));
            back.insert(0, fmt::format("{:.1f} {:.1f} ", x(i, far), y(heights[i * across + j + 1], far)));
        }
        picture += fmt::format("<path class=\"top\" d=\"M{}L{}Z\"/>", there, back);
    }
    std::string face = fmt::format("<path class=\"face\" d=\"M0 {:.1f} L", tall);
    for (std::size_t i = 0; i < along; i += stride) {
        face += fmt::format("{:.1f} {:.1f} ", x(i, 0), y(heights[i * across], 0));
    }
    const std::size_t last = (along - 1) / stride * stride;
    return picture + face + fmt::format("L{:.1f} {:.1f}Z\"/></svg>", x(last, 0), tall);
}

}  // namespace master::report
