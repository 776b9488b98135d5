#include "interfaces/canopen/sensors/excavator.hpp"
#include "tests/interfaces/canopen/bench.hpp"

#include <catch2/catch.hpp>
#include <numbers>

using namespace interfaces::canopen;

namespace {

constexpr double degree = std::numbers::pi / 180, bar = 1e5, full_turn = 2 * std::numbers::pi;

Node sensor_named(const std::string& name) {
    std::vector<Node> nodes = excavator_sensors();
    for (Node& node : nodes)
        if (node.name == name) return std::move(node);
    throw std::runtime_error("no sensor " + name);
}

/// A sensor of the excavator, operational.
struct Sensor : Bench {
    explicit Sensor(const std::string& name) : Sensor(sensor_named(name)) {}
    explicit Sensor(Node node) : Bench(node.commissioning, std::move(node.device)), signals(std::move(node.signals)) {
        start();
    }
    void see(const std::vector<double>& physical, Time later = 1ms) {
        run(later);
        measure(slave, signals, physical, now);
    }
    double shown(Key key) { return slave.get(*device.dictionary.find(key)); }
    Abort put(Key key, double value) {
        const Entry& entry = *device.dictionary.find(key);
        return write(key, raw_of(entry.type, value), entry.capacity);
    }
    /// What a master makes of the number in the object.
    double understood(std::size_t signal) {
        const Scale scale = scale_of(device, signals[signal], slave.state.image);
        return slave.get(signals[signal].entry) * scale.gain + scale.offset;
    }

    std::vector<Signal> signals;
};

constexpr Key slope{0x6010, 0}, operation{0x6011, 0}, preset{0x6012, 0}, offset{0x6013, 0}, differential{0x6014, 0},
    resolution{0x6000, 0};
constexpr Key position{0x6004, 0}, process{0x6130, 1};

}  // namespace

TEST_CASE("the excavator has nine sensors with their own ids, and every signal is scaled by its profile") {
    const std::vector<Node> nodes = excavator_sensors();
    REQUIRE(nodes.size() == 9);
    std::vector<int> ids;
    std::vector<std::string> names;
    for (const Node& node : nodes) {
        ids.push_back(node.commissioning.node_id);
        for (const Signal& signal : node.signals) {
            names.push_back(signal.name);
            CHECK(signal.channel != Profile::none);
            CHECK(signal.entry.mappable);
        }
    }
    CHECK(ids == std::vector<int>{1, 2, 3, 4, 5, 6, 7, 0x10, 0x11});
    CHECK(names == std::vector<std::string>{"inclination.boom", "inclination.adjust", "inclination.arm",
                                            "inclination.coupler", "pitch", "roll", "slew.length", "rotate.angle",
                                            "jaw.pressure_a", "jaw.pressure_b"});
}

TEST_CASE("every mapped object of the shipped sensors is one that may be mapped") {
    for (const Node& node : excavator_sensors()) {
        const Image image = node.device.dictionary.factory(1);
        for (std::uint16_t index = 0x1A00; node.device.dictionary.has_object(index); ++index) {
            const auto entries = node.device.dictionary.entries_of(index);
            Image off = image;
            set_number(off, *node.device.dictionary.find({static_cast<std::uint16_t>(index - 0x200), 1}), 0x80000000);
            CHECK(check_mapping(node.device.dictionary, off, {index, 0}, entries[0].initial) == Abort::none);
        }
    }
}

TEST_CASE("an inclinometer shows its angle in steps of the resolution, in a PDO every 10 ms") {
    Sensor boom("boom");
    boom.see({-33.333 * degree});
    CHECK(boom.shown(slope) == -3333);
    const Frames& sent = boom.run(100ms);
    CHECK(sent.size() == 10);
    CHECK(sent.back().id == 0x181);
    CHECK(bytes_of(sent.back()) == Bytes{0xFB, 0xF2});
    CHECK(boom.put(resolution, 100) == Abort::none);
    CHECK(boom.shown(slope) == -333);
    CHECK(boom.put(resolution, 1) == Abort::none);
    CHECK(boom.shown(slope) == -32768);  // saturated
    CHECK(boom.put(resolution, 7) == Abort::value);
}

