#include "interfaces/fmi/fmi2.h"
#include "tests/support/built_fmu.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdarg>
#include <cstring>
#include <limits>

using tests::built_units;
using tests::BuiltFmu;

namespace {

constexpr double h = 0.01;

/// An FMI 2 co-simulation instance driven by hand.
class Fmi2Unit {
public:
    explicit Fmi2Unit(const std::string& name)
        : Fmi2Unit(name, BuiltFmu(tests::built_folder(name, 2), name, 2).token()) {}
    Fmi2Unit(const std::string& name, const std::string& guid) : fmu_(tests::built_folder(name, 2), name, 2) {
        const fmi2CallbackFunctions callbacks{log, nullptr, nullptr, nullptr, this};
        component_ = call<fmi2InstantiateTYPE>("fmi2Instantiate")(name.c_str(), fmi2CoSimulation, guid.c_str(),
                                                                  ("file://" + fmu_.resources()).c_str(), &callbacks,
                                                                  fmi2False, fmi2True);
    }
    ~Fmi2Unit() {
        if (component_ != nullptr) call<fmi2FreeInstanceTYPE>("fmi2FreeInstance")(component_);
    }
    Fmi2Unit(const Fmi2Unit&) = delete;
    Fmi2Unit& operator=(const Fmi2Unit&) = delete;

    [[nodiscard]] const BuiltFmu& fmu() const { return fmu_; }
    [[nodiscard]] fmi2Component component() const { return component_; }
    [[nodiscard]] const std::vector<std::string>& messages() const { return messages_; }
    template <class Function>
    [[nodiscard]] Function* call(const char* name) const {
        return fmu_.function<Function>(name);
    }
    fmi2Status operator()(const char* name) const { return call<fmi2Status(fmi2Component)>(name)(component_); }
    fmi2Status initialize() const {
        call<fmi2SetupExperimentTYPE>("fmi2SetupExperiment")(component_, fmi2False, 0, 0, fmi2False, 0);
        const fmi2Status entered = (*this)("fmi2EnterInitializationMode");
        return entered == fmi2OK ? (*this)("fmi2ExitInitializationMode") : entered;
    }
    fmi2Status step(double t, double size) const {
        return call<fmi2DoStepTYPE>("fmi2DoStep")(component_, t, size, fmi2True);
    }
    fmi2Status set(fmi2ValueReference reference, double value) const {
        return call<fmi2SetRealTYPE>("fmi2SetReal")(component_, &reference, 1, &value);
    }
    [[nodiscard]] double get(const std::string& name) const {
        const fmi2ValueReference reference = fmu_[name].reference;
        double value = 0;
        REQUIRE(call<fmi2GetRealTYPE>("fmi2GetReal")(component_, &reference, 1, &value) == fmi2OK);
        return value;
    }
    [[nodiscard]] std::string values() const {
        std::string text;
        for (const auto& variable : fmu_.variables()) {
            const fmi2ValueReference reference = variable.reference;
            double real = 0;
            int integer = 0;
            fmi2String string = "";
            if (variable.type == "Real")
                REQUIRE(call<fmi2GetRealTYPE>("fmi2GetReal")(component_, &reference, 1, &real) == fmi2OK);
            if (variable.type == "Integer" || variable.type == "Enumeration")
                REQUIRE(call<fmi2GetIntegerTYPE>("fmi2GetInteger")(component_, &reference, 1, &integer) == fmi2OK);
            if (variable.type == "Boolean")
                REQUIRE(call<fmi2GetBooleanTYPE>("fmi2GetBoolean")(component_, &reference, 1, &integer) == fmi2OK);
            if (variable.type == "String")
                REQUIRE(call<fmi2GetStringTYPE>("fmi2GetString")(component_, &reference, 1, &string) == fmi2OK);
            char bytes[sizeof real];
            std::memcpy(bytes, &real, sizeof real);
            text.append(bytes, sizeof real).append(std::to_string(integer)).append(string);
        }
        return text;
    }

private:
    static void log(fmi2ComponentEnvironment self, fmi2String, fmi2Status, fmi2String, fmi2String message, ...) {
        static_cast<Fmi2Unit*>(self)->messages_.emplace_back(message);
    }
    BuiltFmu fmu_;
    fmi2Component component_ = nullptr;
    std::vector<std::string> messages_;
};

std::string run(const Fmi2Unit& unit, int from, int count) {
    std::string text;
    for (int i = from; i < from + count; ++i) {
        for (const auto& variable : unit.fmu().variables())
            if (variable.causality == "input" && variable.type == "Real")
                REQUIRE(unit.set(variable.reference, variable.within(0.5 + 0.01 * i)) == fmi2OK);
        REQUIRE(unit.step(i * h, h) == fmi2OK);
        text += unit.values();
    }
    return text;
}

}  // namespace

