#include "master/report/pictures.hpp"

#include "interfaces/machine_file/machine_file.hpp"
#include "master/report/cloud_picture.hpp"
#include "master/report/machine_picture.hpp"
#include "master/report/wall_picture.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

namespace master::report {
namespace {

using models::kinematics::Link;
using models::kinematics::Machine;

std::optional<std::size_t> link_named(const Machine& machine, const std::string& name) {
    const auto found = std::ranges::find(machine.links, name, &Link::name);
    if (found == machine.links.end()) return std::nullopt;
    return static_cast<std::size_t>(found - machine.links.begin());
}

std::string moment(double t) { return fmt::format("t = {:.4g} s", t); }

ReportData::Pictures machine_pictures(const MachinePicture& wish, const taps::Observer& observer, std::size_t index) {
    ReportData::Pictures pictures{.title = wish.title, .views = {}};
    const auto moments = observer.pictures(index, wish.moments);
    if (moments.empty()) return pictures;
    const Machine machine = interfaces::machine_file::read(wish.file.string());
    const auto seen_from = link_named(machine, wish.link);
    std::vector<std::vector<double>> poses;
    for (const auto& picture : moments) poses.push_back(picture.values);
    if (!seen_from || poses.front().size() != 7 * machine.links.size()) return pictures;
    const auto views = side_views(machine, *seen_from, poses);
    for (std::size_t i = 0; i < views.size(); ++i) pictures.views.emplace_back(moment(moments[i].t), views[i]);
    return pictures;
}

ReportData::Pictures wall_pictures(const WallPicture& wish, const taps::Observer& observer, std::size_t index) {
    ReportData::Pictures pictures{.title = wish.title, .wide = true, .views = {}};
    const auto& handle = observer.pictured(index);
    const auto moments = observer.pictures(index, 2);
    if (!handle || handle->dimensions.size() != 2 || moments.empty()) return pictures;
    const double highest = *std::ranges::max_element(moments.front().values);
    for (const auto& picture : moments) {
        pictures.views.emplace_back(moment(picture.t), wall_view(wish, picture.values, handle->dimensions[1], highest));
    }
    return pictures;
}

/// Early, when there is most to see, and in the middle of the run.
ReportData::Pictures cloud_pictures(const CloudPicture& wish, const taps::Observer& observer, std::size_t index) {
    ReportData::Pictures pictures{.title = wish.title, .wide = true, .views = {}};
    constexpr std::size_t candidates = 9;
    const auto clouds = observer.pictures(index, candidates);
    const auto poses = observer.pictures(index + 1, candidates);
    if (clouds.size() < 2 || poses.size() != clouds.size()) return pictures;
    const Machine machine = interfaces::machine_file::read(wish.file.string());
    const auto sensor = link_named(machine, wish.sensor), frame = link_named(machine, wish.frame);
    if (!sensor || !frame || poses.front().values.size() != 7 * machine.links.size()) return pictures;
    const auto edges = observer.pictures(index + 2, candidates), valid = observer.pictures(index + 3, candidates);
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

}  // namespace

std::vector<ReportData::Pictures> pictures_of(const ReportFile& wishes, const taps::Observer& observer) {
    std::vector<ReportData::Pictures> all;
    std::size_t index = 0;
    for (const auto& wish : wishes.machines) all.push_back(machine_pictures(wish, observer, index++));
    for (const auto& wish : wishes.walls) all.push_back(wall_pictures(wish, observer, index++));
    for (const auto& wish : wishes.clouds) {
        all.push_back(cloud_pictures(wish, observer, index));
        index += 4;
    }
    return all;
}

}  // namespace master::report
