#include "models/sensing/edge/edge.hpp"

#include "models/sensing/edge/view.hpp"
#include "models/sensing/lidar/lidar.hpp"
#include "models/site/wall/wall.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <random>

using models::edge::Edge;
using models::edge::highest_visible;

namespace {

constexpr double middle = 2.5 / 30 + 0.2;  // azimuth of the middle of the default wall
constexpr double inner_radius = 29.91;
constexpr double most_median = 0.015, most_of_95 = 0.05, least_valid = 0.9;  // m, m, share

struct Figures {
    double valid = 0, median = 0, worst_of_95 = 0, mean = 0;
};

/// Errors against the truth over the valid ones of the bins inside [-half, half].
Figures compare(const Edge& edge, double half, const std::function<double(double)>& truth) {
    std::vector<double> errors;
    double bins = 0, sum = 0;
    for (std::size_t bin = 0; bin < edge.parameters().bins; ++bin) {
        if (std::abs(edge.azimuth(bin)) > half) continue;
        ++bins;
        if (edge.valid()[bin] == 0) continue;
        const double error = edge.heights()[bin] - truth(edge.azimuth(bin));
        sum += error;
        errors.push_back(std::abs(error));
    }
    REQUIRE(!errors.empty());
    std::sort(errors.begin(), errors.end());
    const auto count = static_cast<double>(errors.size());
    return {count / bins, errors[errors.size() / 2], errors[static_cast<std::size_t>(0.95 * count)], sum / count};
}

void check_specification(const Figures& figures) {
    CAPTURE(figures.valid, figures.median, figures.worst_of_95, figures.mean);
    CHECK(figures.valid >= least_valid);
    CHECK(figures.median <= most_median);
    CHECK(figures.worst_of_95 <= most_of_95);
}

/// A Poisson cloud on a face whose top is `truth`.
struct Face {
    double density = 3482, noise = 0.02, bottom = -1;
    std::function<double(double)> truth;
    unsigned seed = 1;
};

void scan(Edge& edge, const Face& face, double from, double to) {
    std::mt19937 random(face.seed);
    const auto& p = edge.parameters();
    const double tallest = 2.5, area = p.span * p.radius * (tallest - face.bottom);
    std::poisson_distribution<int> number(face.density * area * (to - from));
    std::uniform_real_distribution<double> azimuth(p.start, p.start + p.span), height(face.bottom, tallest);
    std::normal_distribution<double> noise(0, face.noise);
    const int count = number(random);
    for (int i = 0; i < count; ++i) {
        const double at = azimuth(random), z = height(random);
        const double error = face.noise > 0 ? noise(random) : 0;
        if (z < face.truth(at)) edge.add({at, z + error, from + (to - from) * i / count});
    }
}

Edge::Parameters seven_metres() {
    Edge::Parameters parameters;
    parameters.start = -3.5 / 30;
    parameters.span = 7.0 / 30;
    return parameters;
}

double steps(double azimuth) { return azimuth < -0.05 ? 2.0 : azimuth < 0.01 ? 1.2 : azimuth < 0.06 ? 1.7 : 0.3; }

Eigen::Isometry3d before_wall(double distance, double z) {
    const double radius = inner_radius - distance;
    return Eigen::Translation3d(radius * std::cos(middle), radius * std::sin(middle), z) *
           Eigen::AngleAxisd(middle, Eigen::Vector3d::UnitZ());
}

/// The azimuths to both sides at which an edge this much above the optical axis is inside the field of view, 5 m away.
double half_view(double above) {
    const models::edge::View view{{inner_radius - 5, 0, 0}, {1, 0, 0}, 35.2 * std::numbers::pi / 180};
    double half = 0;
    while (highest_visible(view, inner_radius, half).value_or(-100) > std::abs(above)) half += 1e-4;
    return half;
}

/// One second of a LiDAR 5 m before the wall, at normal incidence.
void look(Edge& edge, const models::wall::Wall& wall, double z, std::uint64_t seed) {
    models::lidar::Lidar lidar;
    lidar.ring = wall.ring;
    lidar.beam.seed = seed;
    lidar.configure();
    const Eigen::Isometry3d pose = before_wall(5, z);
    const Eigen::Quaterniond turn(pose.linear());
    lidar.inputs.heights = wall.state.heights;
    lidar.inputs.poses = {
        pose.translation().x(), pose.translation().y(), pose.translation().z(), turn.x(), turn.y(), turn.z(), turn.w()};
    lidar.initialize(0);
    for (int i = 0; i < 100; ++i) {
        lidar.step(i * 0.01, 0.01);
        for (std::size_t k = lidar.outputs.count - lidar.outputs.fresh; k < lidar.outputs.count; ++k) {
            const auto& point = lidar.point(k);
            if (point.x == 0) continue;
            const Eigen::Vector3d world = pose * Eigen::Vector3d(point.x, point.y, point.z);
            // Points on the top are not points on the face.
            if (std::hypot(world.x(), world.y()) > inner_radius + 0.04) continue;
            edge.add({std::atan2(world.y(), world.x()) - middle, world.z(), point.time});
        }
    }
    const Eigen::Vector3d axis = pose.linear().col(0);
    const models::edge::View view{{pose.translation().x(), pose.translation().y(), pose.translation().z()},
                                  {axis.x(), axis.y(), axis.z()},
                                  lidar.scan.field_of_view / 2};
    for (std::size_t bin = 0; bin < edge.parameters().bins; ++bin)
        edge.set_ceiling(bin, highest_visible(view, inner_radius, edge.azimuth(bin) + middle).value_or(-100));
    edge.update(1);
}

}  // namespace

