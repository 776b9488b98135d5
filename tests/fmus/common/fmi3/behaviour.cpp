#include "tests/support/fmi3_unit.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <numbers>

using tests::Fmi3Unit;

namespace {

// Runge-Kutta of order 4 with 20 stages per step of 10 ms, on oscillations of a few hertz.
constexpr double integration = 1e-9;

}  // namespace

TEST_CASE("the ball returns early at each impact when its importer takes part in events") {
    const Fmi3Unit ball("bouncing_ball", {.event_mode = true, .early_return = true});
    REQUIRE(ball.initialize() == fmi3OK);
    CHECK(ball.update_discrete().status == fmi3OK);
    REQUIRE(ball("fmi3EnterStepMode") == fmi3OK);
    double t = 0;
    std::vector<double> impacts;
    while (impacts.size() < 3) {
        const auto step = ball.step(t, 0.3);
        REQUIRE(step.status == fmi3OK);
        CHECK(step.early == step.event);
        t = step.reached;
        if (!step.event) continue;
        impacts.push_back(t);
        REQUIRE(ball("fmi3EnterEventMode") == fmi3OK);
        CHECK(ball.get("v") < 0);
        CHECK(ball.update_discrete().states);
        CHECK(ball.get("v") > 0);
        REQUIRE(ball("fmi3EnterStepMode") == fmi3OK);
    }
    CHECK(std::abs(impacts[0] - 0.451523641) < 5e-10);
    CHECK(std::abs(impacts[1] - 1.083656738) < 5e-10);
    CHECK(std::abs(impacts[2] - 1.526149907) < 5e-10);
}

TEST_CASE("the ball handles impacts itself when its importer does not") {
    const Fmi3Unit ball("bouncing_ball");
    REQUIRE(ball.initialize() == fmi3OK);
    const auto step = ball.step(0, 1);
    CHECK(step.status == fmi3OK);
    CHECK_FALSE(step.event);
    CHECK_FALSE(step.early);
    CHECK(step.reached == 1);
    const double fall = std::sqrt(2 / 9.81);
    const double since = 1 - fall;
    CHECK(std::abs(ball.get("h") - (0.7 * 9.81 * fall * since - 9.81 / 2 * since * since)) < 1e-12);
}

TEST_CASE("the stair ticks at whole seconds and asks for the end") {
    const Fmi3Unit stair("stair");
    REQUIRE(stair.initialize() == fmi3OK);
    const fmi3ValueReference counter = stair.fmu()["counter"].reference;
    const auto count = [&] {
        fmi3Int32 value = 0;
        REQUIRE(stair.call<fmi3GetInt32TYPE>("fmi3GetInt32")(stair.instance(), &counter, 1, &value, 1) == fmi3OK);
        return value;
    };
    for (int i = 0; i < 90; ++i) {
        CHECK(count() == 1 + i / 10);
        const auto step = stair.step(i * 0.1, 0.1);
        CHECK(step.terminate == (i == 89));
    }
    CHECK(count() == 10);
}

TEST_CASE("a linear input by intermediate update is integrated as such") {
    std::vector<double> asked;
    Fmi3Unit* self = nullptr;
    const tests::BuiltFmu facts(tests::built_folder("mass_left", 3), "mass_left", 3);
    Fmi3Unit mass("mass_left", {.intermediate = {facts["F"].reference}, .set_inputs = [&](double t) {
                                    asked.push_back(t);
                                    CHECK(self->set("F", 3 * t) == fmi3OK);
                                }});
    self = &mass;
    CHECK(mass.set("k", 0) == fmi3OK);
    CHECK(mass.set("x0", 0) == fmi3OK);
    REQUIRE(mass.initialize() == fmi3OK);
    REQUIRE(mass.step(0, 1).status == fmi3OK);
    CHECK(std::abs(mass.get("x") - 0.5) < 1e-12);  // x'' = 3 t
    REQUIRE_FALSE(asked.empty());
    CHECK(std::is_sorted(asked.begin(), asked.end()));
    CHECK(asked.back() == 1);
}

TEST_CASE("a unit that steps by itself asks for a straight line") {
    Fmi3Unit* self = nullptr;
    const tests::BuiltFmu facts(tests::built_folder("dahlquist_coupled", 3), "dahlquist_coupled", 3);
    Fmi3Unit unit("dahlquist_coupled", {.intermediate = {facts["u"].reference},
                                        .set_inputs = [&](double t) { CHECK(self->set("u", 0.5 + 3 * t) == fmi3OK); }});
    self = &unit;
    CHECK(unit.set("g", 2) == fmi3OK);
    REQUIRE(unit.initialize() == fmi3OK);
    REQUIRE(unit.step(0, 0.7).status == fmi3OK);
    CHECK(std::abs(unit.get("x") - (6 * 0.7 - 5 + 6 * std::exp(-0.7))) < 1e-13);
}

