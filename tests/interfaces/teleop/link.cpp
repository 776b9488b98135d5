#include "interfaces/teleop/link.hpp"

#include "tests/support/milliseconds.hpp"

#include <catch2/catch.hpp>
#include <cmath>

using namespace interfaces::teleop;

namespace {

using tests::ms;
using Bytes = std::vector<std::uint8_t>;

struct Delivery {
    std::uint64_t number;
    std::int64_t sent, received;
    friend bool operator==(const Delivery&, const Delivery&) = default;
};

/// Datagrams of so many bytes, one per period; the mark is their number.
std::vector<Delivery> deliveries(const LinkSettings& settings, std::uint64_t count, std::int64_t period,
                                 std::size_t size) {
    Link link(settings);
    std::vector<Delivery> result;
    const Bytes datagram(size);
    const auto collect = [&](std::int64_t until) {
        while (link.next() && *link.next() <= until) {
            const std::int64_t due = *link.next();
            const auto arrival = link.take(due);
            result.push_back({arrival->mark, static_cast<std::int64_t>(arrival->mark) * period, due});
        }
    };
    for (std::uint64_t i = 0; i < count; ++i) {
        const auto now = static_cast<std::int64_t>(i) * period;
        collect(now);
        link.put(datagram, now, i);
    }
    collect(INT64_MAX);
    CHECK(result.size() + link.lost() == count);
    return result;
}

}  // namespace

TEST_CASE("a good link delivers at once and in order") {
    Link link({});
    link.put(Bytes{1}, 5);
    link.put(Bytes{2}, 5);
    CHECK(link.take(5)->datagram == Bytes{1});
    CHECK(link.take(5)->datagram == Bytes{2});
    CHECK_FALSE(link.take(100).has_value());
    CHECK_FALSE(link.next().has_value());
}

TEST_CASE("nothing comes before its time") {
    Link link({.delay = 80 * ms});
    link.put(Bytes{1}, 10 * ms);
    CHECK(link.next() == 90 * ms);
    CHECK_FALSE(link.take(90 * ms - 1).has_value());
    CHECK(link.take(90 * ms).has_value());
}

TEST_CASE("delays are spread evenly over delay and jitter, losses are as many as asked") {
    const std::uint64_t count = 100'000;
    const LinkSettings settings{.delay = 80 * ms, .jitter = 20 * ms, .loss = 0.02, .seed = 42};
    const auto got = deliveries(settings, count, 20 * ms, 100);
    // Four standard deviations of a binomial distribution.
    CHECK(std::abs(static_cast<double>(count - got.size()) - 2000) < 4 * std::sqrt(100'000 * 0.02 * 0.98));
    std::array<int, 20> histogram{};
    std::uint64_t overtaken = 0, last = 0;
    for (const Delivery& d : got) {
        const std::int64_t delay = d.received - d.sent;
        REQUIRE(delay >= 60 * ms);
        REQUIRE(delay <= 100 * ms);
        ++histogram[std::min<std::size_t>(static_cast<std::size_t>((delay - 60 * ms) / (2 * ms)), 19)];
        if (d.number < last) ++overtaken;
        last = d.number;
    }
    const double expected = static_cast<double>(got.size()) / 20;
    double chi_squared = 0;
    for (const int n : histogram) chi_squared += (n - expected) * (n - expected) / expected;
    CHECK(chi_squared < 43.8);  // 19 degrees of freedom, probability 0.001
    CHECK(overtaken > 1000);
}

TEST_CASE("the same seed gives the same bits, another one others") {
    const LinkSettings settings{.delay = 80 * ms, .jitter = 20 * ms, .loss = 0.1, .rate = 1e5, .seed = 7};
    LinkSettings other = settings;
    other.seed = 8;
    const auto first = deliveries(settings, 2000, 10 * ms, 60);
    CHECK(first == deliveries(settings, 2000, 10 * ms, 60));
    CHECK(first != deliveries(other, 2000, 10 * ms, 60));
    // On every machine and with every compiler: which of the first forty are lost.
    std::vector<std::uint64_t> lost;
    std::vector<bool> came(2000);
    for (const Delivery& d : first) came[d.number] = true;
    for (std::uint64_t i = 0; i < 40; ++i) {
        if (!came[i]) lost.push_back(i);
    }
    INFO("lost: " << Catch::StringMaker<std::vector<std::uint64_t>>::convert(lost));
    CHECK(lost == std::vector<std::uint64_t>{3, 4, 6, 11, 21, 33, 38});
}

TEST_CASE("a limited rate carries no more, delays what waits and drops what waits too long") {
    // 222 + 28 bytes are 2000 bit, 20 ms at 100 kbit/s.
    const LinkSettings settings{.rate = 100e3};
    const auto fitting = deliveries(settings, 100, 20 * ms, 222);
    CHECK(fitting.size() == 100);
    for (const Delivery& d : fitting) CHECK(d.received - d.sent == 20 * ms);
    const auto twice = deliveries(settings, 1000, 10 * ms, 222);
    CHECK(twice.size() < 540);
    for (std::size_t i = 1; i < twice.size(); ++i) CHECK(twice[i].received - twice[i - 1].received >= 20 * ms);
    for (const Delivery& d : twice) CHECK(d.received - d.sent <= Link::longest_queue + 20 * ms);
}

TEST_CASE("a link never holds more than its bound") {
    Link link({.delay = 60'000 * ms});
    for (int i = 0; i < 10'000; ++i) link.put(Bytes{1}, i);
    CHECK(link.lost() == 10'000 - Link::most_in_flight);
}

TEST_CASE("a link is described in words") {
    const LinkSettings settings = parse_link("delay=80ms,jitter=20ms,loss=2%,rate=100kbit/s,seed=9");
    CHECK(settings.delay == 80 * ms);
    CHECK(settings.jitter == 20 * ms);
    CHECK(settings.loss == Approx(0.02));
    CHECK(settings.rate == 100e3);
    CHECK(settings.seed == 9);
    CHECK(parse_link("").delay == 0);
    CHECK(parse_link("delay=0.5s").delay == 500 * ms);
    CHECK(parse_link("loss=0.5,rate=1.5Mbit/s").rate == 1.5e6);
    CHECK_THROWS_WITH(parse_link("delay=80"),
                      "link: 'delay=80', expected a number that is not negative with ms, us, ns, s");
    CHECK_THROWS_WITH(parse_link("delay=-1ms"), Catch::Contains("'delay=-1ms'"));
    CHECK_THROWS_WITH(parse_link("delay=nanms"), Catch::Contains("'delay=nanms'"));
    CHECK_THROWS_WITH(parse_link("loss=200%"), "link: 'loss=200%', expected at most 100%");
    CHECK_THROWS_WITH(parse_link("latency=1ms"), "link: 'latency=1ms', expected delay, jitter, loss, rate or seed");
    CHECK_THROWS_WITH(parse_link("delay=1ms,,"), "link: '', expected name=value");
    CHECK_THROWS_WITH(parse_link("delay=1ms,loss=1%,delay=2ms"), "link: 'delay=2ms', expected 'delay' once");
    CHECK_THROWS_WITH(parse_link("seed=x"), "link: 'seed=x', expected a whole number");
    CHECK_THROWS_WITH(parse_link("rate=1bit/s"), Catch::Contains("at least"));
    CHECK_THROWS_WITH(parse_link("delay=100s"), Catch::Contains("at most 60s"));
}
