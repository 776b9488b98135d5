#include "master/report/pictures.hpp"

#include "master/base/json.hpp"
#include "master/report/cloud_picture.hpp"
#include "master/report/interactive.hpp"
#include "master/report/machine_picture.hpp"
#include "master/report/wall_picture.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <numbers>
#include <optional>

namespace master::report {
namespace {

using interfaces::machine_file::Link;
using interfaces::machine_file::Machine;

std::optional<std::size_t> link_named(const Machine& machine, const std::string& name) {
    const auto found = std::ranges::find(machine.links, name, &Link::name);
    if (found == machine.links.end()) return std::nullopt;
    return static_cast<std::size_t>(found - machine.links.begin());
}

std::string moment(double t) { return fmt::format("t = {:.4g} s", t); }

/// Where a wall stands.
struct Arc {
    double radius = 1, start = 0, span = 0, base = 0;
};

/// The top of a ring wall along the middle of its thickness.
std::vector<Eigen::Vector3d> top_of(const Arc& arc, const build::LocatedSignal* signal,
                                    std::span<const double> heights) {
    if (signal == nullptr || signal->dimensions.size() != 2 || signal->dimensions[0] < 2) return {};
    const std::size_t along = signal->dimensions[0], across = signal->dimensions[1];
    std::vector<Eigen::Vector3d> top;
    for (std::size_t i = 0; i < along; ++i) {
        const double azimuth = arc.start + arc.span * static_cast<double>(i) / static_cast<double>(along - 1);
        top.emplace_back(arc.radius * std::cos(azimuth), arc.radius * std::sin(azimuth),
                         arc.base + heights[i * across + across / 2]);
    }
    return top;
}

ReportData::Pictures machine_pictures(const MachinePicture& wish, const Observer& observer) {
    ReportData::Pictures pictures{.title = wish.title, .views = {}};
    const auto moments = observer.pictures(wish.poses, wish.moments);
    if (moments.empty() || !wish.machine.machine) return pictures;
    const Machine& machine = *wish.machine.machine;
    const auto seen_from = link_named(machine, wish.link);
    if (!seen_from || moments.front().values.size() != 7 * machine.links.size()) return pictures;
    const RingWall& wall = wish.wall;
    const Arc arc{.radius = observer.number(wall.radius),
                  .start = observer.number(wall.start),
                  .span = observer.number(wall.span),
                  .base = observer.number(wall.base)};
    const bool stands = std::isfinite(arc.radius + arc.start + arc.span + arc.base);
    const auto walls = observer.pictures(wall.heights, stands ? wish.moments : 0);
    std::vector<MachineMoment> shown;
    for (std::size_t i = 0; i < moments.size(); ++i) {
        shown.push_back({.poses = moments[i].values, .wall_top = {}});
        if (i < walls.size()) shown.back().wall_top = top_of(arc, wall.heights.signal(), walls[i].values);
    }
    const auto views = side_views(machine, *seen_from, shown, stands ? arc.base : 0);
    for (std::size_t i = 0; i < views.size(); ++i) pictures.views.emplace_back(moment(moments[i].t), views[i]);
    return pictures;
}

std::string encoded_moments(std::span<const Observer::Picture> moments) {
    std::vector<float> values;
    for (const Observer::Picture& moment : moments)
        for (const double value : moment.values) values.push_back(static_cast<float>(value));
    return encoded(values);
}

/// Machine and wall for a reader who turns them. As many moments as fit into a size that a report can carry.
std::optional<ReportData::Scene> scene_of(const MachinePicture& wish, const Observer& observer) {
    constexpr std::size_t most_moments = 24, most_values = 120'000;
    const build::LocatedSignal* poses = wish.poses.signal();
    if (poses == nullptr || !wish.machine.machine || wish.machine.urdf.empty()) return std::nullopt;
    const build::LocatedSignal* heights = wish.wall.heights.signal();
    const std::size_t each = poses->size() + (heights != nullptr ? heights->size() : 0);
    const std::size_t count = std::clamp<std::size_t>(most_values / std::max<std::size_t>(each, 1), 2, most_moments);
    const auto moments = observer.pictures(wish.poses, count);
    if (moments.empty() || moments.front().values.size() != 7 * wish.machine.machine->links.size()) return std::nullopt;
    base::Json scene{{"urdf", wish.machine.urdf},
                     {"times", base::Json::array()},
                     {"poses", encoded_moments(moments)},
                     {"wall", nullptr}};
    for (const Observer::Picture& moment : moments) scene["times"].push_back(moment.t);
    const RingWall& wall = wish.wall;
    base::Json ring;
    double sum = 0;
    const std::pair<const char*, const Quantity*> quantities[] = {{"radius", &wall.radius},
                                                                  {"start", &wall.start},
                                                                  {"span", &wall.span},
                                                                  {"base", &wall.base},
                                                                  {"thickness", &wall.thickness}};
    for (const auto& [name, quantity] : quantities) {
        ring[name] = observer.number(*quantity);
        sum += observer.number(*quantity);
    }
    const auto walls = observer.pictures(wall.heights, count);
    if (std::isfinite(sum) && heights != nullptr && heights->dimensions.size() == 2 && walls.size() == moments.size()) {
        ring["columns"] = heights->dimensions[0];
        ring["rows"] = heights->dimensions[1];
        ring["height"] = *std::ranges::max_element(walls.front().values);
        ring["heights"] = encoded_moments(walls);
        scene["wall"] = std::move(ring);
    }
    return ReportData::Scene{.title = "Machine and wall, to be turned", .data = base::json_text(std::move(scene))};
}

ReportData::Pictures wall_pictures(const WallPicture& wish, const Observer& observer) {
    ReportData::Pictures pictures{.title = wish.title, .wide = true, .views = {}};
    const build::LocatedSignal* heights = wish.heights.signal();
    const auto moments = observer.pictures(wish.heights, 2);
    const WallSize size{.length = observer.number(wish.length),
                        .thickness = observer.number(wish.thickness),
                        .base = observer.number(wish.base)};
    const bool has_size = size.length > 0 && size.thickness > 0 && std::isfinite(size.base);
    if (heights == nullptr || heights->dimensions.size() != 2 || moments.empty() || !has_size) return pictures;
    const double highest = *std::ranges::max_element(moments.front().values);
    for (const auto& picture : moments) {
        pictures.views.emplace_back(moment(picture.t),
                                    wall_view(size, picture.values, heights->dimensions[1], highest));
    }
    return pictures;
}

/// Early, when there is most to see, and in the middle of the run.
ReportData::Pictures cloud_pictures(const CloudPicture& wish, const Observer& observer) {
    ReportData::Pictures pictures{.title = wish.title, .wide = true, .views = {}};
    constexpr std::size_t candidates = 9;
    const auto clouds = observer.pictures(wish.points, candidates);
    const auto poses = observer.pictures(wish.poses, candidates);
    const double radius = observer.number(wish.radius);
    if (clouds.size() < 2 || poses.size() != clouds.size() || !wish.machine.machine || !(radius > 0)) return pictures;
    const Machine& machine = *wish.machine.machine;
    const auto sensor = link_named(machine, wish.sensor), frame = link_named(machine, wish.frame);
    if (!sensor || !frame || poses.front().values.size() != 7 * machine.links.size()) return pictures;
    const auto edges = observer.pictures(wish.edge, candidates), valid = observer.pictures(wish.valid, candidates);
    const double edge_start = observer.number(wish.edge_start), edge_span = observer.number(wish.edge_span);
    const bool has_edge =
        edges.size() == clouds.size() && valid.size() == clouds.size() && std::isfinite(edge_start + edge_span);
    for (const std::size_t i : {std::size_t{1}, clouds.size() / 2}) {
        CloudMoment shown{.points = clouds[i].bytes,
                          .sensor = pose_of(poses[i].values, *sensor),
                          .frame = pose_of(poses[i].values, *frame),
                          .radius = radius,
                          .edge_start = edge_start,
                          .edge_span = edge_span};
        if (has_edge) shown.edge = edges[i].values, shown.valid = valid[i].values;
        pictures.views.emplace_back(moment(clouds[i].t), cloud_view(shown));
    }
    return pictures;
}

/// Edges beside the true wall: where the truth is known, how many azimuths were looked at, and how far off the valid
/// ones were.
struct EdgeErrors {
    double t = 0;
    std::size_t azimuths = 0;
    std::vector<double> errors = {};  // m, rising

