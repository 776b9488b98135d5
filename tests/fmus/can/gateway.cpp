#include "fmus/can/gateway/control.hpp"
#include "interfaces/dbc/read.hpp"

#include <catch2/catch.hpp>
#include <random>

using namespace fmus::can;
namespace ls_bus = interfaces::ls_bus;
using Frames = std::vector<Frame>;
using Reason = Control::Reason;

namespace {

constexpr Nanoseconds ms = 1'000'000;

const GatewayLayout& control_layout() {
    static const GatewayLayout layout(
        interfaces::can_mapping::read_file(TANDEM_TEST_DATA "/../config/can/control.xml"));
    return layout;
}

/// A device with its controller, driven by hand.
template <class Device>
struct End {
    Device device;
    Node node;

    explicit End(Device given) : device(std::move(given)) {}
    void begin(Nanoseconds now = 0) {
        node.start();
        device.initialize(now);
        static_cast<void>(drain());
    }
    /// What it sends at this time.
    Frames at(Nanoseconds now) {
        device.act(now, node);
        return drain();
    }
    Frames drain() {
        Frames frames;
        for (; !node.port.out.empty(); node.port.out.handed_over()) {
            ls_bus::Reader reader(node.port.out.data);
            while (const auto piece = reader.next())
                if (const auto operation = ls_bus::decode(*piece))
                    if (const auto* transmit = std::get_if<ls_bus::Transmit>(&*operation))
                        frames.push_back(transmit->frame);
        }
        return frames;
    }
};

Gateway gateway_of(const GatewayLayout& layout, const std::string& nodes) {
    Gateway gateway(layout);
    gateway.parameters.nodes = nodes;
    return gateway;
}

End<Control> control_end(const std::string& nodes) {
    Control control(control_layout());
    control.gateway.parameters.nodes = nodes;
    return End<Control>(control);
}

std::size_t signal(const std::string& name) { return control_layout().find(name).value(); }

/// Both ends of the control bus; what is on its way can be changed.
struct ControlBus {
    End<Control> computer = control_end("Computer"), ecu = control_end("Ecu");
    Nanoseconds now = -ms;

    ControlBus() {
        computer.begin();
        ecu.begin();
        computer.device.gateway.sent[signal("enable")].flag = true;
        ecu.device.gateway.sent[signal("status")].whole = 2;
    }
    /// One millisecond; `change` sees the computer's frames before the controller does.
    template <class Change>
    void step(Change change) {
        now += ms;
        Frames frames = computer.at(now);
        change(frames);
        for (const Frame& frame : frames) ecu.device.receive(frame, now);
        for (const Frame& frame : ecu.at(now)) computer.device.receive(frame, now);
        static_cast<void>(computer.at(now));
        static_cast<void>(ecu.at(now));
    }
    void run(int steps) {
        for (int i = 0; i < steps; ++i) step([](Frames&) {});
    }
    double target(const char* name) const { return ecu.device.gateway.received[signal(name)].real; }
    std::int64_t told(const char* name) const { return computer.device.gateway.received[signal(name)].whole; }
};

Frame* find(Frames& frames, std::uint32_t id) {
    for (Frame& frame : frames)
        if (frame.id == id) return &frame;
    return nullptr;
}

/// What happens to the computer's frames when the next one with this identifier is among them.
template <class Change>
void disturb(ControlBus& bus, std::uint32_t id, Change change) {
    for (bool done = false; !done;)
        bus.step([&](Frames& frames) {
            if (find(frames, id) == nullptr) return;
            change(frames);
            done = true;
        });
}

void check_stopped(ControlBus& bus, Reason reason, std::uint32_t message) {
    CHECK(bus.ecu.device.stop.reason == static_cast<int>(reason));
    CHECK(bus.ecu.device.stop.message == message);
    CHECK_FALSE(bus.ecu.device.enable);
    bus.run(25);
    CHECK(bus.told("stop.reason") == static_cast<int>(reason));
    CHECK(bus.told("stop.message") == message);
    CHECK(bus.computer.device.status == 3);
    CHECK(bus.computer.device.gateway.received[signal("stop.time")].real ==
          Approx(bus.ecu.device.stop.time).margin(0.005));  // in steps of 10 ms
    CHECK(bus.ecu.device.explanation().starts_with("safe stop: "));
}

constexpr char small_dbc[] = R"(VERSION ""
BS_:
BU_: A B
BO_ 100 Cyclic: 2 A
 SG_ Level : 0|8@1- (0.5,10) [0|0] "m" B
 SG_ Spare : 8|8@1+ (1,0) [0|255] "" B
BO_ 101 OnChange: 1 A
 SG_ Switch : 0|1@1+ (1,0) [0|1] "" B
BA_DEF_ BO_ "GenMsgCycleTime" INT 0 65535;
BA_DEF_ SG_ "GenSigStartValue" FLOAT -128 255;
BA_DEF_DEF_ "GenMsgCycleTime" 0;
BA_DEF_DEF_ "GenSigStartValue" 0;
BA_ "GenMsgCycleTime" BO_ 100 10;
BA_ "GenSigStartValue" SG_ 100 Level -4;
BA_ "GenSigStartValue" SG_ 100 Spare 7;
)";

