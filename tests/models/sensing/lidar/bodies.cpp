#include "models/sensing/lidar/bodies.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <random>

using models::lidar::Bodies;
using models::lidar::first_link;
using models::lidar::nothing;
using models::lidar::Shape;

namespace {

constexpr double nearest = 0.1, farthest = 20;
constexpr double tolerance = 2e-5;  // single precision at some metres, at grazing incidence

/// Distance of a point from the surface, below 0 inside; an independent description of the shapes.
double distance_from(const Shape& shape, const Eigen::Vector3d& point) {
    if (shape.round) {
        const double half = shape.size[1] / 2;
        return (point - Eigen::Vector3d(0, 0, std::clamp(point.z(), -half, half))).norm() - shape.size[0];
    }
    const Eigen::Vector3d beyond = point.cwiseAbs() - Eigen::Vector3d(shape.size[0], shape.size[1], shape.size[2]) / 2;
    return beyond.cwiseMax(0).norm() + std::min(beyond.maxCoeff(), 0.0);
}

struct Scenery {
    std::vector<Shape> shapes;
    std::vector<double> poses{0, 0, 0, 0, 0, 0, 1};  // the sensor is link 0, at the origin
    [[nodiscard]] double distance(const Shape& shape, const Eigen::Vector3d& point) const {
        const auto link = models::lidar::pose_of(std::span(poses).subspan(std::size_t{7} * shape.link).first<7>());
        return distance_from(shape, (link * models::lidar::pose_of(shape.pose)).inverse() * point);
    }
    /// From the nearest surface.
    [[nodiscard]] double distance(const Eigen::Vector3d& point) const {
        double least = 1e9;
        for (const Shape& shape : shapes) least = std::min(least, std::abs(distance(shape, point)));
        return least;
    }
    /// Whether a ray that meets a surface at this range goes less than 0.1 mm below it: it may be told either way.
    [[nodiscard]] bool grazes(const Eigen::Vector3d& direction, double range) const {
        for (const Shape& shape : shapes) {
            if (std::abs(distance(shape, range * direction)) > 1e-4) continue;
            for (int i = -500; i <= 500; ++i)
                if (distance(shape, (range + 1e-3 * i) * direction) < -1e-4) return false;
        }
        return true;
    }
    /// Where a ray first meets a surface: no surface is nearer than the distance from it.
    [[nodiscard]] double range(const Eigen::Vector3d& direction) const {
        double at = nearest;
        for (int i = 0; i < 1000 && at < farthest; ++i) {
            const double free = distance(at * direction);
            if (free < 1e-7) break;
            at += free;
        }
        return at;
    }
};

Scenery scenery(std::mt19937& random, bool around_sensor) {
    std::uniform_real_distribution<double> any(-1, 1), size(0.1, 1.5);
    Scenery result;
    for (std::uint32_t link = 1; link < 6; ++link) {
        Shape shape{.link = link, .round = link % 2 == 0, .pose = {any(random), any(random), any(random), 0, 0, 0, 1}};
        shape.size = {size(random), size(random), shape.round ? 0 : size(random)};
        if (shape.round) shape.size[0] *= 0.3;
        result.shapes.push_back(shape);
        const double ahead = around_sensor ? 0 : 4;
        for (const double value : {ahead + 2 * any(random), 2 * any(random), 2 * any(random), any(random), any(random),
                                   any(random), any(random)})
            result.poses.push_back(value);
    }
    return result;
}

}  // namespace

TEST_CASE("rays meet boxes and capsules where their surfaces are, from outside and from inside") {
    std::mt19937 random(1);
    std::normal_distribution<double> normal(0, 0.4);
    int hits = 0, misses = 0;
    for (int round = 0; round < 60; ++round) {
        const Scenery scene = scenery(random, round % 2 == 1);
        Bodies bodies(scene.shapes, 6);
        bodies.place(scene.poses, {.sensor = 0, .half_angle = 1.5, .nearest = nearest, .farthest = farthest});
        for (int packet = 0; packet < 20; ++packet) {
            alignas(32) std::array<float, 8> x{}, y{}, z{};
            Bodies::Hits found{};
            for (std::size_t i = 0; i < 8; ++i) {
                const Eigen::Vector3f to =
                    Eigen::Vector3d(1, normal(random), normal(random)).normalized().cast<float>();
                x[i] = to.x();
                y[i] = to.y();
                z[i] = to.z();
                found.range[i] = static_cast<float>(farthest);
            }
            bodies.aim({x.data(), y.data(), z.data()}, 8);
            bodies.trace({x.data(), y.data(), z.data()}, found);
            for (std::size_t i = 0; i < 8; ++i) {
                const Eigen::Vector3d to(x[i], y[i], z[i]);
                const double expected = scene.range(to);
                if (found.object[i] == nothing) {
                    ++misses;
                    CHECK((expected >= farthest || scene.grazes(to, expected)));
                    continue;
                }
                ++hits;
                CHECK(scene.distance(found.range[i] * to) < tolerance);
                CHECK((std::abs(found.range[i] - expected) < 1e-3 || scene.grazes(to, expected)));
                CHECK(found.cosine[i] >= 0);
                CHECK(found.cosine[i] <= 1.0001F);
            }
        }
    }
    CHECK(hits > 1500);
    CHECK(misses > 1000);
}

TEST_CASE("a ray along a capsule's axis meets its end, and one square to a face has the cosine 1") {
    const std::vector<Shape> shapes{{.link = 1, .round = true, .size = {0.2, 1, 0}}, {.link = 2, .size = {1, 2, 2}}};
    // The capsule's z axis is turned onto the sensor's x axis; the box stands behind it.
    const double half = std::sqrt(0.5);
    const std::vector<double> poses{0, 0, 0, 0, 0, 0, 1, 3, 0, 0, 0, half, 0, half, 6, 0, 0, 0, 0, 0, 1};
    Bodies bodies(shapes, 3);
    bodies.place(poses, {.sensor = 0, .half_angle = 0.6, .nearest = nearest, .farthest = farthest});
    alignas(32) std::array<float, 8> x{}, y{}, z{};
    Bodies::Hits hits{};
    for (std::size_t i = 0; i < 8; ++i) {
        const Eigen::Vector3f to = Eigen::Vector3f(1, 0.025F * static_cast<float>(i), 0).normalized();
        x[i] = to.x();
        y[i] = to.y();
        hits.range[i] = static_cast<float>(farthest);
    }
    bodies.aim({x.data(), y.data(), z.data()}, 8);
    bodies.trace({x.data(), y.data(), z.data()}, hits);
    CHECK(hits.object[0] == first_link + 1);
    CHECK(hits.range[0] == Approx(2.3));
    CHECK(hits.cosine[0] == Approx(1));
    CHECK(hits.object[7] == first_link + 2);
    CHECK(hits.range[7] * x[7] == Approx(5.5));
    CHECK(hits.cosine[7] == Approx(x[7]));
}
