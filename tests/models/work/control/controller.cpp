#include "models/machine/posture/posture.hpp"
#include "models/work/control/ecu.hpp"
#include "models/work/control/tuning.hpp"
#include "models/work/control/valve_curve.hpp"
#include "tests/support/shipped_machine.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <random>

using models::control::Ecu;
using models::control::Jaw;
using models::control::JawParameters;
using models::control::Status;
using models::kinematics::Sensors;
using models::posture::Posture;

namespace {

const models::kinematics::Machine& excavator() {
    static const auto machine = tests::shipped_machine("demolition_excavator");
    return machine;
}

Sensors::Readings readings_of(const Posture& kinematics, const Sensors& sensors) {
    Sensors::Readings readings;
    for (std::size_t i = 0; i < sensors.axis_count(); ++i)
        readings.values[i] = sensors.kind(i) == Sensors::Kind::inclinometer ? kinematics.outputs.inclination[i]
                                                                            : kinematics.outputs.measured[i];
    readings.pitch = kinematics.inputs.pitch;
    readings.roll = kinematics.inputs.roll;
    return readings;
}

constexpr std::size_t boom = 2, jaw = 7;

/// A controller on ideal axes that follow at once.
struct Loop {
    Ecu ecu{excavator()};
    Posture kinematics{excavator()};
    models::motion::Speeds speeds[8];

    Loop() {
        models::control::tune(ecu);
        ecu.initialize(0);
        for (std::size_t i = 0; i < 8; ++i) speeds[i] = models::control::tuning_of(excavator().axes[i].name).speeds;
        ecu.inputs.enable = true;
        ecu.inputs.target = kinematics.inputs.position;
    }
    void run(double seconds) {
        for (int k = 0; k < static_cast<int>(std::round(seconds * 1000)); ++k) {
            if (k % 10 == 0) {
                kinematics.evaluate(0);
                ecu.inputs.readings = readings_of(kinematics, ecu.sensors());
            }
            ecu.step(0, 1e-3);
            for (std::size_t i = 0; i < 8; ++i) {
                const auto& stroke = kinematics.axes()[i].stroke();
                double& position = kinematics.inputs.position[i];
                position += 1e-3 * models::motion::steady_speed(ecu.outputs.command[i], speeds[i]);
                position = std::clamp(position, stroke.lower, stroke.upper);
            }
            const double place = kinematics.inputs.position[jaw];
            ecu.inputs.jaw_pressures = {place >= kinematics.axes()[jaw].stroke().upper ? 28e6 : 5e6,
                                        place <= kinematics.axes()[jaw].stroke().lower ? 28e6 : 5e6};
        }
    }
};

}  // namespace

TEST_CASE("the command for a speed gives that speed") {
    const models::motion::Speeds full{.extend = 0.115, .retract = 0.154};
    for (double speed = -0.15; speed < 0.115; speed += 0.0013) {
        const double command = models::control::command_for(speed, full);
        CHECK(models::motion::steady_speed(command, full) == Approx(speed).margin(1e-12));
        CHECK(std::abs(command) >= 0.15);
    }
    CHECK(models::control::command_for(0, full) == 0);
    CHECK(models::control::command_for(0.2, full) == 1);
    CHECK(models::control::command_for(-0.2, full) == -1);
}

TEST_CASE("measured inclinations give the joints and strokes, also on a leaning frame") {
    Posture kinematics(excavator());
    const Sensors sensors(excavator());
    std::mt19937 random(4);
    std::uniform_real_distribution<double> part(0.02, 0.98), lean(-0.15, 0.15);
    for (int k = 0; k < 200; ++k) {
        for (std::size_t i = 0; i < sensors.axis_count(); ++i) {
            const auto& stroke = kinematics.axes()[i].stroke();
            kinematics.inputs.position[i] = stroke.lower + part(random) * (stroke.upper - stroke.lower);
        }
        kinematics.inputs.pitch = lean(random);
        kinematics.inputs.roll = lean(random);
        kinematics.evaluate(0);
        std::vector<double> joints(excavator().joints.size(), 0.0);
        Sensors::PerAxis positions{};
        sensors.convert(readings_of(kinematics, sensors), joints, positions);
        for (std::size_t i = 0; i < sensors.axis_count(); ++i) {
            if (i == jaw) continue;
            CHECK(positions[i] == Approx(kinematics.inputs.position[i]).margin(1e-9));
            CHECK(joints[kinematics.axes()[i].joint_index()] == Approx(kinematics.outputs.joint[i]).margin(1e-9));
        }
    }
}

