#include "interfaces/canopen/slave/lss_slave.hpp"

#include "tests/interfaces/canopen/bench.hpp"

#include <catch2/catch.hpp>

using namespace interfaces::canopen;

namespace {

Bytes request(std::uint8_t command, std::uint32_t number, std::uint8_t a = 0, std::uint8_t b = 0, std::uint8_t c = 0) {
    Bytes bytes{command, 0, 0, 0, 0, a, b, c};
    store(std::span(bytes).subspan(1, 4), number);
    return bytes;
}

/// Slaves on one bus, and a master that asks them.
struct LssNetwork {
    explicit LssNetwork(const std::vector<Commissioning>& all) {
        for (const Commissioning& one : all) slaves.emplace_back(device, one);
        advance(60ms);
    }
    void advance(Time span) {
        sent.clear();
        now += span;
        for (Slave& slave : slaves) slave.advance(now, sent);
    }
    Frames& ask(const Bytes& bytes) {
        sent.clear();
        for (Slave& slave : slaves) slave.receive(frame(lss_request_id, bytes), now, sent);
        return sent;
    }
    bool is_answered(const Bytes& bytes, std::uint8_t command) {
        ask(bytes);
        for (const auto& one : sent) CHECK((one.id == lss_answer_id && one.size == 8 && one.data[0] == command));
        return !sent.empty();
    }
    /// The bit-wise search of CiA 305; leaves the device that was found in the configuration state.
    std::optional<Identity> scan() {
        if (!is_answered(request(0x51, 0, 0x80), 0x4F)) return std::nullopt;
        Identity found{};
        for (std::uint8_t number = 0; number < 4; ++number) {
            for (int bit = 31; bit >= 0; --bit)
                if (!is_answered(request(0x51, found[number], static_cast<std::uint8_t>(bit), number, number), 0x4F))
                    found[number] |= 1u << bit;
            const auto next = static_cast<std::uint8_t>((number + 1) % 4);
            if (!is_answered(request(0x51, found[number], 0, number, next), 0x4F)) return std::nullopt;
        }
        return found;
    }

    Device device = sample_device();
    std::vector<Slave> slaves;
    Frames sent;
    Time now{};
};

}  // namespace

TEST_CASE("two devices of one kind without a node-id are found and get one each") {
    LssNetwork network({{.serial = 1001}, {.serial = 1000}});
    CHECK(network.sent.empty());  // no boot-up message
    std::vector<std::uint32_t> serials;
    for (std::uint8_t id : {11, 12}) {
        const auto found = network.scan();
        REQUIRE(found);
        CHECK((*found)[0] == 0x11);
        CHECK((*found)[1] == 0x22);
        CHECK((*found)[2] == 0x33);
        serials.push_back((*found)[3]);
        CHECK(network.is_answered(request(0x11, id), 0x11));
        CHECK(network.sent.size() == 1);
        CHECK(network.is_answered(request(0x17, 0), 0x17));
        CHECK(network.ask(request(0x04, 0)).empty());
        network.advance(60ms);
        REQUIRE(network.sent.size() == 1);
        CHECK(network.sent[0].id == 0x700u + id);
    }
    CHECK(serials == std::vector<std::uint32_t>{1000, 1001});
    CHECK(!network.scan());
    for (Slave& slave : network.slaves) slave.switch_on(network.now);
    CHECK(network.slaves[0].node_id() == 12);  // it was stored
    CHECK(network.slaves[1].node_id() == 11);
    network.advance(60ms);
    CHECK(network.slaves[0].state.tpdos[0].settings.cob_id == 0x18C);  // identifiers follow the new id
}