TEST_CASE("preset, differential offset and inversion shift and turn an inclination") {
    Sensor boom("boom");
    boom.see({10 * degree});
    CHECK(boom.put(operation, 4) == Abort::too_high);
    CHECK(boom.put(preset, 0) == Abort::none);
    CHECK(boom.shown(offset) == -1000);
    CHECK(boom.shown(slope) == 1000);  // offsets count only with bit 1
    CHECK(boom.put(operation, 2) == Abort::none);
    CHECK(boom.shown(slope) == 0);
    CHECK(boom.put(differential, 50) == Abort::none);
    CHECK(boom.shown(slope) == 50);
    CHECK(boom.put(preset, 200) == Abort::none);
    CHECK(boom.shown(slope) == 200);
    CHECK(boom.understood(0) == Approx(10 * degree));
    boom.see({11 * degree});
    CHECK(boom.shown(slope) == 300);
    CHECK(boom.put(resolution, 100) == Abort::none);
    CHECK(boom.shown(slope) == 30);
    CHECK(boom.shown(differential) == 5);
    CHECK(boom.put(operation, 1) == Abort::none);
    CHECK(boom.shown(slope) == -110);
    CHECK(boom.understood(0) == Approx(11 * degree));
}

TEST_CASE("a preset and its offset are there again after power-up if they were stored") {
    Sensor boom("boom");
    boom.see({10 * degree});
    boom.put(operation, 2);
    boom.put(preset, 0);
    CHECK(boom.write({0x1010, 1}, 0x65766173, 4) == Abort::none);
    boom.slave.switch_on(boom.now);
    boom.start();
    CHECK(boom.shown(slope) == 0);
}

TEST_CASE("the frame's inclinometer shows pitch and roll, in 16 and 32 bit") {
    Sensor frame("frame");
    frame.see({0.1, -0.2});
    CHECK(frame.shown({0x6010, 0}) == 573);
    CHECK(frame.shown({0x6020, 0}) == -1146);
    CHECK(frame.shown({0x6110, 0}) == 573);
    CHECK(frame.shown({0x6120, 0}) == -1146);
    CHECK(bytes_of(frame.run(20ms).back()) == Bytes{0x3D, 0x02, 0x86, 0xFB});
}

TEST_CASE("a draw-wire shows its length in steps, its speed, and an alarm beyond its ends") {
    Sensor slew("slew");
    slew.see({0.19});
    slew.see({0.1990}, 10ms);
    CHECK(slew.shown(position) == 19900);
    CHECK(slew.shown({0x6030, 1}) == 9000);                // 0.9 m/s in 0.1 mm/s
    CHECK(slew.put({0x6005, 1}, 1000000) == Abort::none);  // 1 mm
    CHECK(slew.shown(position) == 199);
    CHECK(slew.put({0x6005, 1}, 0) == Abort::too_low);
    CHECK(slew.put({0x6003, 0}, 0) == Abort::none);
    CHECK(slew.shown(position) == 0);
    slew.see({0.25});
    CHECK(slew.shown(position) == 51);
    CHECK(slew.understood(0) == Approx(0.25));
    CHECK(slew.put({0x6000, 0}, 8) == Abort::none);
    CHECK(slew.shown({0x6500, 0}) == 8);
    CHECK(slew.understood(0) == Approx(0.25));
    CHECK(slew.shown({0x6503, 0}) == 0);
    slew.see({1.3});
    CHECK(slew.shown({0x6503, 0}) == 1);
    CHECK(slew.understood(0) == Approx(1.25));
}

TEST_CASE("the tool's encoder counts from the middle of its range, so that both directions are positive numbers") {
    Sensor rotate("rotate");
    rotate.see({-0.25 * full_turn});
    CHECK(rotate.shown(position) == (1 << 27) - 16384);
    CHECK(rotate.understood(0) == Approx(-0.25 * full_turn));
    rotate.see({-0.24 * full_turn}, 100ms);
    CHECK(rotate.shown({0x6030, 1}) == 6554);  // a tenth of a turn per second
    CHECK(rotate.put({0x6003, 0}, 1000) == Abort::none);
    CHECK(rotate.shown(position) == 1000);
    CHECK(rotate.put({0x6003, 0}, 1u << 28) == Abort::value);
    rotate.see({-0.28 * full_turn});
    CHECK(rotate.shown(position) == (1 << 28) + 1000 - 2621);  // below zero it goes on at the other end
}

TEST_CASE("an encoder scaled by its user has that many units per turn and wraps at that range") {
    Sensor rotate("rotate");
    CHECK(rotate.put({0x6001, 0}, 3600) == Abort::none);
    CHECK(rotate.put({0x6002, 0}, 7200) == Abort::none);
    CHECK(rotate.put({0x6000, 0}, 4) == Abort::none);
    CHECK(rotate.put({0x6003, 0}, 0) == Abort::none);
    rotate.see({0.5 * full_turn});
    CHECK(rotate.shown(position) == 1800);
    rotate.see({2.5 * full_turn});
    CHECK(rotate.shown(position) == 1800);
    CHECK(rotate.put({0x6000, 0}, 5) == Abort::none);
    CHECK(rotate.shown(position) == 5400);
}