TEST_CASE("a reading that no pose gives is refused with the name of the axis") {
    const Sensors sensors(excavator());
    Posture kinematics(excavator());
    kinematics.evaluate(0);
    Sensors::Readings readings = readings_of(kinematics, sensors);
    readings.values[boom] += 1.5;
    std::vector<double> joints(excavator().joints.size(), 0.0);
    Sensors::PerAxis positions{};
    CHECK_THROWS_WITH(sensors.convert(readings, joints, positions), Catch::Contains("boom"));
}

TEST_CASE("the readings of the middle are what the kinematics measures there") {
    const Sensors sensors(excavator());
    Posture kinematics(excavator());
    kinematics.evaluate(0);
    const Sensors::Readings found = readings_of(kinematics, sensors), expected = sensors.middle();
    for (std::size_t i = 0; i < jaw; ++i) CHECK(found.values[i] == Approx(expected.values[i]).margin(1e-12));
}

TEST_CASE("sensors are called as the kinematics unit calls them") {
    const Sensors sensors(excavator());
    CHECK(sensors.signal(boom).name == "inclination.boom");
    CHECK(sensors.signal(0).name == "travel.length");
    CHECK(sensors.signal(1).name == "slew.length");
    CHECK(sensors.signal(6).name == "rotate.angle");
    CHECK(sensors.kind(jaw) == Sensors::Kind::none);
}

TEST_CASE("a switched-off controller gives no command and follows no target") {
    Loop loop;
    loop.ecu.inputs.enable = false;
    loop.ecu.inputs.target[boom] += 0.1;
    loop.run(1);
    CHECK(loop.ecu.outputs.status == Status::disabled);
    for (const double command : loop.ecu.outputs.command) CHECK(command == 0);
}

TEST_CASE("a far target is reached within the tolerance, and then the valve closes") {
    Loop loop;
    loop.run(0.1);
    loop.ecu.inputs.target[boom] += 0.1;
    loop.run(0.3);
    CHECK(loop.ecu.outputs.status == Status::moving);
    loop.run(4);
    CHECK(loop.ecu.outputs.status == Status::ready);
    CHECK(loop.kinematics.inputs.position[boom] == Approx(loop.ecu.inputs.target[boom]).margin(5e-4));
    CHECK(loop.ecu.outputs.command[boom] == 0);
}

TEST_CASE("switching off while moving closes the valves within the stop time") {
    Loop loop;
    loop.run(0.1);
    loop.ecu.inputs.target[boom] += 0.1;
    loop.run(0.8);
    CHECK(loop.ecu.outputs.command[boom] > 0.3);
    loop.ecu.inputs.enable = false;
    loop.run(0.101);
    CHECK(loop.ecu.outputs.command[boom] == 0);
}

TEST_CASE("a target beyond the stroke ends at the stroke") {
    Loop loop;
    loop.run(0.1);
    loop.ecu.inputs.target[boom] = 3;
    loop.run(8);
    CHECK(loop.kinematics.inputs.position[boom] == Approx(0.5).margin(1e-3));
    CHECK(loop.ecu.outputs.status != Status::fault);
}

TEST_CASE("an axis that does not follow is a fault until the controller is switched off") {
    Loop loop;
    loop.speeds[boom] = {1e-4, 1e-4};
    loop.run(0.1);
    loop.ecu.inputs.target[boom] += 0.2;
    loop.run(6);
    CHECK(loop.ecu.outputs.status == Status::fault);
    CHECK(loop.ecu.outputs.command[boom] == 0);
    CHECK_THAT(loop.ecu.explanation(), Catch::Contains("axis 'boom'") && Catch::Contains("does not follow"));
    loop.ecu.inputs.enable = false;
    loop.run(0.1);
    CHECK(loop.ecu.outputs.status == Status::disabled);
}

