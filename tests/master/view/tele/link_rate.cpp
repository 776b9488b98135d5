#include "master/view/tele/link_rate.hpp"

#include <catch2/catch.hpp>

using master::view::LinkRate;

TEST_CASE("the rate of a link is that of its packets, whenever it is asked for") {
    // Poses fifty times a second, edges ten times, as a machine sends them.
    constexpr double true_bits = 8 * (50 * 34 + 10 * 616), true_content = 8 * (50 * 18 + 10 * 600);
    constexpr double share = 0.03;  // of what a reader would take for a change
    LinkRate rate;
    for (int i = 0; i < 500; ++i) {
        const double now = 0.02 * i;
        rate.arrived(now, 0, {.bytes = 34, .content = 18});
        if (i % 5 == 0) rate.arrived(now, 1, {.bytes = 616, .content = 600});
        if (i < 50) continue;
        const LinkRate::Rates found = rate.rates(now + 0.013);
        CHECK(found.bits == Approx(true_bits).epsilon(share));
        CHECK(found.content == Approx(true_content).epsilon(share));
    }
    CHECK(rate.rates(11.5).bits == 0);  // it has ceased
}
