#include "interfaces/teleop/endpoint.hpp"

#include "tests/support/milliseconds.hpp"

#include <catch2/catch.hpp>
#include <chrono>
#include <functional>
#include <thread>

using namespace interfaces::teleop;
namespace udp = interfaces::udp;

namespace {

using tests::ms;
using Axes = std::array<double, axis_count>;

/// A free port of this machine.
MachineSettings settings() { return {.own = {udp::loopback, 0}}; }

/// A simulation in real time that gives the endpoint its 10 ms steps.
class Machine {
public:
    explicit Machine(const MachineSettings& settings) : endpoint(settings) {}

    /// Steps until the condition holds, for at most so many seconds of the simulation; the other end is called in
    /// between.
    bool run_until(
        double seconds, const std::function<bool()>& done, const std::function<void()>& other = [] {}) {
        for (const std::int64_t end = time + static_cast<std::int64_t>(seconds * 1e9); time < end;) {
            time += 10 * ms;
            std::this_thread::sleep_until(start_ + std::chrono::nanoseconds(time));
            other();
            axes = endpoint.axes(time);
            endpoint.publish(time, pose, edge);
            if (done()) return true;
        }
        return false;
    }

    MachineEndpoint endpoint;
    std::int64_t time = 0;
    Axes axes{};
    Pose pose;
    Edge edge;

private:
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

void drive(const MachineSettings& how, const std::optional<Key>& key) {
    Machine machine(how);
    machine.pose.values[3] = 0.5;
    machine.edge.heights[299] = -1.5;
    auto station = std::make_unique<OperatorEndpoint>(machine.endpoint.address(), key);
    Axes levers{};
    const auto act = [&] {
        if (!station) return;
        station->poll(0);
        (void)station->send(levers, true);
    };
    REQUIRE(machine.run_until(
        5, [&] { return station->station().in_control(); }, act));
    CHECK(station->station().pose()->content.values[3] == Approx(0.5));
    REQUIRE(machine.run_until(
        5, [&] { return station->station().edge().has_value(); }, act));
    CHECK(station->station().edge()->content.heights[299] == Approx(-1.5));
    levers[2] = -0.75;
    REQUIRE(machine.run_until(
        5, [&] { return machine.axes[2] < -0.7; }, act));
    CHECK(machine.axes[0] == 0);
    // The operator is killed while he pushes the lever.
    station.reset();
    const std::int64_t killed = machine.time;
    REQUIRE(machine.run_until(2, [&] { return machine.axes[2] == 0; }));
    CHECK(machine.time - killed <= GateSettings{}.dead_man + how.link.delay + how.link.jitter + 20 * ms);
    CHECK(machine.endpoint.status().holder == 0);
}

}  // namespace

TEST_CASE("an operator sees the machine, moves it, and is killed: every axis stops") {
    SECTION("on this machine") { drive(settings(), std::nullopt); }
    SECTION("with a key") {
        MachineSettings with_key = settings();
        with_key.key = Key("a key that both ends have");
        drive(with_key, with_key.key);
    }
    SECTION("over a bad link") {
        MachineSettings bad = settings();
        bad.link = parse_link("delay=40ms,jitter=10ms,loss=2%,rate=200kbit/s");
        drive(bad, std::nullopt);
    }
}

TEST_CASE("the round trip is that of the link, both ways") {
    MachineSettings slow = settings();
    slow.link.delay = 40 * ms;
    Machine machine(slow);
    OperatorEndpoint station(machine.endpoint.address(), std::nullopt);
    REQUIRE(machine.run_until(
        5, [&] { return station.round_trip().has_value(); }, [&] { station.poll(0); }));
    CHECK(*station.round_trip() >= 80 * ms);
    CHECK(*station.round_trip() < 1000 * ms);  // a busy computer
}

TEST_CASE("on the wire the stream is 50 poses, 10 edges and 2 words about control per second") {
    Machine machine(settings());
    udp::Socket listener({udp::loopback, 0});
    std::size_t poses = 0, edges = 0, others = 0, bytes = 0;
    const auto listen = [&] {
        std::array<std::uint8_t, 2048> buffer;
        while (const auto received = listener.receive(buffer)) {
            const auto packet = decode(std::span(buffer).first(received->size), nullptr);
            REQUIRE(packet.has_value());
            bytes += received->size;
            if (std::holds_alternative<Pose>(packet->content)) ++poses;
            if (std::holds_alternative<Edge>(packet->content)) ++edges;
            if (std::holds_alternative<Status>(packet->content)) ++others;
        }
    };
    REQUIRE(listener.send(machine.endpoint.address(), encode({{}, Hello{3}}, nullptr)) == 0);
    const auto known = [&] {
        return machine.endpoint.statistics().operators == 1 && machine.time % (500 * ms) == 490 * ms;
    };
    REQUIRE(machine.run_until(5, known));
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    listen();
    poses = edges = others = bytes = 0;
    const std::int64_t begin = machine.time;
    REQUIRE(machine.run_until(
        2, [&] { return machine.time - begin == 1000 * ms; }, listen));
    for (int i = 0; i < 100 && poses < 50; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
        listen();
    }
    CHECK(poses == 50);
    CHECK(edges == 10);
    CHECK(others == 2);
    CHECK(8 * (poses * 2 * pose_size + edges * 2 * edge_size) == 55'200);
    CHECK(8 * bytes <= 65'000);
    CHECK(machine.endpoint.statistics().dropped == 0);
}

TEST_CASE("forged, replayed and foreign datagrams never move an axis") {
    MachineSettings with_key = settings();
    with_key.key = Key("a key that both ends have");
    Machine machine(with_key);
    OperatorEndpoint honest(machine.endpoint.address(), with_key.key);
    REQUIRE(machine.run_until(
        5, [&] { return honest.station().pose().has_value(); }, [&] { honest.poll(0); }));

    udp::Socket attacker({udp::loopback, 0});
    const Key guessed("a key that nobody else has");
    OperatorStation forger(66);
    const auto send = [&](const Packet& packet, const Key* key) {
        CHECK(attacker.send(machine.endpoint.address(), encode(packet, key)) == 0);
    };
    Packet pose{{1, 1, machine.time}, Pose{}};
    forger.receive(pose, 0);
    const std::uint64_t before = machine.endpoint.statistics().refused;
    for (int i = 0; i < 20; ++i) {
        send(*forger.command(Axes{}, true, 0), &guessed);
        send(*forger.command(Axes{1, 1}, true, 0), &guessed);
        send(*forger.command(Axes{1, 1}, true, 0), nullptr);
        send(*forger.command(Axes{1, 1}, true, 0), &*with_key.key);  // of another run
    }
    REQUIRE(machine.run_until(5, [&] {
        CHECK(machine.axes == Axes{});
        return machine.endpoint.gate_statistics().other_session == 20 &&
               machine.endpoint.statistics().refused - before == 60;
    }));
    CHECK(machine.endpoint.gate_statistics().accepted == 0);
}

TEST_CASE("an address that others can reach needs a key") {
    MachineSettings open{.own = {0, 0}};
    CHECK_THROWS_WITH(MachineEndpoint(open),
                      "teleoperation at 0.0.0.0:0 can be reached from outside: expected a key, or an "
                      "address 127.x.x.x");
    open.key = Key("a key that both ends have");
    const MachineEndpoint fine(open);
    CHECK(fine.address().port != 0);
}

TEST_CASE("a port in use is refused by its name") {
    const udp::Socket taken({udp::loopback, 0});
    CHECK_THROWS_WITH(MachineEndpoint({.own = taken.address()}),
                      "cannot use UDP address " + udp::to_string(taken.address()) + ": Address already in use");
}

TEST_CASE("operators that went are forgotten, and there are at most four") {
    Machine machine(settings());
    udp::Socket listener({udp::loopback, 0});
    for (std::uint32_t id = 1; id <= 10; ++id)
        (void)listener.send(machine.endpoint.address(), encode({{}, Hello{id}}, nullptr));
    REQUIRE(machine.run_until(5, [&] { return machine.endpoint.statistics().operators == 4; }));
    REQUIRE(machine.run_until(5, [&] { return machine.endpoint.statistics().operators == 0; }));
    CHECK(machine.time >= 2000 * ms);
}
