#include "interfaces/livox/host.hpp"

#include "interfaces/livox/host_endpoint.hpp"
#include "tests/interfaces/livox/client.hpp"
#include "tests/interfaces/livox/sensor.hpp"
#include "tests/support/milliseconds.hpp"

#include <catch2/catch.hpp>
#include <random>

using namespace interfaces::livox;
using tests::own_loopback;

namespace {

using tests::ms;
constexpr Address host_commands{interfaces::udp::loopback, 55501}, host_data{interfaces::udp::loopback, 56001};

/// A device and a host that hear each other, in a time that the test makes.
struct Pair {
    Device device{{.code = "3GGDJ6K00200101"}};
    Host host;
    std::int64_t now = 0;
    bool mute = false;  // the device says nothing any more
    std::vector<Command> asked;

    explicit Pair(const HostSettings& settings = {.commands = host_commands, .data = host_data}) : host(settings) {}

    void run(std::int64_t until) {
        for (; now < until; now += 10 * ms) {
            Device::Outbox said;
            device.tick(now, said);
            deliver(said);
            Host::Outbox out;
            host.tick(now, out);
            ask(out);
        }
    }

private:
    void deliver(const Device::Outbox& said) {
        if (mute) return;
        for (const Datagram& datagram : said) {
            Host::Outbox out;
            if (datagram.to.port == discovery_port)
                host.discover(datagram.bytes, device.settings().own, now, out);
            else
                host.receive(datagram.bytes, device.settings().own, now, out);
            ask(out);
        }
    }
    void ask(const Host::Outbox& out) {
        for (const Datagram& datagram : out) {
            CHECK(datagram.to == device.settings().own);
            std::span<const std::uint8_t> bytes = datagram.bytes;
            asked.push_back(command_of(*next_frame(bytes)));
            Device::Outbox answers;
            if (!mute) device.receive(datagram.bytes, host_commands, now, answers);
            deliver(answers);
        }
    }
};

}  // namespace

TEST_CASE("a host finds a device, configures it and keeps it") {
    Pair pair({.commands = host_commands, .data = host_data, .mode = ReturnMode::dual});
    CHECK_FALSE(pair.host.connected());
    pair.run(100 * ms);
    CHECK(pair.host.sampling());
    CHECK(pair.host.code() == "3GGDJ6K00200101");
    CHECK(pair.host.device() == pair.device.settings().own.ip);
    const std::vector<Command> order{Command::handshake,   Command::device_info,     Command::heartbeat,
                                     Command::coordinates, Command::set_return_mode, Command::sampling};
    CHECK(pair.asked == order);
    REQUIRE(pair.device.stream().has_value());
    CHECK(pair.device.stream()->to == host_data);
    CHECK(pair.device.stream()->type == DataType::dual_cartesian);
    pair.run(20'000 * ms);
    CHECK(pair.device.stream().has_value());
    CHECK(pair.host.sampling());
}

TEST_CASE("a device that falls silent is given up after three seconds and found again") {
    Pair pair;
    pair.run(1000 * ms);
    REQUIRE(pair.host.sampling());
    pair.mute = true;
    pair.run(3500 * ms);
    CHECK(pair.host.connected());
    pair.run(5000 * ms);
    CHECK_FALSE(pair.host.connected());
    pair.mute = false;
    pair.run(10'000 * ms);
    CHECK(pair.host.sampling());
}

TEST_CASE("only the device that is wanted is asked, and nobody else is believed") {
    Pair other({.code = "3GGDJ6K00299991", .commands = host_commands, .data = host_data});
    other.run(3000 * ms);
    CHECK(other.asked.empty());

    Pair pair;
    pair.run(100 * ms);
    Host::Outbox out;
    const auto advert = encode(Command::advert, FrameType::message, 0, encode(Advert{.code = "3GGDJ6K00200202"}));
    pair.host.discover(advert, {0x7F000009, device_port}, pair.now, out);
    CHECK(out.empty());
    CHECK(pair.host.device() == pair.device.settings().own.ip);
}

TEST_CASE("a host survives whatever is sent to it") {
    std::mt19937 random(1);
    Pair pair;
    for (int i = 0; i < 20'000; ++i) {
        std::vector<std::uint8_t> bytes(random() % 64);
        for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random());
        // Half of them are frames, with any command and any data.
        if (i % 2 == 0)
            bytes = encode(static_cast<Command>(random() % 0x110), static_cast<FrameType>(random() % 3),
                           static_cast<std::uint16_t>(random() % 8), bytes);
        Host::Outbox out;
        pair.host.discover(bytes, pair.device.settings().own, i * ms, out);
        pair.host.receive(bytes, pair.device.settings().own, i * ms, out);
        pair.host.tick(i * ms, out);
        REQUIRE(out.size() < 8);
    }
}

TEST_CASE("the host's end receives all points of an emulated device in their order") {
    Endpoint endpoint(tests::some_devices(1));
    const tests::Sensor sensor(endpoint);
    HostEndpoint host({.code = "", .ip = own_loopback(1)});
    std::int64_t last = -1;
    std::uint64_t packets = 0;
    for (const std::int64_t end = tests::now_ns() + 10'000 * ms; tests::now_ns() < end && packets < 300;) {
        const auto bytes = host.next();
        if (bytes.empty()) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
            continue;
        }
        const auto packet = PacketView::parse(bytes);
        REQUIRE(packet.has_value());
        CHECK(packet->size() == 96);
        CHECK(packet->point(0, 0).time > last);
        last = packet->point(95, 0).time;
        ++packets;
    }
    CHECK(packets == 300);
    const HostReport report = host.report();
    CHECK(report.sampling);
    CHECK(report.packets >= 300);
    CHECK(report.lost + report.malformed + report.failed == 0);
    CHECK_THROWS_WITH(HostEndpoint({.code = "", .ip = own_loopback(1)}),
                      Catch::Matchers::Contains("Address already in use"));
}
