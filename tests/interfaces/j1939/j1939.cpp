#include "interfaces/j1939/address_claim.hpp"
#include "interfaces/j1939/identifier.hpp"
#include "interfaces/j1939/transport_protocol.hpp"
#include "interfaces/j1939/trouble_codes.hpp"
#include "tests/interfaces/j1939/fuzz_j1939.hpp"
#include "tests/support/mutations.hpp"

#include <catch2/catch.hpp>
#include <numeric>

using namespace interfaces::j1939;
using interfaces::can::Frame;

namespace {

std::vector<std::uint8_t> numbers(std::size_t count) {
    std::vector<std::uint8_t> bytes(count);
    std::iota(bytes.begin(), bytes.end(), std::uint8_t{1});
    return bytes;
}

/// Two devices on a wire, in steps of 10 ms. Returns the frames that were on it.
struct Wire {
    TransportProtocol a{1}, b{2};
    double t = 0;
    std::vector<Frame> frames;
    int lose = -1;  // the frame that does not arrive

    void run(double until) {
        for (; t < until; t += 0.01) {
            a.advance(t);
            b.advance(t);
            bool moved = true;
            while (moved) moved = carry(a, b) || carry(b, a);
        }
    }
    bool carry(TransportProtocol& from, TransportProtocol& to) {
        const auto frame = from.next_frame();
        if (!frame) return false;
        if (static_cast<int>(frames.size()) != lose) to.take(t, *frame);
        frames.push_back(*frame);
        return true;
    }
};

}  // namespace

TEST_CASE("identifiers with and without a destination") {
    CHECK(identifier_of(0x18FEF1FE) == Identifier{.priority = 6, .group = 0xFEF1, .source = 0xFE});
    CHECK(identifier_of(0x1CEC0201) == Identifier{.priority = 7, .group = 0xEC00, .source = 1, .destination = 2});
    for (const std::uint32_t id : {0x18FEF1FEu, 0x1CEC0201u, 0x0CF00400u, 0x19EF2110u})
        CHECK(id_of(identifier_of(id)) == id);
    CHECK(is_addressed(0xEF00));
    CHECK_FALSE(is_addressed(0xF004));
}

TEST_CASE("twenty bytes to everyone are announced and sent 50 ms apart") {
    Wire wire;
    const Message message{{.priority = 6, .group = 0xFEF6}, numbers(20)};
    REQUIRE(wire.a.send(0, message));
    CHECK_FALSE(wire.a.send(0, message));  // one at a time
    wire.run(0.1);
    CHECK_FALSE(wire.b.next_message());
    wire.run(0.2);
    REQUIRE(wire.frames.size() == 4);
    CHECK(wire.frames[0].id == 0x1CECFF01);
    CHECK(wire.frames[0].data[0] == 32);
    CHECK(wire.frames[0].data[3] == 3);
    CHECK(wire.frames[3].id == 0x1CEBFF01);
    CHECK(wire.frames[3].data[7] == 0xFF);
    const auto received = wire.b.next_message();
    REQUIRE(received);
    CHECK(received->data == message.data);
    CHECK(received->identifier.group == 0xFEF6);
    CHECK(received->identifier.source == 1);
    CHECK_FALSE(wire.a.next_time());
}

TEST_CASE("the largest message to one address goes by request and clear to send") {
    Wire wire;
    REQUIRE(wire.a.send(0, {{.group = 0xEF00, .destination = 2}, numbers(most_bytes)}));
    CHECK_FALSE(wire.a.send(0, {{.group = 0xEF00, .destination = 2}, numbers(most_bytes + 1)}));
    wire.run(0.02);
    const auto received = wire.b.next_message();
    REQUIRE(received);
    CHECK(received->data == numbers(most_bytes));
    CHECK(received->identifier.destination == 2);
    CHECK(wire.frames.size() == 1 + 255 + 16 + 1);  // request, packets, one clear to send for 16 each, end
    CHECK_FALSE(wire.a.next_time());
    CHECK(wire.a.aborted() + wire.b.aborted() == 0);
}

TEST_CASE("a lost frame ends the connection on both sides in time") {
    for (const int lost : {0, 1, 2, 5, 8}) {
        Wire wire{.lose = lost};
        REQUIRE(wire.a.send(0, {{.group = 0xEF00, .destination = 2}, numbers(50)}));
        wire.run(3);
        CHECK_FALSE(wire.a.next_time());
        CHECK_FALSE(wire.b.next_time());
        CHECK(wire.a.aborted() == 1);
        CHECK_FALSE(wire.b.next_message());
    }
    Wire wire{.lose = 2};
    REQUIRE(wire.a.send(0, {{.group = 0xFEF6}, numbers(20)}));
    wire.run(3);
    CHECK_FALSE(wire.b.next_message());
    CHECK(wire.b.aborted() == 1);
}

