#include "master/report/pictures.hpp"

#include "interfaces/machine_file/machine_file.hpp"
#include "master/report/cloud_picture.hpp"
#include "master/report/machine_picture.hpp"
#include "master/report/wall_picture.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
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

/// The top of a ring wall along the middle of its thickness.
std::vector<Eigen::Vector3d> top_of(const RingWall& wall, std::span<const double> heights) {
    const build::LocatedSignal* signal = wall.heights.signal();
    if (signal == nullptr || signal->dimensions.size() != 2 || signal->dimensions[0] < 2) return {};
    const std::size_t along = signal->dimensions[0], across = signal->dimensions[1];
    std::vector<Eigen::Vector3d> top;
    for (std::size_t i = 0; i < along; ++i) {
        const double azimuth = wall.start + wall.span * static_cast<double>(i) / static_cast<double>(along - 1);
        top.emplace_back(wall.radius * std::cos(azimuth), wall.radius * std::sin(azimuth),
                         wall.base + heights[i * across + across / 2]);
    }
    return top;
}

ReportData::Pictures machine_pictures(const MachinePicture& wish, const Observer& observer) {
    ReportData::Pictures pictures{.title = wish.title, .views = {}};
    const auto moments = observer.pictures(wish.poses, wish.moments);
    if (moments.empty()) return pictures;
    const Machine machine = interfaces::machine_file::read(wish.file.string());
    const auto seen_from = link_named(machine, wish.link);
    if (!seen_from || moments.front().values.size() != 7 * machine.links.size()) return pictures;
    const auto walls = observer.pictures(wish.wall.heights, wish.moments);
    std::vector<MachineMoment> shown;
    for (std::size_t i = 0; i < moments.size(); ++i) {
        shown.push_back({.poses = moments[i].values, .wall_top = {}});
        if (i < walls.size()) shown.back().wall_top = top_of(wish.wall, walls[i].values);
    }
    const auto views = side_views(machine, *seen_from, shown, wish.wall.base);
    for (std::size_t i = 0; i < views.size(); ++i) pictures.views.emplace_back(moment(moments[i].t), views[i]);
    return pictures;
}

ReportData::Pictures wall_pictures(const WallPicture& wish, const Observer& observer) {
    ReportData::Pictures pictures{.title = wish.title, .wide = true, .views = {}};
    const build::LocatedSignal* heights = wish.heights.signal();
    const auto moments = observer.pictures(wish.heights, 2);
    if (heights == nullptr || heights->dimensions.size() != 2 || moments.empty()) return pictures;
    const double highest = *std::ranges::max_element(moments.front().values);
    for (const auto& picture : moments) {
        pictures.views.emplace_back(moment(picture.t),
                                    wall_view(wish, picture.values, heights->dimensions[1], highest));
    }
    return pictures;
}

/// Early, when there is most to see, and in the middle of the run.
ReportData::Pictures cloud_pictures(const CloudPicture& wish, const Observer& observer) {
    ReportData::Pictures pictures{.title = wish.title, .wide = true, .views = {}};
    constexpr std::size_t candidates = 9;
    const auto clouds = observer.pictures(wish.points, candidates);
    const auto poses = observer.pictures(wish.poses, candidates);
    if (clouds.size() < 2 || poses.size() != clouds.size()) return pictures;
    const Machine machine = interfaces::machine_file::read(wish.file.string());
    const auto sensor = link_named(machine, wish.sensor), frame = link_named(machine, wish.frame);
    if (!sensor || !frame || poses.front().values.size() != 7 * machine.links.size()) return pictures;
    const auto edges = observer.pictures(wish.edge, candidates), valid = observer.pictures(wish.valid, candidates);
    const bool has_edge = edges.size() == clouds.size() && valid.size() == clouds.size();
    for (const std::size_t i : {std::size_t{1}, clouds.size() / 2}) {
        CloudMoment shown{.points = clouds[i].bytes,
                          .sensor = pose_of(poses[i].values, *sensor),
                          .frame = pose_of(poses[i].values, *frame)};
        if (has_edge) shown.edge = edges[i].values, shown.valid = valid[i].values;
        pictures.views.emplace_back(moment(clouds[i].t), cloud_view(wish, shown));
    }
    return pictures;
}

