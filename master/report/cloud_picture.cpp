#include "master/report/cloud_picture.hpp"

#include "interfaces/point_cloud/point_cloud.hpp"

#include <cmath>
#include <fmt/format.h>
#include <numbers>
#include <vector>

namespace master::report {
namespace {

constexpr double cloud_width = 1000;
constexpr std::size_t most_points = 6000;
constexpr double near_face = 1;  // m

struct Spot {
    double ahead = 0, height = 0;
    bool wall = false;
};

std::vector<Spot> spots_of(const CloudMoment& moment) {
    std::vector<Spot> spots;
    const auto cloud = interfaces::point_cloud::View::parse(moment.points);
    if (!cloud) return spots;
    const Eigen::Vector3d machine = moment.frame.translation();
    const double here = std::atan2(machine.y(), machine.x());
    const std::size_t stride = cloud->size() / most_points + 1;
    for (std::size_t i = 0; i < cloud->size(); i += stride) {
        const auto point = (*cloud)[i];
        if (point.x == 0 && point.y == 0 && point.z == 0) continue;
        const Eigen::Vector3d place = moment.sensor * Eigen::Vector3d(point.x, point.y, point.z);
        if (std::fabs(std::hypot(place.x(), place.y()) - moment.radius) > near_face) continue;
        const double azimuth = std::remainder(std::atan2(place.y(), place.x()) - here, 2 * std::numbers::pi);
        spots.push_back({azimuth * moment.radius, place.z() - machine.z(), point.object == 1});
    }
    return spots;
}

}  // namespace

std::string cloud_view(const CloudMoment& moment) {
    const std::vector<Spot> spots = spots_of(moment);
    if (spots.empty()) return {};
    Eigen::AlignedBox2d bounds;
    for (const Spot& spot : spots) bounds.extend(Eigen::Vector2d(spot.ahead, spot.height));
    const double scale = cloud_width / std::max(1.0, bounds.sizes().x());
    const double height = scale * std::max(0.5, bounds.sizes().y());
    const auto x = [&](double ahead) { return scale * (ahead - bounds.min().x()); };
    const auto y = [&](double up) { return height - scale * (up - bounds.min().y()); };
    std::string svg = fmt::format("<svg viewBox=\"0 0 {:.0f} {:.0f}\" role=\"img\">", cloud_width, height);
    std::string wall, other;
    for (const Spot& spot : spots) {
        (spot.wall ? wall : other) += fmt::format("M{:.1f} {:.1f}h0", x(spot.ahead), y(spot.height));
    }
    svg += "<path class=\"dots line5\" d=\"" + wall + "\"/><path class=\"dots line4\" d=\"" + other + "\"/>";
    std::string line;
    bool drawing = false;
    for (std::size_t i = 0; i < moment.edge.size() && i < moment.valid.size(); ++i) {
        const double share = (static_cast<double>(i) + 0.5) / static_cast<double>(moment.edge.size());
        const double ahead = moment.radius * (moment.edge_start + moment.edge_span * share);
        if (moment.valid[i] != 0)
            line += fmt::format("{}{:.1f} {:.1f}", drawing ? "L" : "M", x(ahead), y(moment.edge[i]));
        drawing = moment.valid[i] != 0;
    }
    if (!line.empty()) svg += "<path class=\"line line1\" d=\"" + line + "\"/>";
    return svg + "</svg>";
}

}  // namespace master::report
