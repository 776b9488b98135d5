#include "models/sensing/lidar/scene.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <string>

namespace models::lidar {

namespace {

// A bite of half a metre then touches two or three tiles at 20 mm, and 12 m of wall are about 40 tiles.
constexpr std::size_t cells_per_tile = 16;
constexpr double rounding = 0.01;  // m, of single precision, generously

const wall::Ring& checked(const wall::Ring& ring) {
    check(ring);
    return ring;
}

}  // namespace

Scene::Scene(const wall::Ring& ring) : ring_(checked(ring)), face_(ring_) {
    // One thread: a model has none of its own, and small refits gain nothing from more.
    device_.reset(rtcNewDevice("threads=1"));
    if (!device_) throw std::runtime_error("lidar: Embree gives no device");
    scene_.reset(rtcNewScene(device_.get()));
    rtcSetSceneFlags(scene_.get(), RTC_SCENE_FLAG_DYNAMIC);
    rtcSetSceneBuildQuality(scene_.get(), RTC_BUILD_QUALITY_LOW);
    bounds_ = {.inner = ring.radius_of(0) * std::cos(std::min(ring.azimuth_step(), 1.0) / 2) - rounding,
               .outer = ring.radius_of(ring.rows - 1) + rounding,
               .bottom = ring.base - rounding,
               .top = ring.base + ring.height + rounding};
    add_wall();
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

        tile.vertices = attach(corners, 2 * tops, tile.geometry);
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

/// Adds a geometry of quads and returns its vertices, three floats each, to be filled and committed.
float* Scene::attach(const Corners& corners, std::size_t vertices, RTCGeometry& geometry) {
    geometry = rtcNewGeometry(device_.get(), RTC_GEOMETRY_TYPE_QUAD);
    rtcSetGeometryBuildQuality(geometry, RTC_BUILD_QUALITY_REFIT);
    void* indices = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT4,
                                            4 * sizeof(std::uint32_t), corners.size());
    void* buffer =
        rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, 3 * sizeof(float), vertices);
    rtcAttachGeometry(scene_.get(), geometry);
    rtcReleaseGeometry(geometry);  // the scene keeps it
    if (indices == nullptr || buffer == nullptr)
        throw std::runtime_error("lidar: Embree has no memory for " + std::to_string(vertices) + " vertices");
    std::memcpy(indices, corners.data(), corners.size() * sizeof(Corners::value_type));
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
        for (const double height : given) {
            if (!std::isfinite(height)) throw std::runtime_error("lidar: input 'heights' is not finite");
            bounds_.top = std::max(bounds_.top, ring_.base + height + rounding);
            bounds_.bottom = std::min(bounds_.bottom, ring_.base + height - rounding);
        }
        std::copy(given.begin(), given.end(), tile.heights.begin());
        face_.set_heights(tile.first, given);
        move_tops(tile);
        update(tile.geometry);
        ++refitted_;
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
