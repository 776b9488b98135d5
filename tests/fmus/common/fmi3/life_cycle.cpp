#include "tests/support/fmi3_unit.hpp"

#include <catch2/catch.hpp>
#include <limits>

using tests::built_units;
using tests::Fmi3Unit;

namespace {

constexpr double h = 0.01;

/// Runs some steps and returns what every variable was after each of them.
std::string run(const Fmi3Unit& unit, int from, int count) {
    std::string text;
    for (int i = from; i < from + count; ++i) {
        for (const auto& variable : unit.fmu().variables())
            if (variable.causality == "input" && variable.type == "Float64" && variable.count == 1)
                REQUIRE(unit.set(variable.reference, variable.within(0.5 + 0.01 * i)) == fmi3OK);
        REQUIRE(unit.step(i * h, h).status == fmi3OK);
        text += unit.values();
    }
    return text;
}

}  // namespace

TEST_CASE("every FMI 3 unit exports all functions of the standard and nothing else") {
    const auto names = built_units(3);
    REQUIRE(names.size() >= 21);
    for (const std::string& name : names) {
        CAPTURE(name);
        const tests::BuiltFmu fmu(tests::built_folder(name, 3), name, 3);
        for (const char* function : {"fmi3GetVersion",
                                     "fmi3SetDebugLogging",
                                     "fmi3InstantiateModelExchange",
                                     "fmi3InstantiateCoSimulation",
                                     "fmi3InstantiateScheduledExecution",
                                     "fmi3FreeInstance",
                                     "fmi3EnterInitializationMode",
                                     "fmi3ExitInitializationMode",
                                     "fmi3EnterEventMode",
                                     "fmi3Terminate",
                                     "fmi3Reset",
                                     "fmi3GetFloat32",
                                     "fmi3SetFloat32",
                                     "fmi3GetFloat64",
                                     "fmi3SetFloat64",
                                     "fmi3GetInt8",
                                     "fmi3SetInt8",
                                     "fmi3GetUInt8",
                                     "fmi3SetUInt8",
                                     "fmi3GetInt16",
                                     "fmi3SetInt16",
                                     "fmi3GetUInt16",
                                     "fmi3SetUInt16",
                                     "fmi3GetInt32",
                                     "fmi3SetInt32",
                                     "fmi3GetUInt32",
                                     "fmi3SetUInt32",
                                     "fmi3GetInt64",
                                     "fmi3SetInt64",
                                     "fmi3GetUInt64",
                                     "fmi3SetUInt64",
                                     "fmi3GetBoolean",
                                     "fmi3SetBoolean",
                                     "fmi3GetString",
                                     "fmi3SetString",
                                     "fmi3GetBinary",
                                     "fmi3SetBinary",
                                     "fmi3GetClock",
                                     "fmi3SetClock",
                                     "fmi3GetNumberOfVariableDependencies",
                                     "fmi3GetVariableDependencies",
                                     "fmi3GetFMUState",
                                     "fmi3SetFMUState",
                                     "fmi3FreeFMUState",
                                     "fmi3SerializedFMUStateSize",
                                     "fmi3SerializeFMUState",
                                     "fmi3DeserializeFMUState",
                                     "fmi3GetDirectionalDerivative",
                                     "fmi3GetAdjointDerivative",
                                     "fmi3EnterConfigurationMode",
                                     "fmi3ExitConfigurationMode",
                                     "fmi3GetIntervalDecimal",
                                     "fmi3GetIntervalFraction",
                                     "fmi3GetShiftDecimal",
                                     "fmi3GetShiftFraction",
                                     "fmi3SetIntervalDecimal",
                                     "fmi3SetIntervalFraction",
                                     "fmi3SetShiftDecimal",
                                     "fmi3SetShiftFraction",
                                     "fmi3EvaluateDiscreteStates",
                                     "fmi3UpdateDiscreteStates",
                                     "fmi3EnterContinuousTimeMode",
                                     "fmi3CompletedIntegratorStep",
                                     "fmi3SetTime",
                                     "fmi3SetContinuousStates",
                                     "fmi3GetContinuousStateDerivatives",
                                     "fmi3GetEventIndicators",
                                     "fmi3GetContinuousStates",
                                     "fmi3GetNominalsOfContinuousStates",
                                     "fmi3GetNumberOfEventIndicators",
                                     "fmi3GetNumberOfContinuousStates",
                                     "fmi3EnterStepMode",
                                     "fmi3GetOutputDerivatives",
                                     "fmi3DoStep",
                                     "fmi3ActivateModelPartition"}) {
            CAPTURE(function);
            CHECK(fmu.exports(function));
        }
        CHECK_FALSE(fmu.exports("fmi2DoStep"));
        CHECK_FALSE(fmu.exports("_ZN4fmus6createEv"));
    }
}