TEST_CASE("the edge of a synthetic face is found within the specification after 1 s at 5 m") {
    for (const double noise : {0.0, 0.005, 0.02})
        for (const unsigned seed : {1U, 2U, 3U}) {
            Edge::Parameters parameters = seven_metres();
            parameters.noise = noise;
            Edge edge(parameters);
            scan(edge, {.noise = noise, .truth = [](double) { return 1.234; }, .seed = seed}, 0, 1);
            edge.update(1);
            const Figures figures = compare(edge, 3.5 / 30, [](double) { return 1.234; });
            check_specification(figures);
            CHECK(std::abs(figures.mean) < 0.006);  // hardly any bias is left
        }
}

TEST_CASE("steps of the wall stay where they are") {
    for (const unsigned seed : {1U, 2U, 3U}) {
        Edge edge(seven_metres());
        scan(edge, {.truth = steps, .seed = seed}, 0, 1);
        edge.update(1);
        check_specification(compare(edge, 3.5 / 30, steps));
    }
}

TEST_CASE("what the LiDAR sees at 5 m gives the edge within the specification") {
    // Seeds from 1001 on are used nowhere else, so that nothing was tuned to them.
    for (const std::uint64_t seed : {1U, 2U, 3U, 1001U, 1002U, 1003U, 1004U, 1005U, 1006U, 1007U})
        for (const bool notched : {false, true}) {
            CAPTURE(seed, notched);
            models::wall::Wall wall;
            wall.notches.seed = notched ? seed : 0;
            wall.initialize(0);
            Edge edge(seven_metres());
            look(edge, wall, 1, seed);
            const auto truth = [&](double azimuth) {
                const double column = (azimuth + middle - wall.ring.start) / wall.ring.azimuth_step();
                return wall.ring.base +
                       wall.state.heights[static_cast<std::size_t>(std::lround(column)) * wall.ring.rows];
            };
            check_specification(compare(edge, half_view(1), truth));
        }
}

TEST_CASE("an edge beyond the field of view is not valid") {
    models::wall::Wall wall;
    wall.initialize(0);
    Edge edge(seven_metres());
    look(edge, wall, 1, 1);
    int outside = 0;
    for (std::size_t bin = 0; bin < 300; ++bin) {
        if (std::abs(edge.azimuth(bin)) < half_view(1)) continue;
        ++outside;
        CHECK(edge.valid()[bin] == 0);
    }
    CHECK(outside > 10);
}