const GatewayLayout& small_layout() {
    static const GatewayLayout layout(interfaces::can_mapping::read(
        R"(<CanMapping xmlns="urn:tandem:can:1" database="small.dbc"><Message name="Cyclic" timeout="0.05">
           <Signal name="Level" connector="tank.level" gain="100" offset="1"/></Message></CanMapping>)",
        "small.xml", interfaces::dbc::read(small_dbc, "small.dbc")));
    return layout;
}

}  // namespace

TEST_CASE("signals go through the control bus and back") {
    ControlBus bus;
    auto& sent = bus.computer.device.gateway.sent;
    sent[signal("boom.target")].real = 0.43210;
    sent[signal("rotate.target")].real = -1.2345;
    sent[signal("travel.target")].real = 12.34567;
    sent[signal("phase")].whole = 4;
    bus.run(22);
    CHECK(bus.target("boom.target") == Approx(0.43210).margin(1e-5));
    CHECK(bus.target("rotate.target") == Approx(-1.2345).margin(1e-9));
    CHECK(bus.target("travel.target") == Approx(12.34567).margin(1e-9));
    CHECK(bus.ecu.device.gateway.received[signal("phase")].whole == 4);
    CHECK(bus.ecu.device.enable);
    CHECK(bus.computer.device.status == 2);
    CHECK(bus.ecu.device.gateway.fault.count == 0);
    bus.run(1000);
    CHECK(bus.ecu.device.stops == 0);
    CHECK(bus.computer.device.stops == 0);
    CHECK(bus.ecu.device.gateway.receptions[0].count == 52);  // every 20 ms, counted from 0
}

TEST_CASE("a trajectory point counts once all its frames with equal counters are there") {
    ControlBus bus;
    bus.run(5);
    auto& sent = bus.computer.device.gateway.sent;
    for (const char* name : {"boom.target", "slew.target", "jaw.target"}) sent[signal(name)].real = 0.5;
    const std::int64_t before = bus.told("applied.counter");
    Frames held;
    disturb(bus, 0x112, [&](Frames& frames) {  // the last of three comes later
        held.push_back(*find(frames, 0x112));
        std::erase_if(frames, [](const Frame& frame) { return frame.id == 0x112; });
    });
    bus.run(3);
    for (const char* name : {"boom.target", "slew.target", "jaw.target"}) CHECK(bus.target(name) == 0);
    bus.ecu.device.receive(held.front(), bus.now);
    for (const char* name : {"boom.target", "slew.target", "jaw.target"}) CHECK(bus.target(name) == Approx(0.5));
    CHECK(bus.ecu.device.stop.reason == 0);
    bus.run(20);
    CHECK(bus.told("applied.counter") != before);
}

