#include "interfaces/can/byte_link.hpp"
#include "interfaces/can/in_process_bus.hpp"
#include "interfaces/can/slcan_transport.hpp"
#include "interfaces/can/socketcan.hpp"
#include "interfaces/can/transport.hpp"

#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <poll.h>
#include <thread>

using namespace interfaces::can;

namespace {

/// The next frame, where one comes in that time.
std::optional<Received> next(Transport& transport, std::chrono::milliseconds longest = std::chrono::seconds(2)) {
    const auto end = std::chrono::steady_clock::now() + longest;
    while (std::chrono::steady_clock::now() < end) {
        if (auto received = transport.receive()) return received;
        pollfd wait{.fd = transport.descriptor(), .events = POLLIN, .revents = 0};
        ::poll(&wait, 1, 20);
    }
    return std::nullopt;
}

/// Until the other end has said that it is there.
void send(Transport& from, Transport& to, const Frame& frame) {
    for (int i = 0; i < 200 && !from.send(frame); ++i) {
        static_cast<void>(to.receive());
        static_cast<void>(from.receive());
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
}

std::string failure(const std::string& address) {
    try {
        static_cast<void>(open_transport(address));
    } catch (const Error& error) {
        return error.what();
    }
    return "opened";
}

const Frame first{.id = 0x123, .size = 3, .data = {1, 2, 3}}, second{.id = 0x18FEF1FE, .extended = true, .size = 0};

}  // namespace

TEST_CASE("a bus in one process carries frames to all others, in order") {
    InProcessBus bus;
    const auto a = bus.attach("a", {.echo = true}), b = bus.attach("b"),
               c = bus.attach("c", {.filters = {{.id = 0x123, .mask = 0x7FF}}}, 1);
    bus.set_time(5);
    REQUIRE(a->send(first));
    REQUIRE(a->send(second));
    REQUIRE(b->send(first));
    CHECK_FALSE(a->send({.id = 0x800}));
    CHECK(b->receive() == Received{first, 5, false});
    CHECK(b->receive() == Received{second, 5, false});
    CHECK_FALSE(b->receive());
    CHECK(a->receive() == Received{first, 5, true});
    CHECK(a->receive() == Received{second, 5, true});
    CHECK(a->receive() == Received{first, 5, false});
    CHECK(c->receive() == Received{first, 5, false});
    CHECK(c->counters() == Counters{.received = 1, .lost = 1});
    CHECK(a->counters() == Counters{.sent = 2, .received = 3, .refused = 1});
}

TEST_CASE("host and adapter exchange frames over a pseudo terminal") {
    const std::string link = std::string(TANDEM_BUILD_DIR) + "/slcan_test_link";
    {
        const auto adapter = open_transport("slcan-pty:" + link);
        CHECK(std::filesystem::read_symlink(link) == adapter->name());
        CHECK_FALSE(adapter->send(first));  // nobody has opened the channel
        const auto host = open_transport("slcan:" + link, {.echo = true});
        send(*adapter, *host, first);
        const auto received = next(*host);
        REQUIRE(received);
        CHECK(received->frame == first);
        REQUIRE(host->send(second));
        CHECK(next(*host)->own);
        const auto back = next(*adapter);
        REQUIRE(back);
        CHECK(back->frame == second);
        CHECK(back->nanoseconds > 1'600'000'000'000'000'000);
    }
    CHECK_FALSE(std::filesystem::exists(std::filesystem::symlink_status(link)));
}

TEST_CASE("an adapter on a TCP port serves one host after the other") {
    const auto adapter = open_transport("slcan-server:0");
    for (int round = 0; round < 2; ++round) {
        const auto host = open_transport("slcan-tcp:" + adapter->name());
        send(*adapter, *host, first);
        CHECK(next(*host)->frame == first);
        REQUIRE(host->send(second));
        CHECK(next(*adapter)->frame == second);
    }
    for (int i = 0; i < 100 && adapter->send(first); ++i) static_cast<void>(adapter->receive());
    CHECK_FALSE(adapter->send(first));
    CHECK(adapter->state() == BusState::down);  // nobody is there; it waits for the next one
    CHECK(adapter->problem().empty());
}

TEST_CASE("an adapter on a pseudo terminal knows when its host has gone, and keeps nothing for the next one") {
    const auto adapter = open_transport("slcan-pty:");
    CHECK_FALSE(next(*adapter, std::chrono::milliseconds(1)));
    CHECK(adapter->state() == BusState::down);
    for (int round = 0; round < 2; ++round) {
        auto host = open_transport("slcan:" + adapter->name());
        send(*adapter, *host, first);
        CHECK(adapter->state() == BusState::error_active);
        CHECK(next(*host)->frame == first);
        CHECK_FALSE(next(*host, std::chrono::milliseconds(1)));
        CHECK(adapter->send(second));  // which it does not read any more
        host.reset();
        for (int i = 0; i < 100 && adapter->state() != BusState::down; ++i) static_cast<void>(adapter->receive());
        CHECK(adapter->state() == BusState::down);
        CHECK(adapter->problem().empty());
        CHECK_FALSE(adapter->send(first));
    }
}

TEST_CASE("a host whose adapter has gone says so") {
    auto adapter = open_transport("slcan-server:0");
    const auto host = open_transport("slcan-tcp:" + adapter->name());
    send(*adapter, *host, first);
    CHECK(next(*host));
    adapter.reset();
    CHECK_FALSE(next(*host, std::chrono::milliseconds(100)));
    CHECK(host->state() == BusState::down);
    CHECK(host->problem().find("the other side has closed the line") != std::string::npos);
    CHECK_FALSE(host->send(first));
}

TEST_CASE("a peer that does not read fills the line, and the sender goes on") {
    const auto adapter = open_transport("slcan-pty:");
    const auto host = open_transport("slcan:" + adapter->name());
    send(*adapter, *host, first);
    int taken = 0;
    while (taken < 100000 && adapter->send(first)) ++taken;
    CHECK(taken < 100000);
    CHECK(adapter->counters().refused >= 1);
    int received = 0;
    while (next(*host, std::chrono::milliseconds(100)) && received <= taken) {
        static_cast<void>(adapter->receive());  // writes what waits
        ++received;
    }
    CHECK(received == taken + 1);
}

TEST_CASE("what cannot be opened is told with what was expected") {
    CHECK(failure("can0") ==
          "'can0' names no kind of bus, expected KIND:PLACE such as socketcan:can0 or udp:; known: socketcan udp slcan "
          "slcan-tcp slcan-pty slcan-server");
    CHECK(failure("socketcn:can0") == "socketcn:can0: unknown kind of bus 'socketcn'; did you mean 'socketcan'?");
    CHECK(failure("udp:10.0.0.1").find("'10.0.0.1' is no IPv4 multicast group") != std::string::npos);
    CHECK(failure("udp:239.0.0.1:99999") == "udp:239.0.0.1:99999: '99999' is no port, expected 0 to 65535");
    CHECK(failure("udp:@nowhere0").find("there is no network interface 'nowhere0'") != std::string::npos);
    CHECK(failure("slcan:/nonexistent") == "/nonexistent: cannot open the serial line: No such file or directory");
    CHECK(failure("slcan-tcp:127.0.0.1:1") == "127.0.0.1:1: cannot connect: Connection refused");
    const std::string socketcan = failure("socketcan:nosuchcan");
    const bool clear = socketcan.find("this kernel has no CAN") != std::string::npos ||
                       socketcan.find("there is no such interface") != std::string::npos;
    CHECK(clear);
    CHECK(is_transport_address("udp:"));
    CHECK_FALSE(is_transport_address("log.asc"));
}