TEST_CASE("outputs follow inputs in initialisation, and the last step afterwards") {
    const Fmi3Unit affine("affine");
    CHECK(affine.set("a", 2) == fmi3OK);
    CHECK(affine.set("b", 1) == fmi3OK);
    REQUIRE(affine.enter_initialization() == fmi3OK);
    for (const double u : {0.0, 1.0, -3.0}) {
        CHECK(affine.set("u", u) == fmi3OK);
        CHECK(affine.get("y") == 2 * u + 1);
    }
    REQUIRE(affine("fmi3ExitInitializationMode") == fmi3OK);
    CHECK(affine.set("u", 10) == fmi3OK);
    CHECK(affine.get("y") == -5);
    REQUIRE(affine.step(0, 0.1).status == fmi3OK);
    CHECK(affine.get("y") == 21);
}

TEST_CASE("structural parameters change the sizes of arrays in Configuration Mode only") {
    const Fmi3Unit system("state_space");
    const auto set_size = [&](const std::string& name, fmi3UInt64 value) {
        const fmi3ValueReference reference = system.fmu()[name].reference;
        return system.call<fmi3SetUInt64TYPE>("fmi3SetUInt64")(system.instance(), &reference, 1, &value, 1);
    };
    CHECK(set_size("n", 2) == fmi3Error);
    REQUIRE(system("fmi3EnterConfigurationMode") == fmi3OK);
    CHECK(set_size("n", 1000000) == fmi3Error);
    CHECK(set_size("m", 1) == fmi3OK);
    CHECK(set_size("n", 2) == fmi3OK);
    CHECK(set_size("r", 2) == fmi3OK);
    CHECK(system.set("x0", 1) == fmi3Error);
    REQUIRE(system("fmi3ExitConfigurationMode") == fmi3OK);
    const auto set = [&](const std::string& name, std::vector<double> values) {
        const fmi3ValueReference reference = system.fmu()[name].reference;
        return system.call<fmi3SetFloat64TYPE>("fmi3SetFloat64")(system.instance(), &reference, 1, values.data(),
                                                                 values.size());
    };
    CHECK(set("x0", {1, 2, 3}) == fmi3Error);
    CHECK(set("x0", {1, 2}) == fmi3OK);
    CHECK(set("A", {0, 1, -1, 0}) == fmi3OK);
    CHECK(set("B", {0, 0}) == fmi3OK);
    CHECK(set("D", {0, 0}) == fmi3OK);
    REQUIRE(system.initialize() == fmi3OK);
    for (int i = 0; i < 100; ++i) REQUIRE(system.step(i * 0.01, 0.01).status == fmi3OK);
    const fmi3ValueReference y = system.fmu()["y"].reference;
    double values[2] = {};
    REQUIRE(system.call<fmi3GetFloat64TYPE>("fmi3GetFloat64")(system.instance(), &y, 1, values, 2) == fmi3OK);
    CHECK(std::abs(values[0] - (std::cos(1) + 2 * std::sin(1))) < integration);
    CHECK(std::abs(values[1] - (2 * std::cos(1) - std::sin(1))) < integration);
}

TEST_CASE("directional derivatives of linear units are exact") {
    const Fmi3Unit mass("mass_right", {.model_exchange = true});
    REQUIRE(mass.initialize() == fmi3OK);
    const fmi3ValueReference unknowns[] = {mass.fmu()["F"].reference, mass.fmu()["der(v)"].reference};
    const fmi3ValueReference known = mass.fmu()["x_left"].reference;
    const double seed = 2;
    double sensitivity[2] = {};
    REQUIRE(mass.call<fmi3GetDirectionalDerivativeTYPE>("fmi3GetDirectionalDerivative")(
                mass.instance(), unknowns, 2, &known, 1, &seed, 1, sensitivity, 2) == fmi3OK);
    const double k12 = 16 * std::numbers::pi * std::numbers::pi;
    CHECK(sensitivity[0] == Approx(-2 * k12).epsilon(1e-14));
    CHECK(sensitivity[1] == Approx(2 * k12).epsilon(1e-14));
    CHECK(mass.get("x_left") == 0);
}

TEST_CASE("the derivative of an output is that of its state") {
    const Fmi3Unit unit("dahlquist");
    REQUIRE(unit.initialize() == fmi3OK);
    REQUIRE(unit.step(0, 1).status == fmi3OK);
    const fmi3ValueReference x = unit.fmu()["x"].reference;
    fmi3Int32 order = 1;
    double rate = 0;
    auto* derivatives = unit.call<fmi3GetOutputDerivativesTYPE>("fmi3GetOutputDerivatives");
    REQUIRE(derivatives(unit.instance(), &x, 1, &order, &rate, 1) == fmi3OK);
    CHECK(std::abs(rate + std::exp(-1)) < 1e-15);
    order = 2;
    CHECK(derivatives(unit.instance(), &x, 1, &order, &rate, 1) == fmi3Error);
}