TEST_CASE("short messages pass through, those to others do not") {
    Wire wire;
    REQUIRE(wire.a.send(0, {{.group = 0xF004}, numbers(8)}));
    REQUIRE(wire.a.send(0, {{.group = 0xEF00, .destination = 3}, numbers(8)}));
    wire.run(0.02);
    CHECK(wire.b.next_message()->data == numbers(8));
    CHECK_FALSE(wire.b.next_message());
}

TEST_CASE("the smaller name has the address") {
    const Name small{.identity = 1}, large{.identity = 2, .arbitrary_address = true}, fixed{.identity = 3};
    CHECK(name_of(large.number()) == large);
    CHECK((large.number() >> 63) == 1);
    AddressClaim a(small, 0x80), b(large, 0x80), c(fixed, 0x80);
    const auto carry = [](AddressClaim& from, AddressClaim& to, double t) {
        while (const auto frame = from.next_frame()) to.take(t, *frame);
    };
    a.start(0);
    b.start(0);
    c.start(0);
    while (const auto frame = a.next_frame()) {
        b.take(0, *frame);
        c.take(0, *frame);
    }
    carry(b, a, 0);
    CHECK(c.state() == AddressClaim::State::cannot_claim);
    CHECK(c.address() == nobody);
    CHECK(b.address() == 0x81);
    for (AddressClaim* claim : {&a, &b, &c}) claim->advance(0.2);
    CHECK(a.state() == AddressClaim::State::claiming);
    for (AddressClaim* claim : {&a, &b, &c}) claim->advance(0.26);
    CHECK(a.state() == AddressClaim::State::claimed);
    CHECK(a.address() == 0x80);
    CHECK(b.state() == AddressClaim::State::claimed);
    // A late claim of ours is answered by the owner, and a request for the claim as well.
    while (a.next_frame()) {
    }
    a.take(1, frame_of({.group = claim_group, .source = 0x80}, std::vector<std::uint8_t>(8, 0xFF)));
    CHECK(a.next_frame()->id == 0x18EEFF80);
    a.take(1, frame_of({.group = request_group, .source = 9}, std::vector<std::uint8_t>{0x00, 0xEE, 0x00}));
    CHECK(a.next_frame()->id == 0x18EEFF80);
    CHECK(a.state() == AddressClaim::State::claimed);
}

TEST_CASE("active trouble codes, none, one and many") {
    const ActiveTroubleCodes none{.amber = Lamp::on};
    CHECK(bytes_of(none) == std::vector<std::uint8_t>{0x04, 0xFF, 0, 0, 0, 0, 0xFF, 0xFF});
    ActiveTroubleCodes many{.red = Lamp::on};
    for (std::uint32_t i = 0; i < 5; ++i) many.codes.push_back({0x7FFF0u + i, static_cast<std::uint8_t>(i), 3});
    CHECK(bytes_of(many).size() == 22);
    CHECK(active_trouble_codes(bytes_of(none)) == none);
    CHECK(active_trouble_codes(bytes_of(many)) == many);
    CHECK_FALSE(active_trouble_codes(std::vector<std::uint8_t>(5)));
}

TEST_CASE("no frames make the transport or the claim crash") {
    tests::Bytes sample;
    const auto add = [&](std::uint32_t id, std::vector<std::uint8_t> data) {
        for (int i = 0; i < 4; ++i) sample.push_back(static_cast<std::uint8_t>(id >> 8 * i));
        sample.push_back(static_cast<std::uint8_t>(data.size()));
        data.resize(8);
        sample.insert(sample.end(), data.begin(), data.end());
    };
    add(0x1CECFF05, {32, 20, 0, 3, 0xFF, 0xF6, 0xFE, 0});
    add(0x1CEBFF05, {1, 1, 2, 3, 4, 5, 6, 7});
    add(0x1CEC0102, {17, 15, 1, 0xFF, 0xFF, 0, 0xEF, 0});
    add(0x1CEC0103, {16, 20, 0, 3, 2, 0, 0xEF, 0});
    add(0x1CEB0103, {1, 1, 2, 3, 4, 5, 6, 7});
    add(0x1CEC0102, {19, 100, 0, 15, 0xFF, 0, 0xEF, 0});
    add(0x18EEFF01, {0, 0, 0, 0, 0, 0, 0, 0});
    const std::vector<tests::Bytes> samples{sample};
    tests::fuzz(samples, 20000, tests::fuzz_j1939);
}
