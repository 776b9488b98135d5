#include "interfaces/ls_bus/operations.hpp"
#include "tests/support/fmi3_unit.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <optional>

using namespace interfaces::ls_bus;
using interfaces::can::Frame;

namespace {

struct Sent {
    double time = 0;
    Frame frame;
};

/// A unit with one terminal `Bus`, and a hand at the other end that goes from tick to tick.
class NodeUnit {
public:
    explicit NodeUnit(const std::string& name) : unit(name, {.event_mode = true}) {
        REQUIRE(unit.instance() != nullptr);
    }
    void start() {
        REQUIRE(unit.initialize() == fmi3OK);
        update();
        settle();
    }
    void say(const Frame& frame) {
        Bytes bytes;
        append(bytes, Transmit{frame});
        set_clock("Bus.Rx_Clock");
        const fmi3ValueReference data = unit.fmu()["Bus.Rx_Data"].reference;
        const std::size_t size = bytes.size();
        const fmi3Binary value = bytes.data();
        REQUIRE(unit.call<fmi3SetBinaryTYPE>("fmi3SetBinary")(unit.instance(), &data, 1, &size, &value, 1) == fmi3OK);
        update();
        settle();
    }
    /// Goes on to this time, at steps of at most h, and takes what is said at every tick.
    void run(double end, double h = 0.1) {
        while (t < end - 1e-12) {
            double to = std::min(t + h, end);
            if (tick_ && *tick_ < to) to = *tick_;
            REQUIRE(unit("fmi3EnterStepMode") == fmi3OK);
            REQUIRE(unit.step(t, to - t).status == fmi3OK);
            REQUIRE(unit("fmi3EnterEventMode") == fmi3OK);
            t = to;
            if (tick_ && *tick_ <= t)
                hear();
            else
                update();
            settle();
        }
    }
    [[nodiscard]] std::vector<double> times_of(std::uint32_t id) const {
        std::vector<double> times;
        for (const Sent& one : sent)
            if (one.frame.id == id) times.push_back(one.time);
        return times;
    }
    void set_id(const std::string& name, std::uint8_t value) {
        const fmi3ValueReference reference = unit.fmu()[name].reference;
        REQUIRE(unit.call<fmi3SetUInt8TYPE>("fmi3SetUInt8")(unit.instance(), &reference, 1, &value, 1) == fmi3OK);
    }

    tests::Fmi3Unit unit;
    std::vector<Sent> sent;
    double t = 0;

private:
    void set_clock(const char* name) {
        const fmi3ValueReference clock = unit.fmu()[name].reference;
        const bool active = true;
        REQUIRE(unit.call<fmi3SetClockTYPE>("fmi3SetClock")(unit.instance(), &clock, 1, &active) == fmi3OK);
    }
    void update() { REQUIRE(unit.update_discrete().status == fmi3OK); }
    void settle() {
        for (int i = 0; i < 100; ++i) {
            ask();
            if (!tick_ || *tick_ > t) return;
            hear();
        }
        FAIL("the clock never stops");
    }
    void ask() {
        const fmi3ValueReference clock = unit.fmu()["Bus.Tx_Clock"].reference;
        double seconds = 0;
        fmi3IntervalQualifier qualifier = fmi3IntervalNotYetKnown;
        REQUIRE(unit.call<fmi3GetIntervalDecimalTYPE>("fmi3GetIntervalDecimal")(unit.instance(), &clock, 1, &seconds,
                                                                                &qualifier) == fmi3OK);
        // To the nanosecond, as an importer with integer time has it.
        if (qualifier == fmi3IntervalChanged) tick_ = std::round((t + seconds) * 1e9) / 1e9;
    }
    void hear() {
        tick_.reset();
        set_clock("Bus.Tx_Clock");
        const fmi3ValueReference data = unit.fmu()["Bus.Tx_Data"].reference;
        std::size_t size = 0;
        fmi3Binary value = nullptr;
        REQUIRE(unit.call<fmi3GetBinaryTYPE>("fmi3GetBinary")(unit.instance(), &data, 1, &size, &value, 1) == fmi3OK);
        Reader reader({value, size});
        while (const auto piece = reader.next())
            if (const auto operation = decode(*piece); operation && std::holds_alternative<Transmit>(*operation))
                sent.push_back({t, std::get<Transmit>(*operation).frame});
        update();
    }

    std::optional<double> tick_;
};

Frame nmt(std::uint8_t command, std::uint8_t node) {
    Frame frame{.id = 0, .size = 2};
    frame.data[0] = command;
    frame.data[1] = node;
    return frame;
}

constexpr double exact = 1e-12;

}  // namespace

