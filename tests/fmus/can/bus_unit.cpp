#include "interfaces/ls_bus/operations.hpp"
#include "tests/support/fmi3_unit.hpp"

#include <catch2/catch.hpp>
#include <optional>

using namespace interfaces::ls_bus;

namespace {

/// The bus simulation with hands at its terminals.
class BusUnit {
public:
    BusUnit() : unit_("can_bus", {.event_mode = true}) {
        REQUIRE(unit_.instance() != nullptr);
        REQUIRE(unit_.initialize() == fmi3OK);
        update();
    }
    tests::Fmi3Unit& unit() { return unit_; }

    /// A unit at this terminal says something now; the bus is in Event Mode.
    void say(int terminal, const Bytes& bytes) {
        const fmi3ValueReference clock = reference(terminal, "Rx_Clock"), data = reference(terminal, "Rx_Data");
        const bool active = true;
        REQUIRE(unit_.call<fmi3SetClockTYPE>("fmi3SetClock")(unit_.instance(), &clock, 1, &active) == fmi3OK);
        const std::size_t size = bytes.size();
        const fmi3Binary value = bytes.data();
        REQUIRE(unit_.call<fmi3SetBinaryTYPE>("fmi3SetBinary")(unit_.instance(), &data, 1, &size, &value, 1) == fmi3OK);
    }
    void say(int terminal, const Operation& operation) {
        Bytes bytes;
        append(bytes, operation);
        say(terminal, bytes);
    }
    void update() { REQUIRE(unit_.update_discrete().status == fmi3OK); }
    /// Seconds to the next tick of the terminal's clock, if it has one that is new.
    std::optional<double> interval(int terminal) {
        const fmi3ValueReference clock = reference(terminal, "Tx_Clock");
        double seconds = 0;
        fmi3IntervalQualifier qualifier = fmi3IntervalNotYetKnown;
        REQUIRE(unit_.call<fmi3GetIntervalDecimalTYPE>("fmi3GetIntervalDecimal")(unit_.instance(), &clock, 1, &seconds,
                                                                                 &qualifier) == fmi3OK);
        if (qualifier != fmi3IntervalChanged) return std::nullopt;
        return seconds;
    }
    /// The clock ticks: what the bus says.
    Bytes tick(int terminal) {
        const fmi3ValueReference clock = reference(terminal, "Tx_Clock"), data = reference(terminal, "Tx_Data");
        const bool active = true;
        REQUIRE(unit_.call<fmi3SetClockTYPE>("fmi3SetClock")(unit_.instance(), &clock, 1, &active) == fmi3OK);
        std::size_t size = 0;
        fmi3Binary value = nullptr;
        REQUIRE(unit_.call<fmi3GetBinaryTYPE>("fmi3GetBinary")(unit_.instance(), &data, 1, &size, &value, 1) == fmi3OK);
        return {value, value + size};
    }
    void step(double t, double h) {
        REQUIRE(unit_("fmi3EnterStepMode") == fmi3OK);
        const auto done = unit_.step(t, h);
        REQUIRE(done.status == fmi3OK);
        REQUIRE(unit_("fmi3EnterEventMode") == fmi3OK);
    }
    std::uint64_t count(const std::string& name) const {
        const fmi3ValueReference reference = unit_.fmu()[name].reference;
        std::uint64_t value = 0;
        REQUIRE(unit_.call<fmi3GetUInt64TYPE>("fmi3GetUInt64")(unit_.instance(), &reference, 1, &value, 1) == fmi3OK);
        return value;
    }

    double real(const std::string& name) const {
        const fmi3ValueReference reference = unit_.fmu()[name].reference;
        double value = 0;
        REQUIRE(unit_.call<fmi3GetFloat64TYPE>("fmi3GetFloat64")(unit_.instance(), &reference, 1, &value, 1) == fmi3OK);
        return value;
    }

private:
    fmi3ValueReference reference(int terminal, const char* member) const {
        return unit_.fmu()["Node" + std::to_string(terminal) + '.' + member].reference;
    }

    tests::Fmi3Unit unit_;
};

Transmit transmit_of(std::uint32_t id) {
    Transmit transmit;
    transmit.frame.id = id;
    return transmit;
}

constexpr double second_of_bits(int bits) { return bits * 4e-6; }

}  // namespace