TEST_CASE("every type is handed through in Event Mode, and values outside an enumeration are refused") {
    const Fmi3Unit unit("feedthrough", {.event_mode = true});
    REQUIRE(unit.initialize() == fmi3OK);
    const auto reference = [&](const char* name) { return fmi3ValueReference(unit.fmu()[name].reference); };
    const auto option_in = reference("Enumeration_input"), option_out = reference("Enumeration_output");
    auto* set_int64 = unit.call<fmi3SetInt64TYPE>("fmi3SetInt64");
    fmi3Int64 option = 3;
    CHECK(set_int64(unit.instance(), &option_in, 1, &option, 1) == fmi3Error);
    option = 2;
    CHECK(set_int64(unit.instance(), &option_in, 1, &option, 1) == fmi3OK);
    option = 0;
    CHECK(unit.call<fmi3GetInt64TYPE>("fmi3GetInt64")(unit.instance(), &option_out, 1, &option, 1) == fmi3OK);
    CHECK(option == 2);

    const auto text_in = reference("String_input"), text_out = reference("String_output");
    fmi3String text = "Grüße";
    CHECK(unit.call<fmi3SetStringTYPE>("fmi3SetString")(unit.instance(), &text_in, 1, &text, 1) == fmi3OK);
    CHECK(unit.call<fmi3GetStringTYPE>("fmi3GetString")(unit.instance(), &text_out, 1, &text, 1) == fmi3OK);
    CHECK(std::string(text) == "Grüße");
    text = nullptr;
    CHECK(unit.call<fmi3SetStringTYPE>("fmi3SetString")(unit.instance(), &text_in, 1, &text, 1) == fmi3Error);

    const auto bytes_in = reference("Binary_input"), bytes_out = reference("Binary_output");
    const fmi3Byte raw[] = {0, 255, 7};
    fmi3Binary bytes = raw;
    std::size_t size = 3;
    CHECK(unit.call<fmi3SetBinaryTYPE>("fmi3SetBinary")(unit.instance(), &bytes_in, 1, &size, &bytes, 1) == fmi3OK);
    CHECK(unit.call<fmi3GetBinaryTYPE>("fmi3GetBinary")(unit.instance(), &bytes_out, 1, &size, &bytes, 1) == fmi3OK);
    REQUIRE(size == 3);
    CHECK(std::equal(raw, raw + 3, bytes));
}

TEST_CASE("constant, triggered and countdown clocks tick in Event Mode") {
    const Fmi3Unit unit("clocks", {.event_mode = true});
    REQUIRE(unit.initialize() == fmi3OK);
    const fmi3ValueReference in1 = unit.fmu()["inClock1"].reference, in3 = unit.fmu()["inClock3"].reference,
                             out = unit.fmu()["outClock"].reference, ticks = unit.fmu()["inClock1Ticks"].reference;
    auto* interval = unit.call<fmi3GetIntervalDecimalTYPE>("fmi3GetIntervalDecimal");
    double seconds = 0;
    fmi3IntervalQualifier qualifier = fmi3IntervalNotYetKnown;
    CHECK(interval(unit.instance(), &in1, 1, &seconds, &qualifier) == fmi3OK);
    CHECK(seconds == 1);
    CHECK(interval(unit.instance(), &out, 1, &seconds, &qualifier) == fmi3Error);
    for (int i = 1; i <= 6; ++i) {
        const fmi3Clock active = true;
        REQUIRE(unit.call<fmi3SetClockTYPE>("fmi3SetClock")(unit.instance(), &in1, 1, &active) == fmi3OK);
        fmi3Int32 count = 0;
        CHECK(unit.call<fmi3GetInt32TYPE>("fmi3GetInt32")(unit.instance(), &ticks, 1, &count, 1) == fmi3OK);
        CHECK(count == i);
        fmi3Clock ticking = false;
        CHECK(unit.call<fmi3GetClockTYPE>("fmi3GetClock")(unit.instance(), &out, 1, &ticking) == fmi3OK);
        CHECK(ticking == (i == 5));
        CHECK(unit.update_discrete().status == fmi3OK);
        CHECK(unit.call<fmi3GetClockTYPE>("fmi3GetClock")(unit.instance(), &out, 1, &ticking) == fmi3OK);
        CHECK_FALSE(ticking);
        CHECK(interval(unit.instance(), &in3, 1, &seconds, &qualifier) == fmi3OK);
        CHECK(qualifier == (i % 3 == 0 ? fmi3IntervalChanged : fmi3IntervalNotYetKnown));
        if (i % 3 == 0) CHECK(seconds == 0.5);
    }
    const fmi3Clock active = true;
    CHECK(unit.call<fmi3SetClockTYPE>("fmi3SetClock")(unit.instance(), &out, 1, &active) == fmi3Error);
}

TEST_CASE("a unit without its resources is not instantiated and says which file is missing") {
    const tests::BuiltFmu fmu(tests::built_folder("resource", 3), "resource", 3);
    std::vector<std::string> messages;
    const auto log = [](fmi3InstanceEnvironment list, fmi3Status, fmi3String, fmi3String text) {
        static_cast<std::vector<std::string>*>(list)->emplace_back(text);
    };
    CHECK(fmu.function<fmi3InstantiateCoSimulationTYPE>("fmi3InstantiateCoSimulation")(
              "resource", fmu.token().c_str(), "/nowhere/", false, false, false, false, nullptr, 0, &messages, log,
              nullptr) == nullptr);
    REQUIRE(messages.size() == 1);
    CHECK(messages[0].find("/nowhere/y.txt") != std::string::npos);
}