TEST_CASE("the sensors boot, and send at exact times whatever the step is") {
    NodeUnit sensors("can_sensors");
    REQUIRE(sensors.unit.set("inclination.arm", 0.5) == fmi3OK);
    sensors.start();
    sensors.run(0.06, 0.007);
    REQUIRE(sensors.sent.size() == 9);
    for (const Sent& one : sensors.sent) CHECK(one.time == Approx(0.05).margin(exact));  // boot-up, lowest id first
    CHECK(sensors.sent.front().frame.id == 0x701);
    CHECK(sensors.sent.back().frame.id == 0x711);
    sensors.say(nmt(1, 0));
    sensors.run(0.1, 0.007);
    const auto times = sensors.times_of(0x183);
    REQUIRE(times.size() == 5);
    for (std::size_t i = 0; i < times.size(); ++i)
        CHECK(times[i] == Approx(0.06 + 0.01 * static_cast<double>(i)).margin(exact));
    const auto last =
        std::find_if(sensors.sent.rbegin(), sensors.sent.rend(), [](const Sent& one) { return one.frame.id == 0x183; });
    CHECK(last->frame.data[0] + 256 * last->frame.data[1] == 2865);  // 0.5 rad in steps of 0.01 degrees
}

TEST_CASE("a sensor without power is silent and boots when it has it again") {
    NodeUnit sensors("can_sensors");
    sensors.start();
    sensors.run(0.06);
    sensors.set_id("silent", 3);
    sensors.run(0.07);
    sensors.sent.clear();
    sensors.say(nmt(1, 0));
    sensors.run(0.2);
    CHECK(sensors.times_of(0x183).empty());
    CHECK(sensors.times_of(0x182).size() >= 13);
    sensors.set_id("silent", 0);
    sensors.run(0.3, 0.001);
    REQUIRE(sensors.times_of(0x703).size() == 1);
    CHECK(sensors.times_of(0x703).front() == Approx(0.251).margin(exact));  // seen at the end of a step, and 50 ms
}

TEST_CASE("a node-id that cannot be is refused, one that is missing waits for LSS") {
    NodeUnit wrong("can_sensors");
    wrong.set_id("boom.node_id", 128);
    CHECK(wrong.unit.initialize() == fmi3Error);
    REQUIRE_FALSE(wrong.unit.messages().empty());
    CHECK_THAT(wrong.unit.messages().back(), Catch::Contains("'boom.node_id' is 128, expected 1 to 127, or 255"));
    NodeUnit waiting("can_sensors");
    waiting.set_id("boom.node_id", 255);
    waiting.start();
    waiting.run(0.1);
    CHECK(waiting.sent.size() == 8);
}

TEST_CASE("a saved state of the sensors goes on identically") {
    NodeUnit sensors("can_sensors");
    REQUIRE(sensors.unit.set("jaw.pressure_a", 1e7) == fmi3OK);
    sensors.start();
    sensors.run(0.06);
    sensors.say(nmt(1, 0));
    sensors.run(0.1);
    fmi3FMUState state = nullptr;
    REQUIRE(sensors.unit.call<fmi3GetFMUStateTYPE>("fmi3GetFMUState")(sensors.unit.instance(), &state) == fmi3OK);
    const std::string values = sensors.unit.values();
    std::size_t size = 0;
    REQUIRE(sensors.unit.call<fmi3SerializedFMUStateSizeTYPE>("fmi3SerializedFMUStateSize")(sensors.unit.instance(),
                                                                                            state, &size) == fmi3OK);
    std::vector<fmi3Byte> bytes(size);
    REQUIRE(sensors.unit.call<fmi3SerializeFMUStateTYPE>("fmi3SerializeFMUState")(
                sensors.unit.instance(), state, bytes.data(), bytes.size()) == fmi3OK);
    sensors.run(0.2);
    CHECK(sensors.unit.values() != values);
    fmi3FMUState again = nullptr;
    REQUIRE(sensors.unit.call<fmi3DeserializeFMUStateTYPE>("fmi3DeserializeFMUState")(
                sensors.unit.instance(), bytes.data(), bytes.size(), &again) == fmi3OK);
    REQUIRE(sensors.unit.call<fmi3SetFMUStateTYPE>("fmi3SetFMUState")(sensors.unit.instance(), again) == fmi3OK);
    CHECK(sensors.unit.values() == values);
    for (fmi3FMUState* one : {&state, &again})
        CHECK(sensors.unit.call<fmi3FreeFMUStateTYPE>("fmi3FreeFMUState")(sensors.unit.instance(), one) == fmi3OK);
}

TEST_CASE("the master resets the bus, says SYNC at exact times, and names who does not come") {
    NodeUnit master("can_master");
    REQUIRE(master.unit.set("sync_period", 0.02) == fmi3OK);
    REQUIRE(master.unit.set("slew.length.start", 0.25) == fmi3OK);
    master.start();
    REQUIRE(master.sent.size() == 1);
    CHECK(master.sent.front().frame.id == 0);
    CHECK(master.sent.front().frame.data[0] == 0x82);
    CHECK(master.unit.get("slew.length") == 0.25);
    master.run(1.5, 0.013);
    const auto syncs = master.times_of(0x80);
    REQUIRE(syncs.size() == 75);
    for (std::size_t i = 0; i < syncs.size(); ++i)
        CHECK(syncs[i] == Approx(0.02 * static_cast<double>(i + 1)).margin(1e-9));
    REQUIRE(master.unit.messages().size() == 9);
    CHECK_THAT(master.unit.messages().front(),
               Catch::Contains("sensor lost: node 1 (boom): no boot-up message within 1000 ms after the reset"));
}