TEST_CASE("what is wrong with a message stops the machine, and the reason is on the bus") {
    ControlBus bus;
    bus.run(50);
    REQUIRE(bus.ecu.device.enable);
    SECTION("a wrong checksum") {
        disturb(bus, 0x100, [](Frames& frames) { find(frames, 0x100)->data[2] ^= 1; });
        check_stopped(bus, Reason::wrong_checksum, 0x100);
    }
    SECTION("a short frame") {
        disturb(bus, 0x100, [](Frames& frames) { find(frames, 0x100)->size = 3; });
        check_stopped(bus, Reason::wrong_checksum, 0x100);
    }
    SECTION("a repeated counter") {
        disturb(bus, 0x111, [](Frames& frames) { frames.push_back(*find(frames, 0x111)); });
        check_stopped(bus, Reason::repeated_counter, 0x111);
    }
    SECTION("a missing counter") {
        disturb(bus, 0x110,
                [](Frames& frames) { std::erase_if(frames, [](auto& frame) { return frame.id == 0x110; }); });
        disturb(bus, 0x110, [](Frames&) {});
        check_stopped(bus, Reason::missing_counter, 0x110);
    }
    SECTION("silence") {
        bus.computer.device.gateway.silent = true;
        bus.run(80);
        CHECK(bus.ecu.device.stop.reason == 0);
        bus.run(25);
        CHECK(bus.ecu.device.stop.reason == static_cast<int>(Reason::timeout));
        CHECK(bus.ecu.device.stop.time == Approx(0.141));  // last at 40 ms, 100 ms are allowed
        CHECK(bus.ecu.device.explanation().find("timeout") != std::string::npos);
        check_stopped(bus, Reason::timeout, 0x100);
    }
    SECTION("a lost sensor") {
        bus.ecu.device.lost_sensor = 3;
        bus.run(1);
        check_stopped(bus, Reason::sensor_lost, 3);
        bus.ecu.device.lost_sensor = 0;
    }
    const std::uint64_t stops = bus.ecu.device.stops;
    CHECK(stops == 1);
    // It stands until all is good again and the computer has switched it off.
    bus.computer.device.gateway.silent = false;
    bus.run(100);
    CHECK(bus.ecu.device.stop.reason != 0);
    bus.computer.device.gateway.sent[signal("enable")].flag = false;
    bus.run(45);
    CHECK(bus.ecu.device.stop.reason == 0);
    bus.computer.device.gateway.sent[signal("enable")].flag = true;
    bus.run(45);
    CHECK(bus.ecu.device.enable);
    CHECK(bus.computer.device.status == 2);
}

TEST_CASE("a controller that is off the bus stops its machine") {
    ControlBus bus;
    bus.ecu.node.parameters.notifications = true;
    bus.ecu.begin();
    bus.run(10);
    REQUIRE(bus.ecu.device.enable);
    Node& node = bus.ecu.node;
    for (int i = 0; i < 32; ++i) {
        node.port.rx_clock = true;
        node.port.rx_data.clear();
        append(node.port.rx_data, ls_bus::BusError{.id = 0x180, .is_sender = true});
        node.update(bus.now, [](const Frame&) {});
    }
    node.port.rx_clock = false;
    bus.run(1);
    CHECK(bus.ecu.device.stop.reason == static_cast<int>(Reason::bus_off));
    CHECK_FALSE(bus.ecu.device.enable);
}

TEST_CASE("the computer takes a silent controller for a fault, as long as it is silent") {
    ControlBus bus;
    bus.run(50);
    CHECK(bus.computer.device.status == 2);
    bus.ecu.device.gateway.silent = true;
    bus.run(120);
    CHECK(bus.computer.device.status == 3);
    CHECK(bus.computer.device.stop.reason == static_cast<int>(Reason::timeout));
    CHECK(bus.computer.device.stop.message == 0x180);
    bus.ecu.device.gateway.silent = false;
    bus.run(25);
    CHECK(bus.computer.device.status == 2);
}

