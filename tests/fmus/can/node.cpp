#include "fmus/can/common/node.hpp"

#include <catch2/catch.hpp>

using namespace fmus::can;
namespace ls_bus = interfaces::ls_bus;
using interfaces::can_bus::ErrorState;

namespace {

Frame frame_of(std::uint32_t id) { return {.id = id}; }

std::vector<ls_bus::Operation> said(const Node& node) {
    std::vector<ls_bus::Operation> operations;
    ls_bus::Reader reader(node.port.out.data);
    while (const auto piece = reader.next()) {
        const auto operation = ls_bus::decode(*piece);
        REQUIRE(operation);
        operations.push_back(*operation);
    }
    return operations;
}

/// Identifiers of the frames that the node hands to the bus with the next tick.
std::vector<std::uint32_t> transmitted(const Node& node) {
    std::vector<std::uint32_t> ids;
    for (const ls_bus::Operation& operation : said(node))
        if (const auto* transmit = std::get_if<ls_bus::Transmit>(&operation)) ids.push_back(transmit->frame.id);
    return ids;
}

/// An update in which the clock ticked and these operations came; gives the frames among them.
std::vector<std::uint32_t> update(Node& node, const std::vector<ls_bus::Operation>& came, Nanoseconds now = 0) {
    node.port.tx_clock = true;
    node.port.rx_clock = !came.empty();
    node.port.rx_data.clear();
    for (const ls_bus::Operation& operation : came) append(node.port.rx_data, operation);
    std::vector<std::uint32_t> ids;
    node.update(now, [&](const Frame& frame) { ids.push_back(frame.id); });
    node.port.tx_clock = node.port.rx_clock = false;
    return ids;
}

using Ids = std::vector<std::uint32_t>;

}  // namespace

