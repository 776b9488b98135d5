#include "models/sensing/lidar/lidar.hpp"

#include "models/machine/kinematics/machine.hpp"
#include "models/site/wall/wall.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

using models::lidar::first_link;
using models::lidar::Lidar;
using models::lidar::nothing;
using models::lidar::Point;
using models::lidar::wall_object;

namespace {

constexpr double middle = 2.5 / 30 + 0.2;  // azimuth of the middle of the default wall
constexpr double inner_radius = 29.91;
// Rays are single precision: some 1e-6 of 30 m of coordinates and of up to 90 m of range.
constexpr double float_tolerance = 1e-4;

void place(Lidar& lidar, std::size_t link, const Eigen::Isometry3d& pose) {
    const Eigen::Quaterniond turn(pose.linear());
    const Eigen::Vector3d at = pose.translation();
    const std::array<double, 7> numbers{at.x(), at.y(), at.z(), turn.x(), turn.y(), turn.z(), turn.w()};
    std::copy(numbers.begin(), numbers.end(), lidar.inputs.poses.begin() + static_cast<std::ptrdiff_t>(7 * link));
}

/// Before the inner face, looking at it squarely.
Eigen::Isometry3d before_wall(double distance, double z = 1) {
    const double radius = inner_radius - distance;
    return Eigen::Translation3d(radius * std::cos(middle), radius * std::sin(middle), z) *
           Eigen::AngleAxisd(middle, Eigen::Vector3d::UnitZ());
}

/// A machine of four links: base, LiDAR, a box and a capsule.
models::kinematics::Machine machine() {
    models::kinematics::Machine result;
    result.links.resize(4);
    result.joints.resize(3);
    result.links[1].bodies.push_back({.shape = models::kinematics::Box{{0.2, 0.2, 0.2}}});
    models::kinematics::Body box{.shape = models::kinematics::Box{{0.3, 0.6, 0.4}}};
    box.pose.translation() = Eigen::Vector3d(0, 0, 0.5);
    result.links[2].bodies.push_back(box);
    result.links[3].bodies.push_back({.shape = models::kinematics::Capsule{.radius = 0.2, .length = 0.5}});
    return result;
}

Lidar sensor(double noise = 0) {
    Lidar lidar;
    lidar.shapes = models::lidar::shapes_of(machine());
    lidar.links = 4;
    lidar.sensor = 1;
    lidar.beam.range_noise = noise;
    lidar.configure();
    place(lidar, 0, Eigen::Isometry3d(Eigen::Translation3d(0, 0, -50)));
    place(lidar, 1, before_wall(5));
    place(lidar, 2, Eigen::Isometry3d(Eigen::Translation3d(0, 0, -50)));
    place(lidar, 3, Eigen::Isometry3d(Eigen::Translation3d(0, 0, -50)));
    return lidar;
}

void run(Lidar& lidar, int steps, double h = 0.01) {
    lidar.initialize(0);
    for (int i = 0; i < steps; ++i) lidar.step(i * h, h);
}

Eigen::Vector3d position(const Point& point) { return Eigen::Vector3f(point.x, point.y, point.z).cast<double>(); }

std::vector<Point> points_of(const Lidar& lidar) {
    std::vector<Point> points;
    for (std::size_t i = 0; i < lidar.outputs.count; ++i) points.push_back(lidar.point(i));
    return points;
}

bool same(const Point& a, const Point& b) {
    return a.x == b.x && a.y == b.y && a.z == b.z && a.object == b.object && a.intensity == b.intensity &&
           a.tag == b.tag && a.time == b.time;
}

bool same(const std::vector<Point>& a, const std::vector<Point>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const Point& p, const Point& q) { return same(p, q); });
}

std::string refusal(Lidar lidar) {
    try {
        lidar.configure();
        lidar.initialize(0);
    } catch (const std::invalid_argument& problem) {
        return problem.what();
    }
    return "accepted";
}

}  // namespace