TEST_CASE("a device is selected by its whole identity, and only it is configured") {
    LssNetwork network({{.node_id = 5}, {.node_id = 6, .serial = 7}});
    CHECK(network.ask(request(0x5E, 0)).empty());  // nobody is in configuration
    for (const auto& [command, number] :
         std::vector<std::pair<std::uint8_t, std::uint32_t>>{{0x40, 0x11}, {0x41, 0x22}, {0x42, 0x33}})
        CHECK(network.ask(request(command, number)).empty());
    CHECK(network.is_answered(request(0x43, 7), 0x44));
    REQUIRE(network.ask(request(0x5E, 0)).size() == 1);
    CHECK(bytes_of(network.sent[0]) == Bytes{0x5E, 6, 0, 0, 0, 0, 0, 0});
    const std::vector<std::uint32_t> identity{0x11, 0x22, 0x33, 7};
    for (std::uint8_t i = 0; i < 4; ++i) {
        REQUIRE(network.ask(request(0x5A + i, 0)).size() == 1);
        CHECK(bytes_of(network.sent[0]) == request(0x5A + i, identity[i]));
    }
    REQUIRE(network.ask({0x11, 128, 0, 0, 0, 0, 0, 0}).size() == 1);
    CHECK(network.sent[0].data[1] == 1);  // out of range
    REQUIRE(network.ask({0x11, 9, 0, 0, 0, 0, 0, 0}).size() == 1);
    CHECK(network.sent[0].data[1] == 0);
    network.ask(request(0x04, 0));
    CHECK(network.slaves[1].node_id() == 6);  // until a reset
    network.sent.clear();
    network.slaves[1].receive(frame(0, {0x82, 6}), network.now, network.sent);
    CHECK(network.slaves[1].node_id() == 9);
    network.slaves[1].switch_on(network.now);
    CHECK(network.slaves[1].node_id() == 6);  // it was not stored
}

TEST_CASE("a selection with a wrong or missing number selects nobody") {
    LssNetwork network({Commissioning{.node_id = 5}});
    for (const std::uint32_t product : {0x23u, 0x22u}) {
        network.ask(request(0x40, 0x11));
        network.ask(request(0x41, product));
        if (product == 0x23) network.ask(request(0x42, 0x33));
        CHECK(network.ask(request(0x43, 0x44)).empty());
    }
}

TEST_CASE("devices within ranges identify themselves, those without a node-id on request") {
    LssNetwork network({{.node_id = 5, .serial = 50}, {.serial = 60}});
    const auto identify = [&](std::uint32_t low, std::uint32_t high) {
        network.ask(request(0x46, 0x11));
        network.ask(request(0x47, 0x22));
        network.ask(request(0x48, 0x30));
        network.ask(request(0x49, 0x40));
        network.ask(request(0x4A, low));
        return network.ask(request(0x4B, high)).size();
    };
    CHECK(identify(0, 100) == 2);
    CHECK(identify(55, 100) == 1);
    CHECK(identify(61, 100) == 0);
    CHECK(network.is_answered(request(0x4C, 0), 0x50));
    CHECK(network.sent.size() == 1);
}

TEST_CASE("the bit rate changes after a delay in which the device is silent") {
    LssNetwork network({Commissioning{.node_id = 5}});
    CHECK(network.ask({0x04, 1, 0, 0, 0, 0, 0, 0}).empty());
    for (const std::uint8_t entry : {5, 9, 200}) {
        network.ask({0x13, 0, entry, 0, 0, 0, 0, 0});
        CHECK(network.sent.at(0).data[1] == 1);
    }
    network.ask({0x13, 0, 2, 0, 0, 0, 0, 0});
    CHECK(network.sent.at(0).data[1] == 0);
    network.slaves[0].receive(frame(0, {0x82, 0}), network.now, network.sent);
    CHECK(network.slaves[0].state.running.lss.active.bit_rate == 250000);  // a reset does not activate it
    network.advance(60ms);
    CHECK(network.ask({0x04, 1, 0, 0, 0, 0, 0, 0}).empty());
    CHECK(network.ask({0x15, 100, 0, 0, 0, 0, 0, 0}).empty());
    CHECK(network.slaves[0].state.running.lss.active.bit_rate == 250000);
    CHECK(network.slaves[0].due() == network.now + 100ms);
    network.advance(100ms);
    CHECK(network.slaves[0].state.running.lss.active.bit_rate == 500000);
    CHECK(network.ask(request(0x5E, 0)).empty());
    network.advance(100ms);
    CHECK(network.ask(request(0x5E, 0)).size() == 1);
}