    [[nodiscard]] double quantile(double share) const {
        return errors[std::min(errors.size() - 1,
                               static_cast<std::size_t>(share * static_cast<double>(errors.size())))];
    }
    [[nodiscard]] double valid_share() const {
        return static_cast<double>(errors.size()) / static_cast<double>(azimuths);
    }
};

/// The azimuths of an edge, from ahead of the machine on, and of the wall that is the truth.
struct EdgeGeometry {
    double edge_start = 0, edge_span = 0;
    Arc truth;
    std::size_t across = 1;
};

void add_errors(const EdgeGeometry& geometry, double here, std::span<const double> edge, std::span<const double> valid,
                const Observer::Picture& truth, EdgeErrors& found) {
    const Arc& arc = geometry.truth;
    const std::size_t along = truth.values.size() / geometry.across;
    for (std::size_t i = 0; i < edge.size() && i < valid.size(); ++i) {
        const double share = (static_cast<double>(i) + 0.5) / static_cast<double>(edge.size());
        const double azimuth = here + geometry.edge_start + geometry.edge_span * share;
        // Azimuths go round: the way from the middle of the wall, the shorter way.
        const double from_middle = std::remainder(azimuth - arc.start - arc.span / 2, 2 * std::numbers::pi);
        const double place = (from_middle / arc.span + 0.5) * static_cast<double>(along - 1);
        if (!(place >= 0 && place <= static_cast<double>(along - 1))) continue;
        ++found.azimuths;
        if (valid[i] == 0) continue;
        const auto column = static_cast<std::size_t>(std::lround(place));
        found.errors.push_back(std::fabs(edge[i] - truth.values[column * geometry.across] - arc.base));
    }
}

/// At all moments at which the edge and the true wall meet.
std::vector<EdgeErrors> edge_errors_of(const CloudPicture& wish, const Observer& observer) {
    const build::LocatedSignal* truth = wish.truth.signal();
    if (truth == nullptr || truth->dimensions.size() != 2 || !wish.machine.machine) return {};
    const EdgeGeometry geometry{.edge_start = observer.number(wish.edge_start),
                                .edge_span = observer.number(wish.edge_span),
                                .truth = {.start = observer.number(wish.truth_start),
                                          .span = observer.number(wish.truth_span),
                                          .base = observer.number(wish.truth_base)},
                                .across = truth->dimensions[1]};
    if (!(geometry.truth.span > 0)) return {};
    constexpr std::size_t all = 1000;
    const auto poses = observer.pictures(wish.poses, all), edges = observer.pictures(wish.edge, all);
    const auto valid = observer.pictures(wish.valid, all), truths = observer.pictures(wish.truth, all);
    if (poses.empty() || edges.size() != poses.size() || valid.size() != poses.size()) return {};
    const auto frame = link_named(*wish.machine.machine, wish.frame);
    if (!frame) return {};
    std::vector<EdgeErrors> moments;
    for (std::size_t i = 0; i < poses.size(); ++i) {
        EdgeErrors now{.t = poses[i].t};
        const Eigen::Vector3d machine = pose_of(poses[i].values, *frame).translation();
        add_errors(geometry, std::atan2(machine.y(), machine.x()), edges[i].values, valid[i].values, truths[i], now);
        std::ranges::sort(now.errors);
        if (now.azimuths > 0) moments.push_back(std::move(now));
    }
    return moments;
}

template <class Use>
void for_each_edge(const ReportFile& wishes, const Observer& observer, Use use) {
    for (const CloudPicture& wish : wishes.clouds) {
        const auto moments = edge_errors_of(wish, observer);
        if (!moments.empty()) use(moments);
    }
}

}  // namespace

Facts edge_error_facts_of(const ReportFile& wishes, const Observer& observer) {
    Facts facts;
    for_each_edge(wishes, observer, [&](const std::vector<EdgeErrors>& moments) {
        EdgeErrors whole;
        for (const EdgeErrors& now : moments) {
            whole.azimuths += now.azimuths;
            whole.errors.insert(whole.errors.end(), now.errors.begin(), now.errors.end());
        }
        std::ranges::sort(whole.errors);
        std::string text = fmt::format("valid at {:.0f} % of the azimuths", 100 * whole.valid_share());
        if (!whole.errors.empty())
            text = fmt::format("median {:.0f} mm, 95 % within {:.0f} mm, worst decile {:.0f} to {:.0f} mm, ",
                               1e3 * whole.quantile(0.5), 1e3 * whole.quantile(0.95), 1e3 * whole.quantile(0.9),
                               1e3 * whole.errors.back()) +
                   text;
        facts.emplace_back("edge error", text);
    });
    return facts;
}

std::vector<PlotGroup> edge_error_plots_of(const ReportFile& wishes, const Observer& observer) {
    std::vector<PlotGroup> groups;
    for_each_edge(wishes, observer, [&](const std::vector<EdgeErrors>& moments) {
        Series median{.label = "median", .time = {}, .values = {}},
            most{.label = "95 % within", .time = {}, .values = {}},
            valid{.label = "valid azimuths", .time = {}, .values = {}};
        for (const EdgeErrors& now : moments) {
            valid.time.push_back(now.t);
            valid.values.push_back(100 * now.valid_share());
            if (now.errors.empty()) continue;
            median.time.push_back(now.t);
            median.values.push_back(1e3 * now.quantile(0.5));
            most.values.push_back(1e3 * now.quantile(0.95));
        }
        most.time = median.time;
        std::vector<Plot> plots{{.unit = "%", .series = {valid}}};
        if (!median.time.empty()) plots.insert(plots.begin(), {.unit = "mm", .series = {median, most}});
        groups.push_back({.title = "Error of the edge", .plots = std::move(plots)});
    });
    return groups;
}

std::vector<ReportData::Scene> scenes_of(const ReportFile& wishes, const Observer& observer) {
    std::vector<ReportData::Scene> all;
    for (const MachinePicture& wish : wishes.machines)
        if (auto scene = scene_of(wish, observer)) all.push_back(std::move(*scene));
    return all;
}

std::vector<ReportData::Pictures> pictures_of(const ReportFile& wishes, const Observer& observer) {
    std::vector<ReportData::Pictures> all;
    all.reserve(wishes.machines.size());
    for (const auto& wish : wishes.machines) all.push_back(machine_pictures(wish, observer));
    for (const auto& wish : wishes.walls) all.push_back(wall_pictures(wish, observer));
    for (const auto& wish : wishes.clouds) all.push_back(cloud_pictures(wish, observer));
    return all;
}

}  // namespace master::report