TEST_CASE("absent nodes are sent with start values by their cycle times, and any signal can be overridden") {
    End<Gateway> rest(gateway_of(small_layout(), "A"));
    rest.begin();
    const std::size_t level = small_layout().find("tank.level").value();
    const std::size_t spare = small_layout().find("Cyclic.Spare").value();
    CHECK(small_layout().signals[level].initial == 801);  // (-4 * 0.5 + 10) * 100 + 1
    std::vector<Nanoseconds> times;
    for (Nanoseconds now = 0; now <= 100 * ms; now += ms)
        for (const Frame& frame : rest.at(now)) {
            times.push_back(now);
            CHECK(frame.id == 100);
            CHECK(frame.data[0] == 0xFC);
            CHECK(frame.data[1] == 7);
        }
    REQUIRE(times.size() == 11);
    for (std::size_t i = 0; i < times.size(); ++i) CHECK(times[i] == static_cast<Nanoseconds>(i) * 10 * ms);
    CHECK(rest.device.next() == 110 * ms);
    rest.device.overrides[spare] = {.value = {.whole = 99}, .active = true};
    rest.device.sent[spare].whole = 1;
    CHECK(rest.at(110 * ms).at(0).data[1] == 99);
    rest.device.overrides[spare].active = false;
    CHECK(rest.at(120 * ms).at(0).data[1] == 1);
    // One without a cycle time when its value changes.
    rest.device.sent[small_layout().find("OnChange.Switch").value()].flag = true;
    const Frames changed = rest.at(121 * ms);
    REQUIRE(changed.size() == 1);
    CHECK(changed[0].id == 101);
    CHECK(changed[0].data[0] == 1);
    CHECK(rest.at(122 * ms).empty());
}

TEST_CASE("a value that its bits do not hold is sent as the nearest, and told") {
    End<Gateway> rest(gateway_of(small_layout(), "A"));
    rest.begin();
    const std::size_t level = small_layout().find("tank.level").value();
    rest.device.sent[level].real = 7351;  // (63.5 + 10) * 100 + 1: the largest
    CHECK(rest.at(0).at(0).data[0] == 127);
    CHECK_FALSE(rest.device.misfit);
    rest.device.sent[level].real = 9001;
    CHECK(rest.at(10 * ms).at(0).data[0] == 127);
    CHECK(rest.device.explanation_of_misfit() ==
          "send.tank.level is 9001 at 0.01 s, which the bits of the signal do not hold; sent is 7351");
}

TEST_CASE("a receiver knows age and validity, and loses what it has no room for") {
    End<Gateway> sender(gateway_of(small_layout(), "A")), receiver(gateway_of(small_layout(), "B"));
    receiver.device.parameters.receive_period = 0.1;
    receiver.device.parameters.receive_depth = 3;
    sender.begin();
    receiver.begin();
    sender.device.sent[small_layout().find("tank.level").value()].real = 1051;
    for (Nanoseconds now = 0; now <= 95 * ms; now += 5 * ms) {
        for (const Frame& frame : sender.at(now)) receiver.device.receive(frame, now);
        static_cast<void>(receiver.at(now));
    }
    CHECK(receiver.device.overruns == 7);
    CHECK(receiver.device.receptions[0].count == 0);
    CHECK(receiver.device.next() == 100 * ms);
    static_cast<void>(receiver.at(100 * ms));
    CHECK(receiver.device.receptions[0].count == 3);
    CHECK(receiver.device.receptions[0].valid);
    CHECK(receiver.device.received[small_layout().find("tank.level").value()].real == 1051);
    CHECK(receiver.device.next() == 200 * ms);
    const std::uint64_t faults = receiver.device.fault.count;
    static_cast<void>(receiver.at(151 * ms));
    CHECK_FALSE(receiver.device.receptions[0].valid);
    CHECK(receiver.device.receptions[0].age == Approx(0.051));
    CHECK(receiver.device.fault.count == faults + 1);
}

