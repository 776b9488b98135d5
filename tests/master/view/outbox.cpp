#include "master/view/outbox.hpp"

#include <catch2/catch.hpp>

using namespace master::view;

TEST_CASE("what is told comes in order and first, what is shown only in its newest form, slots in turn") {
    Outbox outbox;
    outbox.show(1, {1});
    outbox.show(2, {2});
    outbox.show(1, {11});
    REQUIRE(outbox.tell({{7}, true}));
    REQUIRE(outbox.tell({{8}, false}));
    Outbox::Message message;
    std::vector<std::uint8_t> order;
    while (outbox.next(message)) {
        order.push_back(message.bytes.front());
        if (order.size() == 3) outbox.show(1, {12});  // does not go before slot 2
    }
    CHECK(order == std::vector<std::uint8_t>{7, 8, 11, 2, 12});
}

TEST_CASE("a client that takes nothing fills no memory") {
    Outbox outbox;
    std::size_t told = 0;
    while (outbox.tell({{1}, false})) ++told;
    CHECK(told == 4096);
}
