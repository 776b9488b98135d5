#include "tests/models/work/planning/task.hpp"
#include "tests/support/long_cases.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

using models::planning::Automation;
using models::planning::Phase;
using tests::excavator;
using tests::Task;

namespace {

void check_done(Task& task) {
    WARN(task.time << " s simulated, " << task.automation.outputs.bite << " bites, "
                   << 100 * (1 - task.left_above_target()) << " % removed, lowest " << 1000 * task.lowest()
                   << " mm above the target");
    INFO(task.automation.explanation());
    CHECK(task.automation.outputs.phase == Phase::done);
    CHECK(task.left_above_target() <= 0.05);
    CHECK(task.lowest() >= -0.05);
    CHECK(task.automation.outputs.progress > 0.95);
    CHECK(task.time < 400);
}

}  // namespace

TEST_CASE("the segment is demolished down to the target whatever the noise of the edge is", "[whole]") {
    const std::uint64_t seed = GENERATE(1, 2, 3);
    if (seed != 1 && !tests::long_cases()) return;
    Task task(excavator(), {.noise_seed = seed});
    task.run(1000);
    check_done(task);
}

TEST_CASE("a wall with notches is demolished as well", "[whole]") {
    const std::uint64_t seed = GENERATE(7, 8, 9);
    if (seed != 7 && !tests::long_cases()) return;
    Task task(excavator(), {.noise_seed = seed, .notch_seed = seed});
    task.run(1000);
    check_done(task);
}

TEST_CASE("axes a fifth slower or a tenth faster than assumed do not spoil the result", "[whole]") {
    const double gain = GENERATE(0.8, 1.1);
    Task task(excavator(), {.gain = gain});
    task.run(1000);
    INFO(task.automation.explanation());
    CHECK(task.automation.outputs.phase == Phase::done);
    CHECK(task.left_above_target() <= 0.05);
    CHECK(task.lowest() >= -0.05);
}

TEST_CASE("bites are at most a box high, and the jaw only closes when the tool stands") {
    Task task(excavator(), {});
    double removed = 0, deepest = 0, last_bottom = 0, fastest = 0;
    const double half = excavator().tool_box.z() / 2;
    task.run(60, [&](double) {
        const auto& outputs = task.kinematics.outputs;
        if (task.wall.state.removed > removed + 1e-9) {
            deepest = std::max(deepest, (task.wall.state.removed - removed) / (0.86 * 0.18));
            fastest = std::max(fastest, std::abs(outputs.tool_pose[2] - half - last_bottom) / 0.01);
            removed = task.wall.state.removed;
        }
        last_bottom = outputs.tool_pose[2] - half;
    });
    CHECK(removed > 0.2);
    CHECK(deepest < 0.56);
    CHECK(fastest < 0.05);
}

TEST_CASE("the machine travels only over rim that is at the target", "[whole]") {
    Task task(excavator(), {});
    double worst = 0;
    task.run(1000, [&](double) {
        const double front = task.automation.state.place.travel + 0.4;
        const auto& ring = task.wall.ring;
        for (std::size_t column = 0; column < ring.columns && ring.radius * ring.azimuth(column) < front; ++column)
            for (std::size_t row = 0; row < ring.rows; ++row)
                worst = std::max(worst, std::abs(task.wall.state.heights[column * ring.rows + row] + ring.base));
    });
    CHECK(worst <= 0.05);
    CHECK(task.automation.state.place.travel > 8);
}

TEST_CASE("an edge that is nowhere valid stops the machine within two cycles, and it says why") {
    Task task(excavator(), {});
    double stopped = 0;
    task.spoil = [](double t, Automation::Inputs& inputs) {
        if (t >= 20) inputs.edge_valid.fill(false);
    };
    task.run(100, [&](double t) {
        if (stopped == 0 && task.automation.stopped()) stopped = t;
    });
    CHECK(task.automation.outputs.phase == Phase::stopped_edge_invalid);
    CHECK(stopped <= 20.2 + 1e-9);
    CHECK(task.automation.explanation() == "no azimuth of the edge is valid, expected at least one");
    CHECK_FALSE(task.automation.outputs.enable);
    for (const double velocity : task.drive->velocity()) CHECK(std::abs(velocity) < 1e-6);
}

TEST_CASE("an edge that is frozen stops the machine within two cycles, and it says why") {
    Task task(excavator(), {});
    double stopped = 0;
    task.spoil = [](double t, Automation::Inputs& inputs) {
        if (t >= 20) inputs.edge_sequence = 200;
    };
    task.run(100, [&](double t) {
        if (stopped == 0 && task.automation.stopped()) stopped = t;
    });
    CHECK(task.automation.outputs.phase == Phase::stopped_edge_frozen);
    CHECK(stopped <= 20.3 + 1e-9);
    CHECK_THAT(task.automation.explanation(), Catch::Contains("edge.sequence stays at 200"));
    for (const double velocity : task.drive->velocity()) CHECK(std::abs(velocity) < 1e-6);
}

