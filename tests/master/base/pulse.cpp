#include "master/base/pulse.hpp"

#include <catch2/catch.hpp>
#include <chrono>

using namespace master;

TEST_CASE("a pulse comes, but never more than once per period, however fast it is asked") {
    using namespace std::chrono;
    constexpr milliseconds period(20);
    const auto begin = steady_clock::now();
    base::Pulse pulse(period);
    int count = 0;
    while (count < 5 && steady_clock::now() - begin < 1500 * period) count += pulse.due() ? 1 : 0;
    // No upper limit on the time: a busy machine may stop this thread for long.
    CHECK(count == 5);
    CHECK(steady_clock::now() - begin >= 5 * period);
}