TEST_CASE("a reading that no pose gives is a fault that closes the valves") {
    Loop loop;
    loop.run(0.1);
    loop.ecu.inputs.target[boom] += 0.1;
    loop.run(0.5);
    loop.ecu.inputs.readings.values[boom] += 2;
    for (int k = 0; k < 101; ++k) loop.ecu.step(0, 1e-3);
    CHECK(loop.ecu.outputs.status == Status::fault);
    CHECK(loop.ecu.outputs.command[boom] == 0);
    CHECK_THAT(loop.ecu.explanation(), Catch::Contains("'boom'"));
}

TEST_CASE("a long saturated error does not wind the integral up") {
    Loop loop;
    loop.speeds[boom] = {0.02, 0.02};  // a quarter of what the controller expects
    loop.ecu.parameters.axes[boom].largest_error = 1;
    loop.run(0.1);
    const double goal = loop.ecu.inputs.target[boom] += 0.1;
    double highest = 0;
    for (int k = 0; k < 100; ++k) {
        loop.run(0.1);
        highest = std::max(highest, loop.kinematics.inputs.position[boom]);
    }
    CHECK(highest <= goal + 1e-3);
    CHECK(loop.kinematics.inputs.position[boom] == Approx(goal).margin(1e-3));
}

TEST_CASE("the jaw gets full command until the pressure shows that it stands") {
    Loop loop;
    loop.ecu.inputs.target[jaw] = 0.259;
    loop.run(1);
    CHECK(loop.ecu.outputs.command[jaw] == 1);
    loop.run(2);
    CHECK(loop.ecu.outputs.command[jaw] == 0);
    CHECK(loop.kinematics.inputs.position[jaw] == 0.259);
    CHECK(loop.ecu.state.jaw.estimate == 0.259);
    SECTION("and is brought to a place between its ends by time") {
        loop.ecu.inputs.target[jaw] = 0.1;
        loop.run(3);
        CHECK(loop.kinematics.inputs.position[jaw] == Approx(0.1).margin(2e-3));
    }
}

TEST_CASE("a jaw whose pressure never rises stops when the time of its way has passed") {
    const JawParameters parameters;
    Jaw open;
    open.begin(0);
    open.aim(parameters.upper, parameters);
    double time = 0;
    while (!open.rests() && time < 100) {
        open.step(1e-3, {1e6, 1e6}, parameters);
        time += 1e-3;
    }
    CHECK(time == Approx(1.5 * 0.259 / 0.091 + 0.5).margin(0.01));
}

TEST_CASE("a short peak of pressure does not stop the jaw") {
    const JawParameters parameters;
    Jaw closing;
    closing.begin(0);
    closing.aim(parameters.upper, parameters);
    for (int k = 0; k < 30; ++k) closing.step(1e-3, {27e6, 0}, parameters);
    closing.step(1e-3, {5e6, 0}, parameters);
    CHECK(closing.command == 1);
    for (int k = 0; k < 60; ++k) closing.step(1e-3, {5e6, 27e6}, parameters);
    CHECK(closing.command == 1);  // the pressure of the other chamber says nothing
}

TEST_CASE("a target that is no number is refused and named") {
    Loop loop;
    loop.ecu.inputs.target[boom] = std::nan("");
    CHECK_THROWS_WITH(loop.run(0.01), Catch::Contains("boom.target"));
}

TEST_CASE("parameters out of range are named") {
    Loop loop;
    loop.ecu.parameters.axes[boom].acceleration = -1;
    CHECK_THROWS_WITH(loop.ecu.initialize(0), Catch::Contains("boom.acceleration"));
}

TEST_CASE("a copied controller goes on exactly as the original") {
    Loop loop;
    loop.run(0.1);
    loop.ecu.inputs.target[boom] += 0.1;
    loop.run(0.5);
    Ecu copy = loop.ecu;
    for (int k = 0; k < 300; ++k) {
        loop.ecu.step(0, 1e-3);
        copy.step(0, 1e-3);
    }
    CHECK(copy.outputs.command == loop.ecu.outputs.command);
}