TEST_CASE("the cyclic timer of an encoder and the event timer of its PDO are one") {
    Sensor rotate("rotate");
    CHECK(rotate.put({0x6200, 0}, 50) == Abort::none);
    CHECK(rotate.shown({0x1800, 5}) == 50);
    rotate.run(60ms);
    CHECK(rotate.run(500ms).size() == 10);
    CHECK(rotate.put({0x1800, 5}, 20) == Abort::none);
    CHECK(rotate.shown({0x6200, 0}) == 20);
}

TEST_CASE("a pressure transmitter shows bar, other units, and integers with digits") {
    Sensor jaw("jaw_a");
    jaw.see({123.45 * bar});
    CHECK(jaw.shown(process) == Approx(123.45));
    CHECK(jaw.shown({0x7130, 1}) == 1235);
    CHECK(jaw.put({0x6132, 1}, 2) == Abort::none);
    CHECK(jaw.shown({0x7130, 1}) == 12345);
    CHECK(jaw.shown({0x9130, 1}) == 12345);
    CHECK(jaw.put({0x6131, 1}, 0x06220000) == Abort::none);  // MPa
    CHECK(jaw.shown(process) == Approx(12.345));
    CHECK(jaw.shown({0x6149, 1}) == Approx(40));
    CHECK(jaw.understood(0) == Approx(123.45 * bar));
    CHECK(jaw.put({0x6131, 1}, 0x00AB0000) == Abort::none);  // psi
    CHECK(jaw.shown(process) == Approx(1790.49).epsilon(1e-5));
    CHECK(jaw.put({0x6131, 1}, 0x002D0000) == Abort::value);  // degrees Celsius
    REQUIRE(!jaw.run(20ms).empty());
    CHECK(jaw.sent.back().id == 0x190);
    CHECK(jaw.sent.back().size == 5);
}

TEST_CASE("a pressure beyond the span saturates and is flagged; the zero can be set") {
    Sensor jaw("jaw_b");
    jaw.see({450 * bar});
    CHECK(jaw.shown(process) == 400);
    CHECK(jaw.shown({0x6150, 1}) == 2);
    jaw.see({-3 * bar});
    CHECK(jaw.shown(process) == 0);
    CHECK(jaw.shown({0x6150, 1}) == 4);
    jaw.see({2 * bar});
    CHECK(jaw.shown({0x6150, 1}) == 0);
    CHECK(jaw.put({0x6125, 1}, 1) == Abort::cannot_store);
    CHECK(jaw.put({0x6125, 1}, 0x6F72657A) == Abort::none);
    CHECK(jaw.shown(process) == Approx(0));
    CHECK(jaw.shown({0x6124, 1}) == Approx(-2));
    jaw.see({10 * bar});
    CHECK(jaw.shown(process) == Approx(8));
    CHECK(jaw.understood(0) == Approx(10 * bar));
    CHECK(jaw.abort_of_read({0x6125, 1}) == Abort::write_only);
}

TEST_CASE("scaling points must make a line, and do") {
    Sensor jaw("jaw_a");
    CHECK(jaw.put({0x6120, 1}, 400) == Abort::incompatible);
    CHECK(jaw.put({0x6123, 1}, 0) == Abort::incompatible);
    CHECK(jaw.write({0x6123, 1}, 0x7FC00000, 4) == Abort::value);  // not a number
    CHECK(jaw.put({0x6123, 1}, 100) == Abort::none);
    jaw.see({200 * bar});
    CHECK(jaw.shown(process) == Approx(50));
    CHECK(jaw.understood(0) == Approx(200 * bar));
}

TEST_CASE("the filter of a pressure transmitter is the mean of its last samples") {
    Sensor jaw("jaw_a");
    CHECK(jaw.put({0x61A1, 1}, 33) == Abort::too_high);
    CHECK(jaw.put({0x61A1, 1}, 4) == Abort::none);
    CHECK(jaw.put({0x61A0, 1}, 2) == Abort::value);
    CHECK(jaw.put({0x61A0, 1}, 1) == Abort::none);
    for (int i = 0; i < 100; ++i) jaw.see({0});
    std::vector<double> steps;
    for (int i = 0; i < 5; ++i) {
        jaw.see({100 * bar});
        steps.push_back(jaw.shown(process));
    }
    CHECK(steps == std::vector<double>{25, 50, 75, 100, 100});
}
