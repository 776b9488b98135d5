#include "models/reference/stair/stair.hpp"

#include <catch2/catch.hpp>

TEST_CASE("the stair counts seconds and ends at ten") {
    models::Stair stair;
    stair.initialize(2);
    CHECK(stair.next_event() == 3);
    stair.update(2.5);
    CHECK(stair.state.counter == 1);
    for (int t = 3; t < 12; ++t) {
        CHECK_FALSE(stair.finished());
        stair.update(t);
    }
    CHECK(stair.state.counter == 10);
    CHECK(stair.finished());
}