TEST_CASE("points on the wall lie on its inner face, below its top and above its base") {
    Lidar lidar = sensor();
    run(lidar, 10);
    REQUIRE(lidar.outputs.count == 10'000);
    int seen = 0;
    for (const Point& point : points_of(lidar)) {
        if (point.object == nothing) {
            CHECK(position(point).norm() == 0);
            continue;
        }
        CHECK(point.object == wall_object);
        const Eigen::Vector3d world = before_wall(5) * position(point);
        CHECK(std::abs(std::hypot(world.x(), world.y()) - inner_radius) < float_tolerance);
        CHECK(world.z() < 2 + float_tolerance);
        CHECK(world.z() > -1 - float_tolerance);
        CHECK(std::abs(point.intensity - 255 * 0.4 * point.x / position(point).norm()) < 8);
        ++seen;
    }
    CHECK(seen > 5000);
    CHECK(lidar.outputs.rate == Approx(seen / 0.1));
    CHECK(lidar.outputs.coverage == Approx(0.19695216).margin(0.002));
}

TEST_CASE("the machine is seen as boxes and capsules, but not the sensor's own link") {
    Lidar lidar = sensor();
    place(lidar, 2, before_wall(2, 0.5));
    const Eigen::Isometry3d capsule =
        before_wall(2, 1) * Eigen::Translation3d(0, 1, 0) * Eigen::AngleAxisd(0.3, Eigen::Vector3d::UnitX());
    place(lidar, 3, capsule);
    run(lidar, 10);
    int boxes = 0, capsules = 0;
    for (const Point& point : points_of(lidar)) {
        const Eigen::Vector3d world = before_wall(5) * position(point);
        CHECK(point.object != first_link + 1);
        if (point.object == first_link + 2) {
            ++boxes;
            const Eigen::Vector3d local = before_wall(2, 0.5).inverse() * world - Eigen::Vector3d(0, 0, 0.5);
            CHECK(std::abs((local.cwiseAbs() - Eigen::Vector3d(0.15, 0.3, 0.2)).maxCoeff()) < float_tolerance);
        }
        if (point.object == first_link + 3) {
            ++capsules;
            const Eigen::Vector3d local = capsule.inverse() * world;
            const double along = std::clamp(local.z(), -0.25, 0.25);
            const double distance = (local - Eigen::Vector3d(0, 0, along)).norm();
            CHECK(std::abs(distance - 0.2) < float_tolerance);
        }
    }
    CHECK(boxes > 300);
    CHECK(capsules > 100);
}

TEST_CASE("a bite refits only the tiles it touched, and rays see it as a new scene would") {
    models::wall::Wall wall;
    wall.initialize(0);
    models::lidar::Scene scene(wall.ring);
    const auto bite = [&](double azimuth, double bottom) {
        wall.push_down({.pose = {30 * std::cos(azimuth), 30 * std::sin(azimuth), bottom + 0.5, 0, 0,
                                 std::sin(azimuth / 2), std::cos(azimuth / 2)},
                        .size = {0.6, 0.5, 1}});
    };
    for (int i = 0; i < 5; ++i) {
        bite(middle + 0.02 * i, 1.5 - 0.2 * i);
        const auto before = scene.refitted_tiles();
        scene.set_heights(wall.state.heights);
        scene.commit();
        CHECK(scene.refitted_tiles() - before >= 1);
        CHECK(scene.refitted_tiles() - before <= 4);
        scene.set_heights(wall.state.heights);
        CHECK(scene.refitted_tiles() - before <= 4);
    }
    Lidar gradual = sensor(), fresh = sensor();
    wall.initialize(0);
    gradual.initialize(0);
    for (int i = 0; i < 10; ++i) {
        bite(middle + 0.015 * (i - 5), 1.0);
        gradual.inputs.heights = wall.state.heights;
        gradual.step(i * 0.01, 0.01);
    }
    fresh.inputs.heights = wall.state.heights;
    run(fresh, 10);
    const auto a = points_of(gradual), b = points_of(fresh);
    int seen = 0;
    for (std::size_t i = 9000; i < 10'000; ++i) {
        CHECK(a[i].object == b[i].object);
        CHECK((position(a[i]) - position(b[i])).norm() < float_tolerance);
        const Eigen::Vector3d world = before_wall(5) * position(a[i]);
        if (a[i].object == wall_object && std::abs(std::atan2(world.y(), world.x()) - middle) < 0.06) {
            ++seen;
            CHECK(world.z() < 1 + float_tolerance);
        }
    }
    CHECK(seen > 100);
}

TEST_CASE("the window holds the last points in order, whatever the steps were") {
    Lidar lidar = sensor(0.02), finer = sensor(0.02), coarse = sensor(0.02);
    run(lidar, 23);
    run(finer, 46, 0.005);
    run(coarse, 1, 0.23);
    const auto points = points_of(lidar);
    REQUIRE(points.size() == 10'000);
    for (std::size_t i = 0; i < points.size(); ++i)
        REQUIRE(points[i].time == Approx(0.13 + 1e-5 * static_cast<double>(i)).epsilon(1e-12));
    CHECK(same(points, points_of(finer)));
    CHECK(same(points, points_of(coarse)));
    CHECK(lidar.outputs.coverage == finer.outputs.coverage);
    CHECK(lidar.outputs.coverage == coarse.outputs.coverage);
    CHECK(lidar.outputs.fresh == 1000);
    CHECK(lidar.outputs.sequence == 23);
}

TEST_CASE("a copy continues exactly, and going back repeats exactly") {
    Lidar lidar = sensor(0.02);
    run(lidar, 5);
    const Lidar saved = lidar;
    Lidar copy = saved;
    for (int i = 5; i < 15; ++i) lidar.step(i * 0.01, 0.01);
    for (int i = 5; i < 15; ++i) copy.step(i * 0.01, 0.01);
    const auto points = points_of(lidar);
    CHECK(same(points, points_of(copy)));
    lidar.inputs.heights.assign(lidar.inputs.heights.size(), 1.0);
    lidar.step(0.15, 0.01);
    lidar = saved;
    for (int i = 5; i < 15; ++i) lidar.step(i * 0.01, 0.01);
    CHECK(same(points, points_of(lidar)));
}

TEST_CASE("range noise has the stated size, repeats with its seed and moves points along their rays") {
    Lidar exact = sensor(), noisy = sensor(0.02), other = sensor(0.02);
    other.beam.seed = 2;
    run(exact, 10);
    run(noisy, 10);
    run(other, 10);
    double sum = 0, squares = 0;
    int count = 0;
    for (std::size_t i = 0; i < 10'000; ++i) {
        if (exact.point(i).object == nothing) continue;
        const Eigen::Vector3d a = position(exact.point(i)), b = position(noisy.point(i));
        const double error = b.norm() - a.norm();
        CHECK(a.normalized().cross(b.normalized()).norm() < 1e-6);
        sum += error;
        squares += error * error;
        ++count;
    }
    CHECK(std::abs(sum / count) < 5 * 0.02 / std::sqrt(count));
    CHECK(std::sqrt(squares / count) == Approx(0.02).epsilon(0.05));
    CHECK_FALSE(same(points_of(noisy), points_of(other)));
}

TEST_CASE("nothing nearer or farther than the limits returns, and losses have their share") {
    Lidar lidar = sensor();
    lidar.beam.farthest = 4.9;
    run(lidar, 2);
    CHECK(lidar.outputs.rate == 0);
    CHECK(lidar.outputs.count == 2000);
    lidar.beam.farthest = 90;
    lidar.beam.nearest = 5.5;
    run(lidar, 2);
    for (const Point& point : points_of(lidar))
        if (point.object != nothing) CHECK(position(point).norm() >= 5.5 - float_tolerance);
    Lidar whole = sensor(), lossy = sensor();
    lossy.beam.loss = 0.25;
    run(whole, 10);
    run(lossy, 10);
    CHECK(lossy.outputs.rate / whole.outputs.rate == Approx(0.75).epsilon(0.05));
}

TEST_CASE("with dual return a ray at an edge has a second point, elsewhere only the first") {
    Lidar lidar = sensor();
    place(lidar, 2, before_wall(2, 0.5));
    lidar.beam.dual_return = true;
    run(lidar, 10);
    REQUIRE(lidar.outputs.count == 20'000);
    int seconds = 0;
    for (std::size_t i = 0; i < 20'000; i += 2) {
        const Point &first = lidar.point(i), &second = lidar.point(i + 1);
        CHECK(first.tag == 0);
        CHECK(second.tag == 16);
        CHECK(first.time == second.time);
        if (second.object == nothing) continue;
        ++seconds;
        CHECK(std::abs(position(first).norm() - position(second).norm()) >= 0.1 - float_tolerance);
    }
    CHECK(seconds > 5);
    CHECK(seconds < 500);
}

TEST_CASE("parameters that make no sensor are refused by name") {
    const auto refused = [](auto change) {
        Lidar lidar;
        change(lidar);
        return refusal(lidar);
    };
    CHECK(refused([](Lidar&) {}) == "accepted");
    CHECK_THAT(refused([](Lidar& l) { l.scan.field_of_view = 0; }), Catch::Contains("'scan.field_of_view'"));
    CHECK_THAT(refused([](Lidar& l) { l.beam.nearest = -1; }), Catch::Contains("'beam.nearest'"));
    CHECK_THAT(refused([](Lidar& l) { l.beam.farthest = 0.05; }), Catch::Contains("'beam.farthest'"));
    CHECK_THAT(refused([](Lidar& l) { l.beam.range_noise = -0.02; }), Catch::Contains("'beam.range_noise'"));
    CHECK_THAT(refused([](Lidar& l) { l.beam.loss = 1.5; }), Catch::Contains("'beam.loss'"));
    CHECK_THAT(refused([](Lidar& l) { l.window = 0; }), Catch::Contains("'window'"));
    CHECK_THAT(refused([](Lidar& l) { l.window = 1e9; }), Catch::Contains("'window'"));
    CHECK_THAT(refused([](Lidar& l) { l.ring.thickness = -1; }), Catch::Contains("'ring.thickness'"));
    CHECK_THAT(refused([](Lidar& l) { l.ring.columns = 1ULL << 40; }), Catch::Contains("'n_phi'"));
    CHECK_THAT(refused([](Lidar& l) { l.coverage_cell = -1; }), Catch::Contains("'coverage.cell'"));
}

TEST_CASE("poses and heights that are no numbers end the step with the input's name") {
    Lidar lidar = sensor();
    lidar.initialize(0);
    lidar.inputs.poses[7] = std::numeric_limits<double>::quiet_NaN();
    CHECK_THROWS_WITH(lidar.step(0, 0.01), Catch::Contains("'links.poses' of link 1 is not finite"));
    lidar = sensor();
    lidar.initialize(0);
    std::fill(lidar.inputs.poses.begin() + 17, lidar.inputs.poses.begin() + 21, 0.0);
    CHECK_THROWS_WITH(lidar.step(0, 0.01), Catch::Contains("'links.poses' of link 2 has the quaternion zero"));
    lidar = sensor();
    lidar.initialize(0);
    lidar.inputs.heights[100] = std::numeric_limits<double>::infinity();
    CHECK_THROWS_WITH(lidar.step(0, 0.01), Catch::Contains("'heights'"));
}