TEST_CASE("the bus delivers and confirms at the end of the frame, to the bit") {
    BusUnit bus;
    for (const int terminal : {1, 2, 16}) bus.say(terminal, Configuration{ConfigurationKind::bit_rate, 250'000});
    bus.update();
    CHECK_FALSE(bus.interval(1));  // nothing to say
    bus.say(1, transmit_of(0x555));
    bus.update();
    // 44 bits, and a stuff bit among the seven dominant ones behind the identifier.
    const auto end = bus.interval(2);
    REQUIRE(end);
    CHECK(*end == Approx(second_of_bits(45)).margin(1e-12));
    CHECK(bus.interval(1) == *end);
    CHECK(bus.interval(16) == *end);
    CHECK_FALSE(bus.interval(3));
    bus.step(0, *end);
    const Bytes confirm = bus.tick(1), first = bus.tick(2), last = bus.tick(16);
    bus.update();
    CHECK(std::get<Confirm>(*decode(confirm)).id == 0x555);
    CHECK(std::get<Transmit>(*decode(first)).frame.id == 0x555);
    CHECK(first == last);
    CHECK(bus.count("frames") == 1);
    CHECK(bus.tick(2).empty());  // handed over once
}

TEST_CASE("the load is known before the first window is over") {
    BusUnit bus;
    for (const int terminal : {1, 2}) bus.say(terminal, Configuration{ConfigurationKind::bit_rate, 250'000});
    bus.update();
    bus.say(1, transmit_of(1));
    bus.update();
    bus.step(0, 0.05);
    bus.update();
    CHECK(bus.real("load") == 0);  // a few frames are no load yet
    bus.step(0.05, 0.15);
    bus.update();
    CHECK(bus.real("load") == Approx(bus.real("mean_load")));
    CHECK(bus.real("load") > second_of_bits(40) / 0.2);
    bus.step(0.2, 0.8);
    bus.update();
    bus.step(1, 0.5);
    bus.update();
    CHECK(bus.real("load") == Approx(1.5 * bus.real("mean_load")));  // still that of the first second
}

TEST_CASE("what is no operation gets a Format Error at once, empty data get nothing") {
    BusUnit bus;
    bus.say(1, Bytes{});
    bus.update();
    CHECK_FALSE(bus.interval(1));
    CHECK(bus.count("format_errors") == 0);
    const Bytes nonsense{0x99, 0, 0, 0, 9, 0, 0, 0, 1};
    bus.say(1, nonsense);
    bus.update();
    REQUIRE(bus.interval(1) == 0.0);
    const Bytes answer = bus.tick(1);
    const auto error = decode(answer);
    REQUIRE(error);
    const View inside = std::get<FormatError>(*error).operation;
    CHECK(Bytes(inside.begin(), inside.end()) == nonsense);
    bus.update();
    bus.say(1, answer);  // sent back: the end of it
    bus.update();
    CHECK_FALSE(bus.interval(1));
    CHECK(bus.count("format_errors") == 1);
}

TEST_CASE("an XL frame is more than this bus carries") {
    BusUnit bus;
    const Bytes data{1};
    bus.say(1, TransmitXl{.id = 1, .data = data});
    bus.update();
    REQUIRE(bus.interval(1) == 0.0);
    CHECK(std::holds_alternative<FormatError>(*decode(bus.tick(1))));
}

TEST_CASE("a wake-up reaches the others") {
    BusUnit bus;
    for (const int terminal : {1, 2, 3}) bus.say(terminal, Configuration{ConfigurationKind::bit_rate, 250'000});
    bus.update();
    bus.say(2, Wakeup{});
    bus.update();
    CHECK(bus.interval(1) == 0.0);
    CHECK_FALSE(bus.interval(2));
    CHECK(bus.interval(3) == 0.0);
    CHECK(std::holds_alternative<Wakeup>(*decode(bus.tick(3))));
}

TEST_CASE("a tick for a Format Error does not cost the one at the end of the frame") {
    BusUnit bus;
    for (const int terminal : {1, 2}) bus.say(terminal, Configuration{ConfigurationKind::bit_rate, 250'000});
    bus.say(1, transmit_of(0x555));
    bus.update();
    const double end = *bus.interval(2);
    bus.say(2, Bytes{1, 2, 3});
    bus.update();
    CHECK(bus.interval(2) == 0.0);
    CHECK_FALSE(bus.tick(2).empty());
    bus.update();
    CHECK(bus.interval(2) == end);
}

TEST_CASE("a step over many frames loses none of them") {
    BusUnit bus;
    for (const int terminal : {1, 2}) bus.say(terminal, Configuration{ConfigurationKind::bit_rate, 250'000});
    bus.update();
    Bytes frames;
    for (std::uint32_t i = 0; i < 50; ++i) append(frames, transmit_of(i));
    bus.say(1, frames);
    bus.update();
    bus.step(0, 0.1);
    std::size_t received = 0;
    for (Bytes bytes = bus.tick(2); !bytes.empty(); bytes = bus.tick(2)) {
        Reader reader(bytes);
        while (reader.next()) ++received;
        bus.update();
    }
    CHECK(received == 50);
}

TEST_CASE("a saved state in the middle of a frame goes on as it would have, serialized, too") {
    BusUnit bus;
    for (const int terminal : {1, 2}) bus.say(terminal, Configuration{ConfigurationKind::bit_rate, 250'000});
    bus.say(1, transmit_of(0x123));
    bus.update();
    const double end = *bus.interval(2);
    bus.step(0, end / 2);
    bus.update();
    auto& unit = bus.unit();
    fmi3FMUState state = nullptr;
    REQUIRE(unit.call<fmi3GetFMUStateTYPE>("fmi3GetFMUState")(unit.instance(), &state) == fmi3OK);
    bus.step(end / 2, end / 2);
    const Bytes once = bus.tick(2);
    bus.update();
    std::size_t size = 0;
    REQUIRE(unit.call<fmi3SerializedFMUStateSizeTYPE>("fmi3SerializedFMUStateSize")(unit.instance(), state, &size) ==
            fmi3OK);
    Bytes bytes(size);
    REQUIRE(unit.call<fmi3SerializeFMUStateTYPE>("fmi3SerializeFMUState")(unit.instance(), state, bytes.data(), size) ==
            fmi3OK);
    fmi3FMUState copy = nullptr;
    REQUIRE(unit.call<fmi3DeserializeFMUStateTYPE>("fmi3DeserializeFMUState")(unit.instance(), bytes.data(), size,
                                                                              &copy) == fmi3OK);
    REQUIRE(unit.call<fmi3SetFMUStateTYPE>("fmi3SetFMUState")(unit.instance(), copy) == fmi3OK);
    CHECK(bus.count("frames") == 0);
    bus.step(end / 2, end / 2);
    CHECK(bus.tick(2) == once);
    CHECK_FALSE(once.empty());
}