TEST_CASE("J1939: undefined bits are sent as not available, and a held value is told to be held") {
    constexpr char text[] = R"(BU_: A B
BO_ 2364540158 EEC1: 8 A
 SG_ Torque : 16|8@1+ (1,-125) [-125|125] "" B
 SG_ Speed : 24|16@1+ (0.125,0) [0|8031.875] "rpm" B
BA_DEF_ BO_ "GenMsgCycleTime" INT 0 65535;
BA_DEF_ BO_ "VFrameFormat" ENUM "StandardCAN","ExtendedCAN","reserved","J1939PG";
BA_ "GenMsgCycleTime" BO_ 2364540158 10;
BA_ "VFrameFormat" BO_ 2364540158 3;
)";
    const GatewayLayout layout(interfaces::can_mapping::read(
        R"(<CanMapping xmlns="urn:tandem:can:1" database="x.dbc"><Message name="EEC1">
           <Signal name="Speed" connector="rpm"/><Signal name="Torque" connector="torque"/></Message></CanMapping>)",
        "x.xml", interfaces::dbc::read(text, "x.dbc")));
    const std::size_t torque = layout.find("torque").value(), rpm = layout.find("rpm").value();
    End<Gateway> sender(gateway_of(layout, "A")), receiver(gateway_of(layout, "B"));
    sender.begin();
    receiver.begin();
    sender.device.sent[torque].real = 300;
    sender.device.sent[rpm].real = 99999;
    Frames frames = sender.at(0);
    REQUIRE(frames.size() == 1);
    const std::vector<std::uint8_t> data(frames[0].bytes().begin(), frames[0].bytes().end());
    CHECK(data == std::vector<std::uint8_t>{0xFF, 0xFF, 0xFA, 0xFF, 0xFA, 0xFF, 0xFF, 0xFF});

    using interfaces::dbc::Indicator;
    const auto came = [&](std::uint8_t high) {
        frames[0].data[4] = high;
        receiver.device.receive(frames[0], ms);
        return std::pair(receiver.device.received[rpm].real, Indicator{receiver.device.indicators[1]});
    };
    CHECK(Indicator{receiver.device.indicators[1]} == Indicator::not_available);
    CHECK(came(0x10) == std::pair(0x10FF * 0.125, Indicator::number));
    CHECK(came(0xFF) == std::pair(0x10FF * 0.125, Indicator::not_available));
    CHECK(came(0xFE) == std::pair(0x10FF * 0.125, Indicator::error));
    CHECK(came(0xFC) == std::pair(0x10FF * 0.125, Indicator::specific));
    CHECK(came(0x20) == std::pair(0x20FF * 0.125, Indicator::number));
}

TEST_CASE("a node that the database does not have is named") {
    Gateway gateway = gateway_of(control_layout(), "Computr");
    CHECK_THROWS_WITH(gateway.initialize(0),
                      Catch::Contains("'Computr'") && Catch::Contains("did you mean 'Computer'"));
}

TEST_CASE("two connectors of one name are refused") {
    const std::string mapping =
        R"(<CanMapping xmlns="urn:tandem:can:1" database="small.dbc"><Message name="Cyclic">
           <Signal name="Level" connector="OnChange.Switch"/></Message></CanMapping>)";
    CHECK_THROWS_WITH(GatewayLayout(interfaces::can_mapping::read(mapping, "small.xml",
                                                                  interfaces::dbc::read(small_dbc, "small.dbc"))),
                      Catch::Contains("OnChange.Switch"));
}

TEST_CASE("no bytes from outside harm a gateway, and none that are wrong move the machine") {
    std::mt19937 random(4);
    ControlBus bus;
    bus.run(30);
    const double before = bus.target("boom.target");
    for (int i = 0; i < 20'000; ++i) {
        Frame frame{.id = static_cast<std::uint32_t>(random() % 4 == 0 ? random() % 0x800 : 0x100 + random() % 0x100),
                    .extended = random() % 8 == 0,
                    .remote = random() % 8 == 0,
                    .fd = random() % 8 == 0,
                    .size = static_cast<std::uint8_t>(random() % 9)};
        for (std::size_t k = 0; k < 8; ++k) frame.data[k] = static_cast<std::uint8_t>(random());
        // A checksum of eight bits can be right by chance.
        const std::size_t index = control_layout().plans.find(frame);
        if (index != interfaces::dbc::Plans::none && frame.bytes().size() == 8 &&
            interfaces::e2e::is_intact(control_layout().messages[index].protection, frame.bytes()))
            frame.data[0] ^= 1;
        bus.ecu.device.receive(frame, bus.now);
    }
    bus.run(1);
    CHECK_FALSE(bus.ecu.device.enable);
    CHECK(bus.target("boom.target") == before);
}

TEST_CASE("a copy goes on as the original does, and its variables stay where they are") {
    ControlBus bus;
    bus.run(37);
    const ControlBus saved = bus;
    const auto* place = &bus.ecu.device.gateway.received[0];
    const auto go_on = [&] {
        bus.computer.device.gateway.sent[signal("boom.target")].real = 0.25;
        bus.run(60);
        return std::pair(bus.target("boom.target"), bus.told("applied.counter"));
    };
    const auto first = go_on();
    bus = saved;
    CHECK(&bus.ecu.device.gateway.received[0] == place);
    CHECK(go_on() == first);
}
