#include "master/report/machine_picture.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <numbers>

namespace master::report {
namespace {

using interfaces::machine_file::Box;
using interfaces::machine_file::Capsule;
using interfaces::machine_file::Machine;
using interfaces::machine_file::Origin;

/// The outline of one body, projected to x and z, and how far it is from the viewer.
struct Outline {
    std::vector<Eigen::Vector2d> points;
    double depth = 0;
    std::size_t link = 0;
};

std::vector<Eigen::Vector3d> corners(const std::variant<Box, Capsule>& shape) {
    std::vector<Eigen::Vector3d> points;
    if (const Box* box = std::get_if<Box>(&shape)) {
        for (const double x : {-0.5, 0.5}) {
            for (const double y : {-0.5, 0.5}) {
                for (const double z : {-0.5, 0.5})
                    points.emplace_back(x * box->size[0], y * box->size[1], z * box->size[2]);
            }
        }
        return points;
    }
    const Capsule& capsule = std::get<Capsule>(shape);
    constexpr int around = 12;
    for (int i = 0; i < around; ++i) {
        const double angle = 2 * std::numbers::pi * i / around;
        for (int j = 0; j <= around / 2; ++j) {
            const double rise = std::numbers::pi * j / around;
            const double width = capsule.radius * std::cos(rise);
            const double height = capsule.radius * std::sin(rise) + capsule.length / 2;
            points.emplace_back(width * std::cos(angle), width * std::sin(angle), height);
            points.emplace_back(width * std::cos(angle), width * std::sin(angle), -height);
        }
    }
    return points;
}

/// The convex hull, counter-clockwise (monotone chain).
std::vector<Eigen::Vector2d> hull(std::vector<Eigen::Vector2d> points) {
    std::ranges::sort(points,
                      [](const auto& a, const auto& b) { return a.x() < b.x() || (a.x() == b.x() && a.y() < b.y()); });
    std::vector<Eigen::Vector2d> chain;
    const auto add = [&chain](const Eigen::Vector2d& point, std::size_t keep) {
        const auto turns_right = [&] {
            const Eigen::Vector2d a = chain[chain.size() - 1] - chain[chain.size() - 2];
            const Eigen::Vector2d b = point - chain.back();
            return a.x() * b.y() - a.y() * b.x() <= 0;
        };
        while (chain.size() > keep && turns_right()) chain.pop_back();
        chain.push_back(point);
    };
    for (const auto& point : points) add(point, 1);
    const std::size_t lower = chain.size();
    for (auto point = points.rbegin() + 1; point != points.rend(); ++point) add(*point, lower);
    chain.pop_back();
    return chain;
}

Eigen::Isometry3d isometry_of(const Origin& origin) {
    const auto& [x, y, z] = origin.xyz;
    const auto& [roll, pitch, yaw] = origin.rpy;
    return Eigen::Translation3d(x, y, z) *
           (Eigen::AngleAxisd(yaw, Eigen::Vector3d::UnitZ()) * Eigen::AngleAxisd(pitch, Eigen::Vector3d::UnitY()) *
            Eigen::AngleAxisd(roll, Eigen::Vector3d::UnitX()));
}

std::vector<Outline> outlines(const Machine& machine, std::size_t seen_from, std::span<const double> moment) {
    const Eigen::Isometry3d view = pose_of(moment, seen_from).inverse();
    std::vector<Outline> found;
    for (std::size_t link = 0; link < machine.links.size(); ++link) {
        const Eigen::Isometry3d placed = view * pose_of(moment, link);
        for (const auto& body : machine.links[link].bodies) {
            const Eigen::Isometry3d pose = placed * isometry_of(body.origin);
            std::vector<Eigen::Vector2d> flat;
            for (const Eigen::Vector3d& corner : corners(body.shape)) {
                const Eigen::Vector3d point = pose * corner;
                flat.emplace_back(point.x(), point.z());
            }
            found.push_back({hull(std::move(flat)), pose.translation().y(), link});
        }
    }
    std::ranges::stable_sort(found, std::ranges::greater{}, &Outline::depth);
    return found;
}

struct Extent {
    double nearest = 0, farthest = 0;
};

/// The wall from its top down to its base, as far as it lies between two distances ahead; empty without one.
std::vector<Eigen::Vector2d> silhouette(const MachineMoment& moment, std::size_t seen_from, double base,
                                        const Extent& extent) {
    constexpr double flat_within = 2e-3;  // m: points of a straight top are left out
    const Eigen::Isometry3d view = pose_of(moment.poses, seen_from).inverse();
    std::vector<Eigen::Vector2d> outline;
    Eigen::Vector3d first = Eigen::Vector3d::Zero(), last = first;
    for (const Eigen::Vector3d& point : moment.wall_top) {
        const Eigen::Vector3d seen = view * point;
        if (seen.x() < extent.nearest || seen.x() > extent.farthest) continue;
        const auto level = [&](std::size_t back) {
            return std::abs(outline[outline.size() - back].y() - seen.z()) < flat_within;
        };
        if (outline.empty()) first = point;
        if (outline.size() > 1 && level(1) && level(2)) outline.pop_back();
        outline.emplace_back(seen.x(), seen.z());
        last = point;
    }
    if (outline.empty()) return outline;
    for (Eigen::Vector3d foot : {last, first}) {
        foot.z() = base;
        const Eigen::Vector3d seen = view * foot;
        outline.emplace_back(seen.x(), seen.z());
    }
    return outline;
}

}  // namespace

Eigen::Isometry3d pose_of(std::span<const double> poses, std::size_t link) {
    const double* v = poses.data() + 7 * link;
    Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
    pose.translation() = Eigen::Vector3d(v[0], v[1], v[2]);
    pose.linear() = Eigen::Quaterniond(v[6], v[3], v[4], v[5]).normalized().toRotationMatrix();
    return pose;
}

std::vector<std::string> side_views(const Machine& machine, std::size_t seen_from,
                                    std::span<const MachineMoment> moments, double wall_base) {
    constexpr double width = 360;
    constexpr double margin = 0.3;  // m
    constexpr double ahead = 0.8;   // m of the wall beyond the machine's reach
    std::vector<std::vector<Outline>> views;
    Eigen::AlignedBox2d bounds;
    for (const auto& moment : moments) {
        views.push_back(outlines(machine, seen_from, moment.poses));
        for (const Outline& outline : views.back()) {
            for (const auto& point : outline.points) bounds.extend(point);
        }
    }
    std::vector<std::string> pictures;
    if (bounds.isEmpty()) return pictures;
    const Extent extent{bounds.min().x(), bounds.max().x() + ahead};
    std::vector<std::vector<Eigen::Vector2d>> walls;
    for (const auto& moment : moments) {
        walls.push_back(silhouette(moment, seen_from, wall_base, extent));
        for (const auto& point : walls.back()) bounds.extend(point);
    }
    const Eigen::Vector2d low = bounds.min() - Eigen::Vector2d(margin, margin);
    const Eigen::Vector2d size = bounds.sizes() + Eigen::Vector2d(2 * margin, 2 * margin);
    const double scale = width / size.x();
    const double height = scale * size.y();
    const auto polygon = [&](const std::string& style, std::span<const Eigen::Vector2d> points) {
        std::string path = fmt::format("<path class=\"{}\" d=\"M", style);
        for (const auto& point : points) {
            path +=
                fmt::format("{:.1f} {:.1f} ", scale * (point.x() - low.x()), height - scale * (point.y() - low.y()));
        }
        return path + "Z\"/>";
    };
    for (std::size_t i = 0; i < views.size(); ++i) {
        std::string picture = fmt::format("<svg viewBox=\"0 0 {:.0f} {:.0f}\" role=\"img\">", width, height);
        const double ground = height + scale * low.y();
        picture += fmt::format("<path class=\"grid\" d=\"M0 {0:.1f}H{1:.0f}\"/>", ground, width);
        if (!walls[i].empty()) picture += polygon("wall", walls[i]);
        for (const Outline& outline : views[i]) {
            picture += polygon(fmt::format("body line{}", outline.link % 6), outline.points);
        }
        pictures.push_back(picture + "</svg>");
    }
    return pictures;
}

}  // namespace master::report