TEST_CASE("every FMI 3 unit lives from instantiation to termination, twice") {
    for (const std::string& name : built_units(3)) {
        CAPTURE(name);
        const Fmi3Unit unit(name);
        REQUIRE(unit.instance() != nullptr);
        CHECK(std::string(unit.call<fmi3GetVersionTYPE>("fmi3GetVersion")()) == "3.0");
        REQUIRE(unit.initialize() == fmi3OK);
        const std::string first = run(unit, 0, 10);
        CHECK(unit("fmi3Terminate") == fmi3OK);
        CHECK(unit("fmi3Reset") == fmi3OK);
        REQUIRE(unit.initialize() == fmi3OK);
        CHECK(run(unit, 0, 10) == first);
        CHECK(unit.messages().empty());
    }
}

TEST_CASE("every FMI 3 unit continues identically from a saved and from a serialized state") {
    for (const std::string& name : built_units(3)) {
        CAPTURE(name);
        const Fmi3Unit unit(name);
        REQUIRE(unit.initialize() == fmi3OK);
        run(unit, 0, 5);
        fmi3FMUState state = nullptr;
        REQUIRE(unit.call<fmi3GetFMUStateTYPE>("fmi3GetFMUState")(unit.instance(), &state) == fmi3OK);
        const std::string expected = run(unit, 5, 5);
        REQUIRE(unit.call<fmi3SetFMUStateTYPE>("fmi3SetFMUState")(unit.instance(), state) == fmi3OK);
        CHECK(run(unit, 5, 5) == expected);

        std::size_t size = 0;
        REQUIRE(unit.call<fmi3SerializedFMUStateSizeTYPE>("fmi3SerializedFMUStateSize")(unit.instance(), state,
                                                                                        &size) == fmi3OK);
        std::vector<fmi3Byte> bytes(size);
        REQUIRE(unit.call<fmi3SerializeFMUStateTYPE>("fmi3SerializeFMUState")(unit.instance(), state, bytes.data(),
                                                                              size) == fmi3OK);
        REQUIRE(unit.call<fmi3FreeFMUStateTYPE>("fmi3FreeFMUState")(unit.instance(), &state) == fmi3OK);
        CHECK(state == nullptr);

        const Fmi3Unit other(name);
        REQUIRE(other.initialize() == fmi3OK);
        REQUIRE(other.call<fmi3DeserializeFMUStateTYPE>("fmi3DeserializeFMUState")(other.instance(), bytes.data(), size,
                                                                                   &state) == fmi3OK);
        REQUIRE(other.call<fmi3SetFMUStateTYPE>("fmi3SetFMUState")(other.instance(), state) == fmi3OK);
        CHECK(run(other, 5, 5) == expected);
    }
}

