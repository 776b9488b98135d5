#include "models/lidar/scene.hpp"

#include "models/kinematics/machine.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>
#include <stdexcept>
#include <string>

namespace models::lidar {

namespace {

// A bite of half a metre then touches two or three tiles at 20 mm, and 12 m of wall are about 40 tiles.
constexpr std::size_t cells_per_tile = 16;
constexpr int capsule_sides = 12;
constexpr double farthest_coordinate = 1e6;

using Vertices = std::vector<std::array<double, 3>>;
using Corners = std::vector<std::array<std::uint32_t, 4>>;

void add_box(const Shape& shape, Vertices& vertices, Corners& corners) {
    const auto first = static_cast<std::uint32_t>(vertices.size());
    const Eigen::Isometry3d pose = pose_of(shape.pose);
    for (int i = 0; i < 8; ++i) {
        const Eigen::Vector3d signs((i & 1) ? 0.5 : -0.5, (i & 2) ? 0.5 : -0.5, (i & 4) ? 0.5 : -0.5);
        const Eigen::Vector3d corner =
            pose * signs.cwiseProduct(Eigen::Vector3d(shape.size[0], shape.size[1], shape.size[2]));
        vertices.push_back({corner.x(), corner.y(), corner.z()});
    }
    static constexpr std::array<std::array<std::uint32_t, 4>, 6> faces{
        {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}}};
    for (const auto& face : faces)
        corners.push_back({first + face[0], first + face[1], first + face[2], first + face[3]});
}

void add_capsule(const Shape& shape, Vertices& vertices, Corners& corners) {
    const double radius = shape.size[0], half = shape.size[1] / 2;
    const Eigen::Isometry3d pose = pose_of(shape.pose);
    const auto first = static_cast<std::uint32_t>(vertices.size());
    const auto add = [&](double across, double along, int side) {
        const double angle = 2 * std::numbers::pi * side / capsule_sides;
        const Eigen::Vector3d point = pose * Eigen::Vector3d(across * std::cos(angle), across * std::sin(angle), along);
        vertices.push_back({point.x(), point.y(), point.z()});
    };
    constexpr std::array<int, 6> latitudes{-60, -30, 0, 0, 30, 60};
    for (std::size_t ring = 0; ring < latitudes.size(); ++ring) {
        const double latitude = latitudes[ring] * std::numbers::pi / 180;
        const double centre = ring < 3 ? -half : half;
        for (int side = 0; side < capsule_sides; ++side)
            add(radius * std::cos(latitude), centre + radius * std::sin(latitude), side);
    }
    const auto lower_pole = static_cast<std::uint32_t>(vertices.size());
    add(0, -half - radius, 0);
    add(0, half + radius, 0);
    const auto vertex = [&](std::size_t ring, int side) {
        return first +
               static_cast<std::uint32_t>(ring * capsule_sides + static_cast<std::size_t>(side % capsule_sides));
    };
    for (int side = 0; side < capsule_sides; ++side) {
        for (std::size_t ring = 0; ring + 1 < latitudes.size(); ++ring)
            corners.push_back(
                {vertex(ring, side), vertex(ring, side + 1), vertex(ring + 1, side + 1), vertex(ring + 1, side)});
        corners.push_back({vertex(0, side + 1), vertex(0, side), lower_pole, lower_pole});
        corners.push_back({vertex(5, side), vertex(5, side + 1), lower_pole + 1, lower_pole + 1});
    }
}

/// Embree's builders do not take a geometry that is one point.
bool has_extent(const Shape& shape) {
    for (const double value : shape.size)
        if (!(value >= 0) || value > farthest_coordinate)
            throw std::runtime_error("lidar: a body of link " + std::to_string(shape.link) + " has the size " +
                                     std::to_string(value) + " m, expected 0 or above");
    return *std::max_element(shape.size.begin(), shape.size.end()) > 0;
}

}  // namespace

Eigen::Isometry3d pose_of(std::span<const double, 7> pose) {
    const Eigen::Quaterniond turn(pose[6], pose[3], pose[4], pose[5]);
    return Eigen::Translation3d(pose[0], pose[1], pose[2]) * turn.normalized();
}