TEST_CASE("every FMI 2 unit exports all functions of the standard") {
    const auto names = built_units(2);
    REQUIRE(names.size() >= 20);
    for (const std::string& name : names) {
        CAPTURE(name);
        const BuiltFmu fmu(tests::built_folder(name, 2), name, 2);
        for (const char* function : {"fmi2GetTypesPlatform",
                                     "fmi2GetVersion",
                                     "fmi2SetDebugLogging",
                                     "fmi2Instantiate",
                                     "fmi2FreeInstance",
                                     "fmi2SetupExperiment",
                                     "fmi2EnterInitializationMode",
                                     "fmi2ExitInitializationMode",
                                     "fmi2Terminate",
                                     "fmi2Reset",
                                     "fmi2GetReal",
                                     "fmi2GetInteger",
                                     "fmi2GetBoolean",
                                     "fmi2GetString",
                                     "fmi2SetReal",
                                     "fmi2SetInteger",
                                     "fmi2SetBoolean",
                                     "fmi2SetString",
                                     "fmi2GetFMUstate",
                                     "fmi2SetFMUstate",
                                     "fmi2FreeFMUstate",
                                     "fmi2SerializedFMUstateSize",
                                     "fmi2SerializeFMUstate",
                                     "fmi2DeSerializeFMUstate",
                                     "fmi2GetDirectionalDerivative",
                                     "fmi2EnterEventMode",
                                     "fmi2NewDiscreteStates",
                                     "fmi2EnterContinuousTimeMode",
                                     "fmi2CompletedIntegratorStep",
                                     "fmi2SetTime",
                                     "fmi2SetContinuousStates",
                                     "fmi2GetDerivatives",
                                     "fmi2GetEventIndicators",
                                     "fmi2GetContinuousStates",
                                     "fmi2GetNominalsOfContinuousStates",
                                     "fmi2SetRealInputDerivatives",
                                     "fmi2GetRealOutputDerivatives",
                                     "fmi2DoStep",
                                     "fmi2CancelStep",
                                     "fmi2GetStatus",
                                     "fmi2GetRealStatus",
                                     "fmi2GetIntegerStatus",
                                     "fmi2GetBooleanStatus",
                                     "fmi2GetStringStatus"}) {
            CAPTURE(function);
            CHECK(fmu.exports(function));
        }
        CHECK_FALSE(fmu.exports("fmi3DoStep"));
    }
}

TEST_CASE("every FMI 2 unit lives from instantiation to termination, twice") {
    for (const std::string& name : built_units(2)) {
        CAPTURE(name);
        const Fmi2Unit unit(name);
        REQUIRE(unit.component() != nullptr);
        REQUIRE(unit.initialize() == fmi2OK);
        const std::string first = run(unit, 0, 10);
        CHECK(unit("fmi2Terminate") == fmi2OK);
        CHECK(unit("fmi2Reset") == fmi2OK);
        REQUIRE(unit.initialize() == fmi2OK);
        CHECK(run(unit, 0, 10) == first);
        CHECK(unit.messages().empty());
    }
}

TEST_CASE("every FMI 2 unit continues identically from a saved and from a serialized state") {
    for (const std::string& name : built_units(2)) {
        CAPTURE(name);
        const Fmi2Unit unit(name);
        REQUIRE(unit.initialize() == fmi2OK);
        run(unit, 0, 5);
        fmi2FMUstate state = nullptr;
        REQUIRE(unit.call<fmi2GetFMUstateTYPE>("fmi2GetFMUstate")(unit.component(), &state) == fmi2OK);
        const std::string expected = run(unit, 5, 5);
        REQUIRE(unit.call<fmi2SetFMUstateTYPE>("fmi2SetFMUstate")(unit.component(), state) == fmi2OK);
        CHECK(run(unit, 5, 5) == expected);
        std::size_t size = 0;
        REQUIRE(unit.call<fmi2SerializedFMUstateSizeTYPE>("fmi2SerializedFMUstateSize")(unit.component(), state,
                                                                                        &size) == fmi2OK);
        std::vector<fmi2Byte> bytes(size);
        REQUIRE(unit.call<fmi2SerializeFMUstateTYPE>("fmi2SerializeFMUstate")(unit.component(), state, bytes.data(),
                                                                              size) == fmi2OK);
        REQUIRE(unit.call<fmi2FreeFMUstateTYPE>("fmi2FreeFMUstate")(unit.component(), &state) == fmi2OK);
        REQUIRE(unit.call<fmi2DeSerializeFMUstateTYPE>("fmi2DeSerializeFMUstate")(unit.component(), bytes.data(), size,
                                                                                  &state) == fmi2OK);
        REQUIRE(unit.call<fmi2SetFMUstateTYPE>("fmi2SetFMUstate")(unit.component(), state) == fmi2OK);
        CHECK(run(unit, 5, 5) == expected);
    }
}