TEST_CASE("before a first edge nothing is commanded, and an edge that never comes ends the wait") {
    const bool frozen = GENERATE(false, true);
    Task task(excavator(), {});
    task.spoil = [frozen](double, Automation::Inputs& inputs) {
        if (frozen) inputs.edge_sequence = 0;
        if (!frozen) inputs.edge_valid.fill(false);
    };
    const auto before = task.drive->position();
    double stopped = 0;
    bool enabled = false;
    task.run(100, [&](double t) {
        enabled = enabled || task.automation.outputs.enable;
        if (stopped == 0 && task.automation.stopped()) stopped = t;
    });
    CHECK(task.automation.outputs.phase == (frozen ? Phase::stopped_edge_frozen : Phase::stopped_edge_invalid));
    CHECK_THAT(task.automation.explanation(), Catch::Contains(frozen ? "edge.sequence stays at 0" : "no azimuth") &&
                                                  Catch::Contains("after the start"));
    // The window of points, two cycles, and the step in which it was started.
    CHECK(stopped <= task.automation.parameters.edge_window + 0.3 + 1e-9);
    CHECK_FALSE(enabled);
    CHECK(task.drive->position() == before);
}

TEST_CASE("an edge that is lost while the machine still waits stops it within two cycles") {
    Task task(excavator(), {});
    double stopped = 0;
    task.spoil = [](double t, Automation::Inputs& inputs) {
        if (t >= 0.5) inputs.edge_valid.fill(false);
    };
    task.run(100, [&](double t) {
        if (stopped == 0 && task.automation.stopped()) stopped = t;
    });
    CHECK(task.automation.outputs.phase == Phase::stopped_edge_invalid);
    CHECK(stopped <= 0.7 + 1e-9);
}

TEST_CASE("a height that is no number is refused and named") {
    Task task(excavator(), {});
    task.spoil = [](double, Automation::Inputs& inputs) {
        inputs.edge_valid[41] = true;
        inputs.edge_height[41] = std::nan("");
    };
    CHECK_THROWS_WITH(task.run(10), Catch::Contains("edge.height[42]") && Catch::Contains("perception"));
}

TEST_CASE("a target below the reach of the tool stops the machine before it moves") {
    Task task(excavator(), {});
    task.automation.parameters.target = -4;
    const auto before = task.drive->position();
    task.run(100);
    CHECK(task.automation.outputs.phase == Phase::stopped_out_of_reach);
    CHECK_THAT(task.automation.explanation(), Catch::Contains("column 1 of 15") && Catch::Contains("out of reach"));
    CHECK(task.drive->position()[2] == Approx(before[2]).margin(1e-3));
    CHECK(task.automation.outputs.bite == 0);
}

TEST_CASE("a segment that begins under the machine itself is not begun") {
    Task task(excavator(), {});
    task.automation.parameters.segment_start = 0.5;
    task.automation.initialize(0);
    task.run(100);
    CHECK(task.automation.outputs.phase == Phase::stopped_out_of_reach);
    CHECK(task.automation.outputs.bite == 0);
    CHECK(task.automation.state.place.travel == Approx(0).margin(1e-3));
}

TEST_CASE("a wall that stands before the segment is not passed, and the machine says so") {
    const double start = GENERATE(4.0, 6.0, 40.0);
    Task task(excavator(), {});
    task.automation.parameters.segment_start = start;
    task.automation.initialize(0);
    const auto before = task.drive->position();
    task.run(100);
    CHECK(task.automation.outputs.phase == Phase::stopped_rim_not_low);
    CHECK_THAT(task.automation.explanation(), Catch::Contains("before the segment") && Catch::Contains("2.0"));
    CHECK(task.automation.outputs.bite == 0);
    for (std::size_t axis = 0; axis < before.size(); ++axis)
        if (axis != task.automation.mover().jaw()) CHECK(std::abs(task.drive->position()[axis] - before[axis]) < 1e-3);
}

TEST_CASE("the machine does not travel further than it can see the rim") {
    Task task(excavator(), {});
    task.automation.parameters.segment_start = 20;
    task.automation.initialize(0);
    // Something is seen, but nothing of the way to the segment.
    task.spoil = [](double, Automation::Inputs& inputs) {
        inputs.edge_valid.fill(false);
        inputs.edge_valid[2] = true;
        inputs.edge_height[2] = 0;
    };
    task.run(100);
    CHECK(task.automation.outputs.phase == Phase::stopped_rim_not_low);
    CHECK_THAT(task.automation.explanation(), Catch::Contains("9.0") && Catch::Contains("20.0"));
    CHECK(task.automation.state.place.travel == Approx(0).margin(1e-3));
}

TEST_CASE("an axis that does not follow is a fault that stops the task") {
    Task task(excavator(), {});
    auto drive = std::make_unique<tests::IdealDrive>(excavator(), Task::start(excavator()), 1);
    drive->block(2);
    task.drive = std::move(drive);
    task.run(200);
    CHECK((task.automation.outputs.phase == Phase::stopped_controller_fault ||
           task.automation.outputs.phase == Phase::stopped_not_following));
    CHECK_FALSE(task.automation.explanation().empty());
}