TEST_CASE("a damaged, short or foreign state is refused with a message") {
    const Fmi3Unit unit("oscillator");
    REQUIRE(unit.initialize() == fmi3OK);
    fmi3FMUState state = nullptr;
    REQUIRE(unit.call<fmi3GetFMUStateTYPE>("fmi3GetFMUState")(unit.instance(), &state) == fmi3OK);
    std::size_t size = 0;
    unit.call<fmi3SerializedFMUStateSizeTYPE>("fmi3SerializedFMUStateSize")(unit.instance(), state, &size);
    std::vector<fmi3Byte> bytes(size);
    auto* serialize = unit.call<fmi3SerializeFMUStateTYPE>("fmi3SerializeFMUState");
    auto* deserialize = unit.call<fmi3DeserializeFMUStateTYPE>("fmi3DeserializeFMUState");
    CHECK(serialize(unit.instance(), state, bytes.data(), size - 1) == fmi3Error);
    REQUIRE(serialize(unit.instance(), state, bytes.data(), size) == fmi3OK);
    fmi3FMUState read = nullptr;
    for (std::size_t length = 0; length < size; ++length)
        CHECK(deserialize(unit.instance(), bytes.data(), length, &read) == fmi3Error);
    bytes[size / 2] ^= 1;
    CHECK(deserialize(unit.instance(), bytes.data(), size, &read) == fmi3Error);
    CHECK(unit.messages().back().find("damaged") != std::string::npos);
    int foreign = 0;
    CHECK(unit.call<fmi3SetFMUStateTYPE>("fmi3SetFMUState")(unit.instance(), &foreign) == fmi3Error);
}

TEST_CASE("a wrong token, unknown references, NaN and wrong sizes are refused with a message by every FMI 3 unit") {
    for (const std::string& name : built_units(3)) {
        CAPTURE(name);
        const Fmi3Unit stranger(name, {}, "{no-such-token}");
        CHECK(stranger.instance() == nullptr);
        REQUIRE(stranger.messages().size() == 1);
        CHECK(stranger.messages()[0].find("token") != std::string::npos);

        const Fmi3Unit unit(name);
        std::size_t expected_messages = 0;
        const auto check_refused = [&](fmi3Status status) {
            CHECK(status == fmi3Error);
            CHECK(unit.messages().size() == ++expected_messages);
        };
        check_refused(unit.set(4711, 0.0));
        for (const auto& variable : unit.fmu().variables()) {
            CAPTURE(variable.name);
            double buffer[16] = {};
            const fmi3ValueReference reference = variable.reference;
            if (variable.type == "Float64")
                check_refused(unit.call<fmi3GetFloat64TYPE>("fmi3GetFloat64")(unit.instance(), &reference, 1, buffer,
                                                                              variable.count + 1));
            else
                check_refused(
                    unit.call<fmi3GetFloat64TYPE>("fmi3GetFloat64")(unit.instance(), &reference, 1, buffer, 1));
            if (variable.type == "Float64" && variable.causality == "input" && variable.count == 1)
                check_refused(unit.set(variable.reference, std::numeric_limits<double>::quiet_NaN()));
        }
    }
}

TEST_CASE("calls out of order are refused with a message by every FMI 3 unit and change nothing") {
    for (const std::string& name : built_units(3)) {
        CAPTURE(name);
        const Fmi3Unit unit(name);
        CHECK(unit.step(0, h).status == fmi3Error);
        CHECK(unit("fmi3ExitInitializationMode") == fmi3Error);
        CHECK(unit("fmi3EnterStepMode") == fmi3Error);
        CHECK(unit("fmi3EnterEventMode") == fmi3Error);
        CHECK(unit.update_discrete().status == fmi3Error);
        REQUIRE(unit.enter_initialization() == fmi3OK);
        CHECK(unit.enter_initialization() == fmi3Error);
        CHECK(unit.step(0, h).status == fmi3Error);
        REQUIRE(unit("fmi3ExitInitializationMode") == fmi3OK);
        CHECK(unit("fmi3EnterContinuousTimeMode") == fmi3Error);
        CHECK(unit.step(0, -h).status == fmi3Error);
        CHECK(unit.step(0, 0).status == fmi3Error);
        CHECK(unit.step(1, h).status == fmi3Error);
        CHECK(unit.step(0, h).status == fmi3OK);
        for (const auto& variable : unit.fmu().variables())
            if (variable.type == "Float64" && variable.causality == "parameter" && variable.variability == "fixed" &&
                variable.count == 1)
                CHECK(unit.set(variable.reference, 1.0) == fmi3Error);
        REQUIRE(unit("fmi3Terminate") == fmi3OK);
        CHECK(unit.step(h, h).status == fmi3Error);
        CHECK(unit.messages().size() >= 11);
    }
}