TEST_CASE("wrong guids, calls out of order, NaN and unknown references are refused by every FMI 2 unit") {
    for (const std::string& name : built_units(2)) {
        CAPTURE(name);
        const Fmi2Unit stranger(name, "{no-such-guid}");
        CHECK(stranger.component() == nullptr);
        CHECK(stranger.messages().size() == 1);

        const Fmi2Unit unit(name);
        CHECK(unit.step(0, h) == fmi2Error);
        CHECK(unit("fmi2ExitInitializationMode") == fmi2Error);
        CHECK(unit("fmi2Terminate") == fmi2Error);
        CHECK(unit.set(4711, 0) == fmi2Error);
        CHECK(unit.messages().size() == 4);
        for (const auto& variable : unit.fmu().variables())
            if (variable.causality == "input" && variable.type == "Real")
                CHECK(unit.set(variable.reference, std::numeric_limits<double>::quiet_NaN()) == fmi2Error);
        REQUIRE(unit.initialize() == fmi2OK);
        CHECK(unit("fmi2EnterInitializationMode") == fmi2Error);
        CHECK(unit("fmi2EnterEventMode") == fmi2Error);
        CHECK(unit.step(0, -h) == fmi2Error);
        CHECK(unit.step(0, h) == fmi2OK);
        REQUIRE(unit("fmi2Terminate") == fmi2OK);
        CHECK(unit.step(h, h) == fmi2Error);
    }
}

TEST_CASE("input derivatives of FMI 2 hold for one step") {
    const Fmi2Unit mass("mass_left");
    const fmi2ValueReference force = mass.fmu()["F"].reference;
    REQUIRE(mass.fmu().interpolates());
    CHECK(mass.set(mass.fmu()["k"].reference, 0) == fmi2OK);
    CHECK(mass.set(mass.fmu()["x0"].reference, 0) == fmi2OK);
    REQUIRE(mass.initialize() == fmi2OK);
    auto* set_derivatives = mass.call<fmi2SetRealInputDerivativesTYPE>("fmi2SetRealInputDerivatives");
    fmi2Integer order = 1;
    fmi2Real slope = 3;
    CHECK(mass.set(force, 0) == fmi2OK);
    CHECK(set_derivatives(mass.component(), &force, 1, &order, &slope) == fmi2OK);
    order = 4;
    CHECK(set_derivatives(mass.component(), &force, 1, &order, &slope) == fmi2Error);
    REQUIRE(mass.step(0, 1) == fmi2OK);
    CHECK(std::abs(mass.get("x") - 0.5) < 1e-12);  // x'' = 3 t
    CHECK(mass.set(force, 0) == fmi2OK);
    REQUIRE(mass.step(1, 1) == fmi2OK);
    CHECK(std::abs(mass.get("x") - 2) < 1e-12);  // goes on with v = 1.5
}

TEST_CASE("integers that do not fit are refused, not cut") {
    const Fmi2Unit unit("feedthrough");
    const auto set = [&](const char* name, int value) {
        const fmi2ValueReference reference = unit.fmu()[name].reference;
        return unit.call<fmi2SetIntegerTYPE>("fmi2SetInteger")(unit.component(), &reference, 1, &value);
    };
    CHECK(set("Int8_input", 127) == fmi2OK);
    CHECK(set("Int8_input", 128) == fmi2Error);
    CHECK(set("UInt64_input", -1) == fmi2Error);
    CHECK(set("Enumeration_input", 3) == fmi2Error);
    CHECK(unit.messages().size() == 3);
}

TEST_CASE("the FMI 2 stair discards the step in which it ends, and says so") {
    const Fmi2Unit stair("stair");
    REQUIRE(stair.initialize() == fmi2OK);
    for (int i = 0; i < 8; ++i) REQUIRE(stair.step(i, 1) == fmi2OK);
    CHECK(stair.step(8, 1.5) == fmi2Discard);
    fmi2Boolean terminated = fmi2False;
    CHECK(stair.call<fmi2GetBooleanStatusTYPE>("fmi2GetBooleanStatus")(stair.component(), fmi2Terminated,
                                                                       &terminated) == fmi2OK);
    CHECK(terminated == fmi2True);
    fmi2Real reached = 0;
    CHECK(stair.call<fmi2GetRealStatusTYPE>("fmi2GetRealStatus")(stair.component(), fmi2LastSuccessfulTime, &reached) ==
          fmi2OK);
    CHECK(reached == 9);
}