TEST_CASE("parameters that make no sense are refused with what was found and expected") {
    using Parameters = Automation::Parameters;
    struct Wrong {
        double Parameters::*parameter;
        double value;
        std::string found, expected;
    };
    const double nan = std::nan(""), infinite = std::numeric_limits<double>::infinity();
    const auto [parameter, value, found, expected] = GENERATE_COPY(values<Wrong>({
        {&Parameters::ring_radius, 0, "'ring.radius' is 0.0", "more than 0.0"},
        {&Parameters::ring_radius, 1e9, "'ring.radius' is 1000000000.0", "at most 1000.0"},
        {&Parameters::segment_start, nan, "'segment.start' is nan", "a finite number"},
        {&Parameters::segment_length, -12, "'segment.length' is -12.0", "more than 0.0"},
        {&Parameters::segment_length, 200, "'segment.length' is 200.0", "at most 188.49"},
        {&Parameters::target, infinite, "'segment.target' is inf", "a finite number"},
        {&Parameters::height, 0, "'segment.height' is 0.0", "more than 0.0"},
        {&Parameters::edge_start, -0.3, "'edge.start' is -0.3", "more than -0.3"},
        {&Parameters::edge_span, 0, "'edge.span' is 0.0", "more than 0.0"},
        {&Parameters::edge_window, -1, "'edge.window' is -1.0", "more than 0.0"},
        {&Parameters::edge_patience, infinite, "'edge.patience' is inf", "finite"},
        {&Parameters::aim, 0.1, "'cut.aim' is 0.1", "at most 0.05"},
        {&Parameters::tolerance, 0, "'cut.tolerance' is 0.0", "more than 0.0"},
        {&Parameters::depth, 3, "'cut.depth' is 3.0", "at most 0.5"},
        {&Parameters::overlap, -5, "'cut.overlap' is -5.0", "at least 0.0"},
        {&Parameters::overlap, 0.85, "'cut.overlap' is 0.85", "at most 0.43"},
        {&Parameters::clearance, 0, "'cut.clearance' is 0.0", "at least 0.06"},
        {&Parameters::offset, 0.3, "'cut.offset' is 0.3", "at most 0.25"},
        {&Parameters::place_tolerance, 0.1, "'cut.place_tolerance' is 0.1", "at most 0.07"},
        {&Parameters::near, -1, "'travel.near' is -1.0", "more than 0.0"},
        {&Parameters::front, -1, "'travel.front' is -1.0", "at least 0.0"},
        {&Parameters::jaw_open, 0.3, "'jaw.open' is 0.3", "at most 0.259"},
        {&Parameters::jaw_clear, 0.01, "'jaw.clear' is 0.01", "at least 0.09"},
        {&Parameters::jaw_closed, 0.5, "'jaw.closed' is 0.5", "at most 0.259"},
        {&Parameters::speed_share, 5, "'speed_share' is 5.0", "at most 1.0"},
    }));
    Automation automation(excavator());
    automation.parameters.*parameter = value;
    CHECK_THROWS_AS(automation.initialize(0), std::invalid_argument);
    CHECK_THROWS_WITH(automation.initialize(0),
                      Catch::Contains(found) && Catch::Contains("expected") && Catch::Contains(expected));
}

TEST_CASE("a copied task goes on exactly as the original") {
    Task task(excavator(), {});
    task.run(30);
    Automation copy = task.automation;
    task.automation.inputs.edge_sequence += 1;
    copy.inputs = task.automation.inputs;
    for (int i = 0; i < 20; ++i) {
        ++task.automation.inputs.edge_sequence;
        ++copy.inputs.edge_sequence;
        task.automation.step(30 + 0.1 * i, 0.1);
        copy.step(30 + 0.1 * i, 0.1);
    }
    CHECK(copy.outputs.target == task.automation.outputs.target);
    CHECK(copy.outputs.phase == task.automation.outputs.phase);
    CHECK(copy.state.elapsed == task.automation.state.elapsed);
}

TEST_CASE("the first columns fall as well with full hydraulics and masses", "[whole]") {
    Task task(excavator(), {}, std::make_unique<tests::HydraulicDrive>(excavator(), Task::start(excavator())));
    task.run(60);
    INFO(task.automation.explanation());
    WARN(task.automation.outputs.bite << " bites in 60 s, lowest " << task.lowest() << " m");
    CHECK_FALSE(task.automation.stopped());
    CHECK(task.automation.outputs.bite >= 8);
    CHECK(task.lowest() >= -0.05);
}

TEST_CASE("readings that no pose gives stop the task, which says of which axis") {
    Task task(excavator(), {});
    task.spoil = [](double t, Automation::Inputs& inputs) {
        if (t >= 10) inputs.readings.values[2] += 2;
    };
    task.run(10.3);
    CHECK(task.automation.outputs.phase == Phase::stopped_sensor_fault);
    CHECK_THAT(task.automation.explanation(), Catch::Contains("'boom'"));
    CHECK_FALSE(task.automation.outputs.enable);
}
