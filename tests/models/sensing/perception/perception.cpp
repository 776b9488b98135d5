#include "models/sensing/perception/perception.hpp"

#include "tests/support/shipped_machine.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <random>

using namespace models;
using models::perception::Perception;

namespace {

/// The shipped machine in the middle of its strokes, with a sensor cloud made by hand.
class World {
public:
    World() : machine(tests::shipped_machine("demolition_excavator")) {
        const kinematics::Tree tree(machine);
        const auto axes = kinematics::linkages(machine);
        const kinematics::Sensors sensors(machine);
        joints.assign(machine.joints.size(), 0);
        for (std::size_t i = 0; i < axes.size(); ++i) {
            const auto& stroke = axes[i].stroke();
            const double middle = std::isfinite(stroke.lower) ? (stroke.lower + stroke.upper) / 2 : 0;
            joints[axes[i].joint_index()] = axes[i].name() == "travel" ? 0 : axes[i].joint(middle);
            if (sensors.kind(i) == kinematics::Sensors::Kind::position && axes[i].name() != "travel")
                readings.values[i] = middle;
        }
        poses.assign(machine.links.size(), Eigen::Isometry3d::Identity());
        tree.place({}, joints, poses);
        for (std::size_t i = 0; i < axes.size(); ++i) {
            if (sensors.kind(i) != kinematics::Sensors::Kind::inclinometer) continue;
            const Eigen::Vector3d forward = poses[axes[i].joint_index() + 1].linear().col(0);
            const Eigen::Vector3d upward = poses[axes[i].joint_index() + 1].linear().col(2);
            readings.values[i] = std::atan2(forward.z(), upward.z());
        }
    }

    [[nodiscard]] std::size_t link(const std::string& name) const {
        for (std::size_t i = 0; i < machine.links.size(); ++i)
            if (machine.links[i].name == name) return i;
        throw std::runtime_error("no link " + name);
    }
    /// A point of the ring's frame as the sensor sees it.
    [[nodiscard]] Perception::Point seen(const Eigen::Vector3d& place, double time) const {
        const Eigen::Vector3d p = poses[link("lidar")].inverse() * place;
        return {p.x(), p.y(), p.z(), time};
    }
    [[nodiscard]] Perception made() const {
        Perception perception(machine, "lidar");
        perception.inputs.readings = readings;
        perception.initialize(0);
        return perception;
    }

    kinematics::Machine machine;
    kinematics::Sensors::Readings readings;
    std::vector<double> joints;
    std::vector<Eigen::Isometry3d> poses;
};

Eigen::Vector3d on_face(double azimuth, double height, double radius = 29.91) {
    return {radius * std::cos(azimuth), radius * std::sin(azimuth), height};
}

/// Evenly scattered points on the face, 3500 per m^2, up to `top(azimuth)`.
template <typename Top>
void scan(const World& world, Perception& perception, Top top, double noise) {
    std::mt19937 random(7);
    std::normal_distribution<double> error(0, noise);
    std::uniform_real_distribution<double> anywhere(0, 1);
    constexpr int points = 40000;
    for (int i = 0; i < points; ++i) {
        const double azimuth = 0.05 + 0.15 * anywhere(random);
        const double height = -0.5 + 3 * anywhere(random);
        if (height > top(azimuth)) continue;
        Perception::Point point = world.seen(on_face(azimuth, height), i * 1e-5);
        const double range = std::hypot(point.x, point.y, point.z);
        const double stretch = (range + error(random)) / range;
        point.x *= stretch, point.y *= stretch, point.z *= stretch;
        perception.add(point);
    }
}

}  // namespace

TEST_CASE("the edge of a wall with a step is found where the sensor looks") {
    const World world;
    Perception perception = world.made();
    perception.begin();
    const auto top = [](double azimuth) { return azimuth < 0.14 ? 0.5 : 1.2; };
    scan(world, perception, top, 0.02);
    perception.finish(0.4);
    CHECK(perception.outputs.sequence == 1);
    std::vector<double> errors;
    for (std::size_t bin = 0; bin < Perception::bins; ++bin) {
        const double azimuth = (static_cast<double>(bin) + 0.5) * 0.3 / Perception::bins;
        if (!perception.outputs.valid[bin] || std::fabs(azimuth - 0.14) < 0.004) continue;
        errors.push_back(std::fabs(perception.outputs.height[bin] - top(azimuth)));
    }
    REQUIRE(errors.size() > 60);
    std::sort(errors.begin(), errors.end());
    CHECK(errors[errors.size() / 2] < 0.015);
    CHECK(errors[errors.size() * 95 / 100] < 0.05);
}

TEST_CASE("points on the machine's bodies do not become wall, those on the tool are counted") {
    const World world;
    Perception perception = world.made();
    perception.begin();
    std::size_t on_tool = 0;
    double time = 0;
    for (std::size_t link = 0; link < world.machine.links.size(); ++link) {
        const bool tool = link >= *world.machine.tool;
        for (const auto& body : world.machine.links[link].bodies) {
            perception.add(world.seen(world.poses[link] * body.pose.translation(), time += 1e-5));
            on_tool += tool ? 1 : 0;
        }
    }
    perception.finish(0.1);
    CHECK(perception.outputs.wall == 0);
    CHECK(perception.outputs.tool >= on_tool);
    CHECK(on_tool > 0);
}

TEST_CASE("without new points the sequence stands still, and old points age out") {
    const World world;
    Perception perception = world.made();
    perception.begin();
    scan(
        world, perception, [](double) { return 1.0; }, 0.0);
    perception.finish(0.4);
    const auto valid = [&] {
        return std::count(perception.outputs.valid.begin(), perception.outputs.valid.end(), true);
    };
    CHECK(valid() > 60);
    perception.begin();
    perception.finish(3);
    CHECK(perception.outputs.sequence == 1);
    CHECK(valid() == 0);
}

TEST_CASE("with readings that no pose gives nothing is known") {
    const World world;
    Perception perception = world.made();
    perception.inputs.readings.values.fill(3);
    perception.begin();
    scan(
        world, perception, [](double) { return 1.0; }, 0.0);
    perception.finish(0.4);
    CHECK(perception.outputs.sequence == 0);
    CHECK(std::count(perception.outputs.valid.begin(), perception.outputs.valid.end(), true) == 0);
}

TEST_CASE("a machine without the sensor's link, and sizes that make no sense, are refused by name") {
    const World world;
    CHECK_THROWS_WITH(Perception(world.machine, "radar"), Catch::Contains("radar"));
    Perception perception = world.made();
    perception.parameters.margin = -1;
    CHECK_THROWS_WITH(perception.initialize(0), Catch::Contains("margin"));
}