TEST_CASE("the highest visible point lies on the cone") {
    const models::edge::View view{{25, 1, 0.5}, {0.96, 0.0, 0.28}, 0.6};
    for (const double azimuth : {-0.05, 0.0, 0.1}) {
        const double z = highest_visible(view, 30, azimuth).value();
        const Eigen::Vector3d to(30 * std::cos(azimuth) - 25, 30 * std::sin(azimuth) - 1, z - 0.5);
        CHECK(to.normalized().dot(Eigen::Vector3d(0.96, 0, 0.28)) == Approx(std::cos(0.6)).epsilon(1e-12));
        CHECK(z > 0.5 + to.head<2>().norm() * 0.28);
    }
    CHECK_FALSE(highest_visible(view, 30, 3.0).has_value());
    CHECK_FALSE(highest_visible(view, 30, 1.0).has_value());
    CHECK(std::isinf(highest_visible({{25, 0, 0}, {0, 0, 1}, 0.6}, 30, 0).value()));
    CHECK_FALSE(highest_visible({{25, 0, 0}, {0, 0, -1}, 0.6}, 30, 0).has_value());
}

TEST_CASE("the edge of a wall lower than the sensor is found as well") {
    models::wall::Wall wall;
    wall.ring.height = 1.5;
    wall.configure();
    wall.initialize(0);
    Edge edge(seven_metres());
    look(edge, wall, 1, 1);
    check_specification(compare(edge, half_view(-0.5), [](double) { return 0.5; }));
}

TEST_CASE("stray points above the edge do no harm") {
    Edge edge(seven_metres());
    std::mt19937 random(5);
    std::uniform_real_distribution<double> azimuth(-3.5 / 30, 3.5 / 30), height(1.5, 3);
    for (int i = 0; i < 150; ++i) edge.add({azimuth(random), height(random), 0});
    scan(edge, {.truth = [](double) { return 1.0; }}, 0, 1);
    edge.update(1);
    check_specification(compare(edge, 3.5 / 30, [](double) { return 1.0; }));
}

TEST_CASE("old points leave the window, and a lowered wall is then seen lower") {
    Edge edge(seven_metres());
    scan(edge, {.truth = [](double) { return 2.0; }}, 0, 1);
    edge.update(1);
    CHECK(compare(edge, 0.1, [](double) { return 2.0; }).median < most_median);
    scan(edge, {.truth = [](double) { return 0.8; }, .seed = 2}, 1, 2.1);
    edge.update(2.1);
    check_specification(compare(edge, 3.5 / 30, [](double) { return 0.8; }));
    edge.update(4);
    CHECK(edge.points() == 0);
    CHECK(std::count(edge.valid().begin(), edge.valid().end(), 0) == 300);
    CHECK(std::count(edge.heights().begin(), edge.heights().end(), 0.0) == 300);
}

TEST_CASE("working on new points only gives what all points at once give") {
    Edge gradual(seven_metres()), once(seven_metres());
    for (int i = 0; i < 10; ++i) {
        scan(gradual, {.density = 348, .truth = steps, .seed = unsigned(i)}, 0.1 * i, 0.1 * i + 0.1);
        scan(once, {.density = 348, .truth = steps, .seed = unsigned(i)}, 0.1 * i, 0.1 * i + 0.1);
        gradual.update(0.1 * i + 0.1);
    }
    once.update(1);
    CHECK(gradual.heights() == once.heights());
    CHECK(gradual.valid() == once.valid());
    once.clear();
    CHECK(once.points() == 0);
    once.update(1);
    CHECK(once.valid() == std::vector<std::uint8_t>(300));
}