Eigen::Isometry3d checked_pose(std::span<const double, 7> pose, std::size_t link) {
    const bool finite =
        std::all_of(pose.begin(), pose.end(), [](double value) { return std::abs(value) <= farthest_coordinate; });
    const double norm = pose[3] * pose[3] + pose[4] * pose[4] + pose[5] * pose[5] + pose[6] * pose[6];
    if (finite && norm > 1e-12) return pose_of(pose);
    throw std::runtime_error("lidar: input 'links.poses' of link " + std::to_string(link) +
                             (finite ? " has the quaternion zero" : " is not finite or beyond 1000 km"));
}

std::vector<Shape> shapes_of(const kinematics::Machine& machine) {
    std::vector<Shape> shapes;
    for (std::size_t link = 0; link < machine.links.size(); ++link)
        for (const kinematics::Body& body : machine.links[link].bodies) {
            Shape shape{.link = static_cast<std::uint32_t>(link)};
            const Eigen::Vector3d at = body.pose.translation();
            const Eigen::Quaterniond turn(body.pose.linear());
            shape.pose = {at.x(), at.y(), at.z(), turn.x(), turn.y(), turn.z(), turn.w()};
            if (const auto* box = std::get_if<kinematics::Box>(&body.shape))
                shape.size = {box->size.x(), box->size.y(), box->size.z()};
            if (const auto* capsule = std::get_if<kinematics::Capsule>(&body.shape)) {
                shape.round = true;
                shape.size = {capsule->radius, capsule->length, 0};
            }
            shapes.push_back(shape);
        }
    return shapes;
}

Scene::Scene(const Contents& contents) : ring_(contents.ring), links_(contents.links) {
    check(ring_);
    // One thread: a model has none of its own, and small refits gain nothing from more.
    device_.reset(rtcNewDevice("threads=1"));
    if (!device_) throw std::runtime_error("lidar: Embree gives no device");
    scene_.reset(rtcNewScene(device_.get()));
    rtcSetSceneFlags(scene_.get(), RTC_SCENE_FLAG_DYNAMIC);
    rtcSetSceneBuildQuality(scene_.get(), RTC_BUILD_QUALITY_LOW);
    add_wall();
    add_machine(contents);
    commit();
    check_device();
}

void Scene::add_wall() {
    const std::size_t rows = ring_.rows;
    for (std::size_t first = 0; first + 1 < ring_.columns; first += cells_per_tile) {
        Tile tile{.first = first, .columns = std::min(cells_per_tile + 1, ring_.columns - first)};
        const std::size_t tops = tile.columns * rows;
        tile.heights.assign(tops, ring_.height);
        const auto top = [&](std::size_t column, std::size_t row) {
            return static_cast<std::uint32_t>(column * rows + row);
        };
        const auto bottom = [&](std::size_t column, std::size_t row) {
            return static_cast<std::uint32_t>(tops + column * rows + row);
        };
        Corners corners;
        const auto add_end = [&](std::size_t column) {
            for (std::size_t row = 0; row + 1 < rows; ++row)
                corners.push_back(
                    {bottom(column, row), top(column, row), top(column, row + 1), bottom(column, row + 1)});
        };
        for (std::size_t column = 0; column + 1 < tile.columns; ++column) {
            for (std::size_t row = 0; row + 1 < rows; ++row)
                corners.push_back(
                    {top(column, row), top(column, row + 1), top(column + 1, row + 1), top(column + 1, row)});
            for (const std::size_t row : {std::size_t{0}, rows - 1})
                corners.push_back(
                    {bottom(column, row), top(column, row), top(column + 1, row), bottom(column + 1, row)});
            corners.push_back(
                {bottom(column, 0), bottom(column + 1, 0), bottom(column + 1, rows - 1), bottom(column, rows - 1)});
        }
        if (first == 0) add_end(0);
        if (first + tile.columns == ring_.columns) add_end(tile.columns - 1);

        tile.vertices = attach(corners, 2 * tops, wall_object, tile.geometry);
        for (std::size_t vertex = 0; vertex < 2 * tops; ++vertex) {
            const std::size_t column = vertex % tops / rows, row = vertex % rows;
            const double azimuth = ring_.azimuth(first + column), radius = ring_.radius_of(row);
            tile.vertices[3 * vertex] = static_cast<float>(radius * std::cos(azimuth));
            tile.vertices[3 * vertex + 1] = static_cast<float>(radius * std::sin(azimuth));
            tile.vertices[3 * vertex + 2] = static_cast<float>(ring_.base);
        }
        move_tops(tile);
        rtcCommitGeometry(tile.geometry);
        tiles_.push_back(std::move(tile));
    }
}