/// How far one edge was from the true wall where it was valid and the truth is known: m, rising.
struct EdgeErrors {
    double t = 0;
    std::vector<double> errors;

    [[nodiscard]] double quantile(double share) const {
        return errors[std::min(errors.size() - 1,
                               static_cast<std::size_t>(share * static_cast<double>(errors.size())))];
    }
};

void add_errors(const CloudPicture& wish, double here, std::span<const double> edge, std::span<const double> valid,
                const Observer::Picture& truth, std::size_t across, std::vector<double>& errors) {
    const std::size_t along = truth.values.size() / across;
    for (std::size_t i = 0; i < edge.size() && i < valid.size(); ++i) {
        if (valid[i] == 0) continue;
        const double share = (static_cast<double>(i) + 0.5) / static_cast<double>(edge.size());
        const double azimuth = here + wish.edge_start + wish.edge_span * share;
        const double place = (azimuth - wish.truth_start) / wish.truth_span * static_cast<double>(along - 1);
        if (!(place >= 0 && place <= static_cast<double>(along - 1))) continue;
        const auto column = static_cast<std::size_t>(std::lround(place));
        errors.push_back(std::fabs(edge[i] - truth.values[column * across] - wish.truth_base));
    }
}

/// At all moments that have any.
std::vector<EdgeErrors> edge_errors_of(const CloudPicture& wish, const Observer& observer) {
    const build::LocatedSignal* truth = wish.truth.signal();
    if (truth == nullptr || truth->dimensions.size() != 2 || !(wish.truth_span > 0)) return {};
    constexpr std::size_t all = 1000;
    const auto poses = observer.pictures(wish.poses, all), edges = observer.pictures(wish.edge, all);
    const auto valid = observer.pictures(wish.valid, all), truths = observer.pictures(wish.truth, all);
    if (poses.empty() || edges.size() != poses.size() || valid.size() != poses.size()) return {};
    const auto frame = link_named(interfaces::machine_file::read(wish.file.string()), wish.frame);
    if (!frame) return {};
    std::vector<EdgeErrors> moments;
    for (std::size_t i = 0; i < poses.size(); ++i) {
        EdgeErrors now{.t = poses[i].t, .errors = {}};
        const Eigen::Vector3d machine = pose_of(poses[i].values, *frame).translation();
        add_errors(wish, std::atan2(machine.y(), machine.x()), edges[i].values, valid[i].values, truths[i],
                   truth->dimensions[1], now.errors);
        std::ranges::sort(now.errors);
        if (!now.errors.empty()) moments.push_back(std::move(now));
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
        for (const EdgeErrors& now : moments)
            whole.errors.insert(whole.errors.end(), now.errors.begin(), now.errors.end());
        std::ranges::sort(whole.errors);
        facts.emplace_back("edge error", fmt::format("median {:.0f} mm, 95 % within {:.0f} mm",
                                                     1e3 * whole.quantile(0.5), 1e3 * whole.quantile(0.95)));
    });
    return facts;
}

std::vector<PlotGroup> edge_error_plots_of(const ReportFile& wishes, const Observer& observer) {
    std::vector<PlotGroup> groups;
    for_each_edge(wishes, observer, [&](const std::vector<EdgeErrors>& moments) {
        Series median{.label = "median", .time = {}, .values = {}},
            most{.label = "95 % within", .time = {}, .values = {}};
        for (const EdgeErrors& now : moments) {
            median.time.push_back(now.t);
            median.values.push_back(1e3 * now.quantile(0.5));
            most.values.push_back(1e3 * now.quantile(0.95));
        }
        most.time = median.time;
        groups.push_back({.title = "Error of the edge", .plots = {{.unit = "mm", .series = {median, most}}}});
    });
    return groups;
}

std::vector<ReportData::Pictures> pictures_of(const ReportFile& wishes, const Observer& observer) {
    std::vector<ReportData::Pictures> all;
    for (const auto& wish : wishes.machines) all.push_back(machine_pictures(wish, observer));
    for (const auto& wish : wishes.walls) all.push_back(wall_pictures(wish, observer));
    for (const auto& wish : wishes.clouds) all.push_back(cloud_pictures(wish, observer));
    return all;
}

}  // namespace master::report
