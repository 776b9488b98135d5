#include "models/sensing/lidar/rays.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <numbers>
#include <vector>

using namespace models::lidar;

namespace {

struct Answer {
    double range = 0, cosine = 0;  // range 0: nothing is hit
};

/// What Embree says about one ray, asked by itself.
Answer ask(const Scene& scene, const Eigen::Isometry3d& pose, const Eigen::Vector3f& to) {
    const Eigen::Vector3f from = pose.translation().cast<float>(), world = pose.linear().cast<float>() * to;
    RTCRayHit ray{};
    ray.ray = {.org_x = from.x(),
               .org_y = from.y(),
               .org_z = from.z(),
               .tnear = 0.1F,
               .dir_x = world.x(),
               .dir_y = world.y(),
               .dir_z = world.z(),
               .tfar = 90,
               .mask = ~0U};
    ray.hit.geomID = RTC_INVALID_GEOMETRY_ID;
    RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    rtcIntersect1(scene.handle(), &context, &ray);
    if (ray.hit.geomID == RTC_INVALID_GEOMETRY_ID) return {};
    const Eigen::Vector3f normal(ray.hit.Ng_x, ray.hit.Ng_y, ray.hit.Ng_z);
    return {.range = ray.ray.tfar, .cosine = std::abs(normal.normalized().dot(world))};
}

}  // namespace

TEST_CASE("every ray has Embree's answer, from inside, above and outside the ring") {
    models::wall::Ring ring;
    Scene scene(ring);
    std::vector<double> heights(ring.vertices(), 3.0);
    for (std::size_t column = 0; column < ring.columns; ++column)
        for (std::size_t row = 0; row < ring.rows; ++row)
            heights[column * ring.rows + row] = column % 100 < 50 ? 1.0 : column > 400 ? 3.6 : 3.0;
    scene.set_heights(heights);
    scene.commit();
    const Pattern pattern(ScanParameters{});
    Bodies nobody({}, 1);
    Rays rays;
    const double azimuth = ring.azimuth(300);
    int met = 0, passed = 0;
    for (const double radius : {20.0, 25.0, 29.5, 29.905, 30.0, 35.0})
        for (const double z : {-0.5, 1.0, 3.5})
            for (const double pitch : {-0.6, 0.0, 0.4})
                for (const double heading : {0.0, 1.2, std::numbers::pi}) {
                    const Eigen::Isometry3d pose =
                        Eigen::Translation3d(radius * std::cos(azimuth), radius * std::sin(azimuth), z) *
                        Eigen::AngleAxisd(azimuth + heading, Eigen::Vector3d::UnitZ()) *
                        Eigen::AngleAxisd(pitch, Eigen::Vector3d::UnitY());
                    rays.mount({.pose = pose, .nearest = 0.1, .farthest = 90});
                    Pattern::Positions positions;
                    for (std::int64_t first = 0; first < 1024; first += Pattern::block) {
                        pattern.positions(first, positions);
                        rays.trace(pattern, scene, nobody, positions, Pattern::block);
                        for (std::size_t k = 0; k < Pattern::block; ++k) {
                            const auto& to = rays.directions();
                            const Answer expected = ask(scene, pose, {to.x[k], to.y[k], to.z[k]});
                            const Rays::Echo echo = rays.echo(k);
                            ++(expected.range > 0 ? met : passed);
                            if ((echo.object == wall_object) != (expected.range > 0) ||
                                std::abs(echo.range - expected.range) > 1e-4 ||
                                std::abs(echo.cosine - expected.cosine) > 1e-3)
                                FAIL_CHECK("ray " << first << " + " << k);
                        }
                    }
                }
    CHECK(met > 10'000);
    CHECK(passed > 10'000);
}