void Scene::add_machine(const Contents& contents) {
    for (std::uint32_t link = 0; link < contents.links; ++link) {
        if (contents.unseen == link) continue;
        Body body{.link = link};
        Corners corners;
        for (const Shape& shape : contents.shapes)
            if (shape.link == link && has_extent(shape))
                (shape.round ? add_capsule : add_box)(shape, body.local, corners);
        if (corners.empty()) continue;
        body.vertices =
            attach(corners, body.local.size(), static_cast<std::uint16_t>(first_link + link), body.geometry);
        place(body, Eigen::Isometry3d::Identity());
        rtcCommitGeometry(body.geometry);
        bodies_.push_back(std::move(body));
    }
}

/// Adds a geometry of quads and returns its vertices, three floats each, to be filled and committed.
float* Scene::attach(const Corners& corners, std::size_t vertices, std::uint16_t object, RTCGeometry& geometry) {
    geometry = rtcNewGeometry(device_.get(), RTC_GEOMETRY_TYPE_QUAD);
    rtcSetGeometryBuildQuality(geometry, RTC_BUILD_QUALITY_REFIT);
    void* indices = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT4,
                                            4 * sizeof(std::uint32_t), corners.size());
    void* buffer =
        rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, 3 * sizeof(float), vertices);
    const unsigned id = rtcAttachGeometry(scene_.get(), geometry);
    rtcReleaseGeometry(geometry);  // the scene keeps it
    if (indices == nullptr || buffer == nullptr)
        throw std::runtime_error("lidar: Embree has no memory for " + std::to_string(vertices) + " vertices");
    std::memcpy(indices, corners.data(), corners.size() * sizeof(Corners::value_type));
    objects_.resize(std::max<std::size_t>(objects_.size(), id + 1), nothing);
    objects_[id] = object;
    return static_cast<float*>(buffer);
}

void Scene::move_tops(const Tile& tile) const {
    for (std::size_t i = 0; i < tile.heights.size(); ++i)
        tile.vertices[3 * i + 2] = static_cast<float>(ring_.base + tile.heights[i]);
}

void Scene::update(RTCGeometry geometry) {
    rtcUpdateGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0);
    rtcCommitGeometry(geometry);
    changed_ = true;
}

void Scene::set_heights(std::span<const double> heights) {
    if (heights.size() != ring_.vertices())
        throw std::runtime_error("lidar: " + std::to_string(heights.size()) + " heights for a wall of " +
                                 std::to_string(ring_.vertices()) + " vertices");
    for (Tile& tile : tiles_) {
        const auto given = heights.subspan(tile.first * ring_.rows, tile.heights.size());
        if (std::memcmp(given.data(), tile.heights.data(), given.size_bytes()) == 0) continue;
        for (const double height : given)
            if (!std::isfinite(height)) throw std::runtime_error("lidar: input 'heights' is not finite");
        std::copy(given.begin(), given.end(), tile.heights.begin());
        move_tops(tile);
        update(tile.geometry);
        ++refitted_;
    }
}

void Scene::set_poses(std::span<const double> poses) {
    if (poses.size() != 7 * links_)
        throw std::runtime_error("lidar: " + std::to_string(poses.size()) + " numbers as poses of " +
                                 std::to_string(links_) + " links, expected 7 each");
    for (Body& body : bodies_) {
        const auto given = poses.subspan(std::size_t{7} * body.link).first<7>();
        if (std::equal(given.begin(), given.end(), body.pose.begin())) continue;
        const Eigen::Isometry3d pose = checked_pose(given, body.link);
        std::copy(given.begin(), given.end(), body.pose.begin());
        place(body, pose);
        update(body.geometry);
    }
}

void Scene::place(const Body& body, const Eigen::Isometry3d& pose) {
    for (std::size_t i = 0; i < body.local.size(); ++i) {
        const Eigen::Vector3d point = pose * Eigen::Vector3d(body.local[i][0], body.local[i][1], body.local[i][2]);
        for (int axis = 0; axis < 3; ++axis)
            body.vertices[3 * i + static_cast<std::size_t>(axis)] = static_cast<float>(point[axis]);
    }
}

void Scene::commit() {
    if (!changed_) return;
    rtcCommitScene(scene_.get());
    changed_ = false;
}

void Scene::check_device() const {
    const RTCError error = rtcGetDeviceError(device_.get());
    if (error != RTC_ERROR_NONE)
        throw std::runtime_error("lidar: Embree reports error " + std::to_string(static_cast<int>(error)));
}

}  // namespace models::lidar