TEST_CASE("a bin with too few points is not valid, and odd points are left out") {
    Edge edge;
    CHECK_FALSE(edge.add({-1, 0, 0}));
    CHECK_FALSE(edge.add({1, 0, 0}));
    CHECK_FALSE(edge.add({0, 5, 0}));
    CHECK_FALSE(edge.add({0, -5, 0}));
    CHECK_FALSE(edge.add({std::numeric_limits<double>::quiet_NaN(), 0, 0}));
    CHECK_FALSE(edge.add({0, std::numeric_limits<double>::infinity(), 0}));
    for (int i = 0; i < 10; ++i) CHECK(edge.add({0.0001, 0.01 * i, 0}));
    edge.update(0);
    CHECK(std::count(edge.valid().begin(), edge.valid().end(), 1) == 0);
    for (int i = 0; i < 10; ++i) CHECK(edge.add({0.0001, 0.01 * i, 0}));
    edge.update(0);
    CHECK(std::count(edge.valid().begin(), edge.valid().end(), 1) == 5);  // 70 mm to both sides of 30 mm
}

TEST_CASE("more points than the window may hold push out the oldest") {
    Edge::Parameters parameters;
    parameters.capacity = 100;
    Edge edge(parameters);
    for (int i = 0; i < 1000; ++i) edge.add({0.0001, 0.001 * (i % 100), 0});
    CHECK(edge.points() == 100);
    edge.update(0);
    CHECK(std::count(edge.valid().begin(), edge.valid().end(), 1) == 5);  // 70 mm to both sides of 30 mm
}

TEST_CASE("parameters that make no estimator are refused by name") {
    const auto refused = [](auto change) -> std::string {
        Edge::Parameters parameters;
        change(parameters);
        try {
            const Edge edge(parameters);
        } catch (const std::invalid_argument& problem) {
            return problem.what();
        }
        return "accepted";
    };
    using P = Edge::Parameters;
    CHECK(refused([](P&) {}) == "accepted");
    CHECK_THAT(refused([](P& p) { p.bins = 0; }), Catch::Contains("'edge.bins'"));
    CHECK_THAT(refused([](P& p) { p.span = -1; }), Catch::Contains("'edge.span'"));
    CHECK_THAT(refused([](P& p) { p.cell = 1e-9; }), Catch::Contains("'edge.cell'"));
    CHECK_THAT(refused([](P& p) { p.highest = -2; }), Catch::Contains("'edge.highest'"));
    CHECK_THAT(refused([](P& p) { p.noise = -1; }), Catch::Contains("'edge.noise'"));
    CHECK_THAT(refused([](P& p) { p.window = 0; }), Catch::Contains("'edge.window'"));
    CHECK_THAT(refused([](P& p) { p.rank = 0; }), Catch::Contains("'edge.rank'"));
    CHECK_THAT(refused([](P& p) { p.least_support = 0; }), Catch::Contains("'edge.least_support'"));
}

TEST_CASE("a point given by its place counts in the bin of its azimuth, at borders of bins too") {
    for (const auto& [start, span] :
         {std::pair(-0.15, 0.3), std::pair(0.0, 0.3), std::pair(3.0, 0.3), std::pair(-1.0, 2.0)}) {
        Edge by_azimuth({.start = start, .span = span}), by_place({.start = start, .span = span});
        std::mt19937 random(5);
        std::uniform_real_distribution<double> share(-0.1, 1.1), tiny(-3e-12, 3e-12), radius(29, 31);
        for (int i = 0; i < 20'000; ++i) {
            const double border = std::round(share(random) * 300) / 300 + tiny(random);
            const double azimuth = start + span * (i % 2 == 0 ? share(random) : border), r = radius(random);
            const double x = r * std::cos(azimuth), y = r * std::sin(azimuth), height = 0.001 * (i % 2000);
            const bool counted = by_azimuth.add({.azimuth = std::atan2(y, x), .height = height});
            if (by_place.add_at({.x = x, .y = y, .height = height}) != counted) FAIL_CHECK(azimuth);
        }
        CHECK(by_place.points() == by_azimuth.points());
        CHECK(by_place.points() > 5000);
        by_azimuth.update(0);
        by_place.update(0);
        CHECK(by_place.heights() == by_azimuth.heights());
        CHECK(by_place.valid() == by_azimuth.valid());
    }
}
