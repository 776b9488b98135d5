#include "models/machine/collision/scene.hpp"
#include "tests/models/work/planning/task.hpp"
#include "tests/support/long_cases.hpp"

#include <catch2/catch.hpp>
#include <map>

using models::collision::Contact;
using models::planning::Phase;
using tests::excavator;
using tests::Task;

namespace {

/// What touches in the present state of a task.
class Watch {
public:
    explicit Watch(models::collision::Scene scene) : scene_(std::move(scene)) {}

    std::optional<Contact> look(const Task& task) {
        const auto& values = task.kinematics.outputs.link_poses;
        poses_.resize(values.size() / 7);
        for (std::size_t i = 0; i < poses_.size(); ++i) {
            const double* pose = &values[7 * i];
            poses_[i] = Eigen::Translation3d(pose[0], pose[1], pose[2]) *
                        Eigen::Quaterniond(pose[6], pose[3], pose[4], pose[5]);
        }
        const auto& ring = task.wall.ring;
        return scene_.deepest(poses_, {.inner_radius = ring.radius - ring.thickness / 2,
                                       .outer_radius = ring.radius + ring.thickness / 2,
                                       .first_azimuth = ring.start,
                                       .azimuth_step = ring.azimuth_step(),
                                       .base = ring.base,
                                       .columns = ring.columns,
                                       .rows = ring.rows,
                                       .heights = task.wall.state.heights});
    }

private:
    models::collision::Scene scene_;
    std::vector<Eigen::Isometry3d> poses_;
};

models::collision::Scene rules() {
    models::collision::Scene scene(excavator());
    scene.ignore_wall("runners");
    return scene;
}

}  // namespace

TEST_CASE("nothing touches during the whole task: no link another, and only closing jaws the wall", "[whole]") {
    const std::uint64_t seed = GENERATE(1, 7);  // 7: with notches
    if (seed != 7 && !tests::long_cases()) return;
    Task task(excavator(), {.noise_seed = seed, .notch_seed = seed == 1 ? 0U : seed});
    models::collision::Scene biting = rules();
    biting.ignore_wall("jaw");
    biting.ignore_wall("shell");
    Watch strict(rules()), lenient(biting);
    std::map<std::string, std::pair<double, double>> found;
    int looks = 0;
    task.run(1000, [&](double t) {
        if (++looks % 5 != 0) return;
        const Phase phase = task.automation.outputs.phase;
        const bool bites = phase == Phase::close || phase == Phase::open || phase == Phase::retract;
        const auto contact = (bites ? lenient : strict).look(task);
        if (!contact) return;
        const std::string second =
            contact->second < 0 ? "wall" : excavator().links[static_cast<std::size_t>(contact->second)].name;
        auto& worst = found[excavator().links[static_cast<std::size_t>(contact->first)].name + " " + second];
        if (contact->depth > worst.first) worst = {contact->depth, t};
    });
    CHECK(task.automation.outputs.phase == Phase::done);
    for (const auto& [pair, worst] : found) FAIL_CHECK(pair << ": " << worst.first << " m at " << worst.second << " s");
}

TEST_CASE("a tool that begins in a notch is lifted out of it before it goes along the wall") {
    auto drive =
        std::make_unique<tests::IdealDrive>(excavator(), Task::start(excavator(), {.along = 4.6, .bottom = 0.5}), 1);
    Task task(excavator(), {}, std::move(drive));
    const auto& ring = task.wall.ring;
    for (std::size_t column = 0; column < ring.columns; ++column)
        if (std::abs(ring.radius * ring.azimuth(column) - 4.6) < 0.6)
            for (std::size_t row = 0; row < ring.rows; ++row) task.wall.state.heights[column * ring.rows + row] = 1;
    Watch watch(rules());
    double deepest = 0;
    task.run(30, [&](double) {
        if (task.automation.outputs.bite > 0 || task.automation.outputs.phase == Phase::close) return;
        const auto contact = watch.look(task);
        if (contact) deepest = std::max(deepest, contact->depth);
    });
    CHECK(task.automation.outputs.bite > 0);
    CHECK(deepest == 0);
}

TEST_CASE("nothing but the shells touches where notches reach almost down to the target", "[whole]") {
    const std::uint64_t seed = GENERATE(11, 21, 31);
    if (seed != 11 && !tests::long_cases()) return;
    Task task(excavator(), {.notch_seed = seed, .notches = {.count = 6, .depth = 1.9, .width = 2}});
    models::collision::Scene biting = rules();
    biting.ignore_wall("jaw");
    biting.ignore_wall("shell");
    Watch watch(biting);
    double deepest = 0;
    int looks = 0;
    task.run(1000, [&](double) {
        if (++looks % 5 != 0) return;
        const auto contact = watch.look(task);
        if (contact) deepest = std::max(deepest, contact->depth);
    });
    INFO(task.automation.explanation());
    CHECK(task.automation.outputs.phase == Phase::done);
    CHECK(deepest == 0);
    CHECK(task.left_above_target() <= 0.05);
    CHECK(task.lowest() >= -0.05);
}

TEST_CASE("the tool stays clear of a narrow ridge in a notch, seen or not") {
    const bool seen = GENERATE(true, false);
    Task task(excavator(), {});
    const auto& ring = task.wall.ring;
    for (std::size_t column = 0; column < ring.columns; ++column) {
        const double along = ring.radius * ring.azimuth(column);
        if (along > 4.5 || std::abs(along - 2.9) < 0.05) continue;
        for (std::size_t row = 0; row < ring.rows; ++row) task.wall.state.heights[column * ring.rows + row] = 2;
    }
    // Bins of 30 mm: those that show the ridge.
    if (!seen)
        task.spoil = [](double, models::planning::Automation::Inputs& inputs) {
            std::fill_n(inputs.edge_valid.begin() + 91, 12, false);
        };
    models::collision::Scene biting = rules();
    biting.ignore_wall("jaw");
    biting.ignore_wall("shell");
    Watch watch(biting);
    double deepest = 0;
    task.run(40, [&](double) {
        const auto contact = watch.look(task);
        if (contact) deepest = std::max(deepest, contact->depth);
    });
    CHECK(task.automation.outputs.bite > 3);
    CHECK(deepest == 0);
}

TEST_CASE("a way through the wall is seen as a collision of the pulverizer's body with the wall, as deep as it is") {
    Task task(excavator(), {.noise = 0});
    // An automation that believes in a wall 1 m lower goes through the real one.
    task.automation.parameters.height = 1;
    task.spoil = [](double, models::planning::Automation::Inputs& inputs) {
        for (double& height : inputs.edge_height) height -= 1;
    };
    Watch watch(rules());
    std::optional<Contact> deepest;
    task.run(20, [&](double) {
        const auto contact = watch.look(task);
        if (contact && (!deepest || contact->depth > deepest->depth)) deepest = contact;
    });
    REQUIRE(deepest);
    CHECK(excavator().links[static_cast<std::size_t>(deepest->first)].name == "pulverizer");
    CHECK(deepest->second == models::collision::wall);
    // The body is lowered more than 0.8 m over the wall's top; the shortest way out is sideways, inwards: half the wall
    // and half the body, less what the tool stands off the wall's middle. The ring bends 1 mm over the body, the tool
    // is placed within 5 mm.
    const double half_wall = task.wall.ring.thickness / 2, half_body = 0.25;
    CHECK(deepest->depth == Approx(half_wall + half_body - task.automation.parameters.offset).margin(0.006));
}