TEST_CASE("a controller begins with its configuration") {
    Node node;
    node.parameters.bit_rate = 500'000;
    node.parameters.data_bit_rate = 2'000'000;
    node.start();
    const auto operations = said(node);
    REQUIRE(operations.size() == 3);
    CHECK(std::get<ls_bus::Configuration>(operations[0]).value == 500'000);
    CHECK(std::get<ls_bus::Configuration>(operations[1]).kind == ls_bus::ConfigurationKind::fd_bit_rate);
    CHECK(std::get<ls_bus::Configuration>(operations[2]).kind == ls_bus::ConfigurationKind::arbitration_lost);
    node.announce(0, std::nullopt);
    CHECK(node.port.countdown == 0.0);
}

TEST_CASE("without notifications all frames go at once, and notifications mean nothing") {
    Node node;
    node.start();
    update(node, {});
    node.send(frame_of(5));
    node.send(frame_of(3));
    CHECK(transmitted(node) == Ids{5, 3});
    CHECK(node.counters.sent == 2);
    update(node, {ls_bus::Confirm{5}, ls_bus::BusError{.id = 5, .is_sender = true}, ls_bus::ArbitrationLost{3}});
    CHECK(said(node).empty());
}

TEST_CASE("with notifications one frame is at the bus at a time") {
    Node node;
    node.parameters.notifications = true;
    node.start();
    update(node, {});
    for (const std::uint32_t id : {5U, 3U}) node.send(frame_of(id));
    CHECK(transmitted(node) == Ids{5});
    update(node, {});
    CHECK(transmitted(node).empty());
    update(node, {ls_bus::Confirm{3}});  // not the one that is there
    CHECK(transmitted(node).empty());
    CHECK(node.counters.sent == 0);
    update(node, {ls_bus::Confirm{5}});
    CHECK(transmitted(node) == Ids{3});
    CHECK(node.counters.sent == 1);
    update(node, {ls_bus::ArbitrationLost{3}});
    CHECK(transmitted(node) == Ids{3});
    for (std::uint32_t i = 0; i < 2 * Node::queue_depth; ++i) node.send(frame_of(1));
    CHECK(node.counters.lost == Node::queue_depth + 1);
}

TEST_CASE("frames are the device's; configuration, status and wake-up of others are nobody's") {
    Node node;
    node.start();
    CHECK(update(node, {ls_bus::Transmit{frame_of(7)}, ls_bus::Configuration{ls_bus::ConfigurationKind::bit_rate, 1},
                        ls_bus::Status{}, ls_bus::Wakeup{}, ls_bus::Transmit{frame_of(8)}}) == Ids{7, 8});
    CHECK(said(node).empty());
    CHECK(node.counters.received == 2);
}

TEST_CASE("nonsense gets a Format Error, a Format Error gets nothing") {
    Node node;
    node.start();
    update(node, {});
    node.port.rx_clock = true;
    node.port.rx_data = {0x10, 0, 0, 0, 20, 0, 0, 0, 1};  // cut off
    node.update(0, [](const Frame&) {});
    const auto operations = said(node);
    REQUIRE(operations.size() == 1);
    const auto& error = std::get<ls_bus::FormatError>(operations[0]);
    CHECK(ls_bus::Bytes(error.operation.begin(), error.operation.end()) == node.port.rx_data);
    CHECK(node.port.format_errors == 1);
    update(node, {ls_bus::FormatError{}});
    CHECK(said(node).empty());
    node.port.rx_clock = true;
    node.port.rx_data.clear();  // no operation
    node.update(0, [](const Frame&) {});
    CHECK(said(node).empty());
    CHECK(node.port.format_errors == 1);
}

TEST_CASE("a controller tells its state, is silent when off and comes back after 128 times 11 bits") {
    Node node;
    node.parameters.notifications = true;
    node.start();
    update(node, {});
    const ls_bus::BusError error{.id = 1, .is_sender = true};
    const auto states = [&] {
        std::vector<ls_bus::NodeState> result;
        for (const ls_bus::Operation& operation : said(node))
            if (const auto* status = std::get_if<ls_bus::Status>(&operation)) result.push_back(status->state);
        return result;
    };
    for (int i = 0; i < 15; ++i) update(node, {error});
    CHECK(states().empty());
    update(node, {error});
    CHECK(states() == std::vector{ls_bus::NodeState::error_passive});
    for (int i = 0; i < 16; ++i) update(node, {error}, 1'000);
    CHECK(states() == std::vector{ls_bus::NodeState::bus_off});
    CHECK(node.state() == ErrorState::off);
    update(node, {});
    node.send(frame_of(1));
    CHECK(transmitted(node).empty());
    constexpr Nanoseconds back = 1'000 + 128 * 11 * 4'000;
    node.announce(2'000, std::nullopt);
    CHECK(node.port.countdown == (back - 2'000) / 1e9);
    update(node, {}, back - 1);
    CHECK(transmitted(node).empty());
    update(node, {}, back);
    CHECK(states() == std::vector{ls_bus::NodeState::error_active});
    CHECK(transmitted(node) == Ids{1});
}

TEST_CASE("a triggered clock ticks in the instant after the update that found something to go out, and once") {
    Node node;
    node.port.triggered = true;
    node.start();
    CHECK(node.port.triggered);
    const auto instant = [&](Nanoseconds now, std::optional<Nanoseconds> next) {
        node.update(now, [](const Frame&) {});
        node.announce(now, next);
        return node.port.tick();
    };
    CHECK(node.port.wants_event(0));
    CHECK_FALSE(node.port.tx_clock);
    CHECK(instant(0, 5'000));
    CHECK(node.port.tx_clock);
    CHECK_FALSE(node.port.out.empty());
    CHECK_FALSE(instant(0, 5'000));  // handed over
    CHECK(node.port.out.empty());
    CHECK_FALSE(node.port.countdown);
    CHECK(node.port.next_event() == 5'000);
    CHECK(node.port.wants_event(1'000));  // an importer may have forgotten the time event
    node.send(frame_of(1));
    CHECK(instant(5'000, std::nullopt));
    node.port.tx_clock = false;  // nobody could see it
    CHECK(instant(5'000, std::nullopt));
    CHECK(transmitted(node) == Ids{1});
    CHECK_FALSE(instant(5'000, std::nullopt));
    CHECK_FALSE(node.port.next_event());
    CHECK_FALSE(node.port.wants_event(6'000));
    CHECK_FALSE(instant(6'000, 6'000));
    CHECK(node.port.next_event() == 6'001);  // later than now
}

TEST_CASE("every update says when the clock is to tick, at once where something is to go out") {
    Node node;
    node.start();
    update(node, {});
    node.announce(0, 5'000);
    CHECK(node.port.countdown == 5e-6);
    node.announce(1'000, 5'000);
    CHECK(node.port.countdown == 4e-6);
    node.send(frame_of(1));
    CHECK(node.port.wants_event(1'000));
    CHECK_FALSE(node.port.wants_event(5'000));  // the clock ticks then
    node.announce(1'000, 5'000);
    CHECK(node.port.countdown == 0.0);
    CHECK_FALSE(node.port.wants_event(1'000));
    update(node, {}, 1'000);
    node.announce(1'000, std::nullopt);
    CHECK_FALSE(node.port.countdown);
}
