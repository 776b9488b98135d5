#include "interfaces/can/endpoint.hpp"

#include <catch2/catch.hpp>
#include <chrono>
#include <thread>

using namespace interfaces::can;

namespace {

constexpr auto patience = std::chrono::seconds(10);  // far beyond what any of this takes

Frame frame_of(std::uint32_t id) { return {.id = id}; }

/// What `ask` gives as soon as it gives something.
template <class Ask>
auto wait_for(Ask ask) {
    const auto end = std::chrono::steady_clock::now() + patience;
    auto got = ask();
    while (!got && std::chrono::steady_clock::now() < end) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        got = ask();
    }
    return got;
}

/// The next report that has the property.
template <class Property>
std::optional<Endpoint::Report> report_with(Endpoint& endpoint, Property property) {
    return wait_for([&]() -> std::optional<Endpoint::Report> {
        const auto report = endpoint.report();
        return report && property(*report) ? report : std::nullopt;
    });
}

}  // namespace

TEST_CASE("frames go both ways between threads of their own, and own ones come back") {
    Endpoint adapter("slcan-server:0", {.echo = true});
    Endpoint host("slcan-tcp:" + adapter.name(), {});
    host.send(frame_of(0x123));
    const auto first = wait_for([&] { return adapter.receive(); });
    REQUIRE(first);
    CHECK(first->frame.id == 0x123);
    CHECK_FALSE(first->own);
    adapter.send(frame_of(0x456));
    const auto answer = wait_for([&] { return host.receive(); });
    REQUIRE(answer);
    CHECK(answer->frame.id == 0x456);
    const auto echo = wait_for([&] { return adapter.receive(); });
    REQUIRE(echo);
    CHECK(echo->own);
    CHECK(echo->frame.id == 0x456);
}

TEST_CASE("frames that nobody takes are thrown away and counted") {
    Endpoint lonely("slcan-pty:", {});
    constexpr std::uint64_t count = 2 * Endpoint::capacity;  // more than the queue holds
    const auto begin = std::chrono::steady_clock::now();
    for (std::uint64_t i = 0; i < count; ++i) lonely.send(frame_of(1));
    CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(1));  // whoever sends does not wait
    CHECK(report_with(lonely, [](const auto& report) { return report.refused == count; }));
    const auto back = lonely.refused();
    REQUIRE(back);
    CHECK(back->id == 1);
}

TEST_CASE("a peer that goes is told, and a server takes the next one") {
    auto adapter = std::make_unique<Endpoint>("slcan-server:0", TransportOptions{});
    Endpoint host("slcan-tcp:" + adapter->name(), {});
    host.send(frame_of(1));
    REQUIRE(wait_for([&] { return adapter->receive(); }));
    {
        Endpoint second("slcan-tcp:" + adapter->name(), {});  // one at a time
        CHECK(report_with(second, [](const auto& report) { return report.state == BusState::down; }));
    }
    adapter.reset();
    const auto gone = report_with(host, [](const auto& report) { return report.state == BusState::down; });
    REQUIRE(gone);
    CHECK_THAT(gone->problem.data(), Catch::Contains("the other side has closed the line"));
    host.send(frame_of(2));
    CHECK(report_with(host, [](const auto& report) { return report.refused == 1; }));
}

TEST_CASE("more than its user takes is lost and counted") {
    Endpoint adapter("slcan-server:0", {}), host("slcan-tcp:" + adapter.name(), {});
    const auto lost = wait_for([&]() -> std::optional<Endpoint::Report> {
        for (int i = 0; i < 100; ++i) host.send(frame_of(1));
        const auto report = adapter.report();
        return report && report->lost > 0 ? report : std::nullopt;
    });
    REQUIRE(lost);
    std::size_t held = 0;
    while (adapter.receive()) ++held;
    CHECK(held >= Endpoint::capacity);
}

TEST_CASE("what cannot be opened is an error at once") {
    CHECK_THROWS_WITH(Endpoint("upd:", {}), Catch::Contains("unknown kind of bus 'upd'") && Catch::Contains("'udp'"));
}
