#include "interfaces/can_bus/bus.hpp"

#include <catch2/catch.hpp>
#include <type_traits>
#include <vector>

using namespace interfaces::can_bus;
namespace can = interfaces::can;

namespace {

static_assert(std::is_trivially_copyable_v<Bus>, "a saved state is a copy");

constexpr Nanoseconds bit = 4'000;  // at 250 kbit/s

Frame frame_of(std::uint32_t id, std::size_t size = 0) { return {.id = id, .size = static_cast<std::uint8_t>(size)}; }
Frame extended_frame(std::uint32_t id) { return {.id = id, .extended = true}; }
Nanoseconds length(const Frame& frame) { return can::bit_counts(frame).nominal * bit; }

/// Writes down what the bus says, in order.
struct Log final : Observer {
    struct Line {
        char what;
        std::size_t terminal;
        std::uint32_t id;
    };
    std::vector<Line> lines;
    std::vector<Error> errors;

    void received(std::size_t terminal, const Frame& frame) override { lines.push_back({'r', terminal, frame.id}); }
    void confirmed(std::size_t terminal, const Frame& frame) override { lines.push_back({'c', terminal, frame.id}); }
    void arbitration_lost(std::size_t terminal, const Frame& frame) override {
        lines.push_back({'l', terminal, frame.id});
    }
    void disturbed(std::size_t terminal, const Error& error) override {
        lines.push_back({'e', terminal, error.id});
        errors.push_back(error);
    }
    [[nodiscard]] std::vector<std::uint32_t> sent() const {
        std::vector<std::uint32_t> ids;
        for (const Line& line : lines)
            if (line.what == 'c') ids.push_back(line.id);
        return ids;
    }
    [[nodiscard]] std::size_t count(char what) const {
        std::size_t count = 0;
        for (const Line& line : lines) count += line.what == what ? 1 : 0;
        return count;
    }
};

Bus bus_of(std::size_t terminals) {
    Bus bus;
    for (std::size_t i = 0; i < terminals; ++i) bus.join(i, 0);
    return bus;
}

void run(Bus& bus, Log& log) {
    while (bus.next()) bus.advance(*bus.next(), log);
}

using Ids = std::vector<std::uint32_t>;

}  // namespace

TEST_CASE("a frame reaches the others and is confirmed when its last bit is over") {
    Bus bus = bus_of(3);
    Log log;
    const Frame frame = frame_of(0x123, 8);
    REQUIRE(bus.send(1, frame, 1'000));
    REQUIRE(bus.next() == 1'000 + length(frame));
    CHECK(bus.busy(1'000 + bit) == bit);
    bus.advance(*bus.next() - 1, log);
    CHECK(log.lines.empty());
    bus.advance(*bus.next(), log);
    REQUIRE(log.lines.size() == 3);
    CHECK(log.lines[0].what == 'r');
    CHECK(log.lines[0].terminal == 0);
    CHECK(log.lines[1].what == 'r');
    CHECK(log.lines[1].terminal == 2);
    CHECK(log.lines[2].what == 'c');
    CHECK(log.lines[2].terminal == 1);
    CHECK_FALSE(bus.next());
    CHECK(bus.statistics().frames == 1);
    const Nanoseconds end = 1'000 + length(frame);
    CHECK(bus.busy(end) == length(frame));
    CHECK(bus.busy(end + bit) == length(frame) + bit);
    CHECK(bus.busy(end + 100 * bit) == length(frame) + 3 * bit);
    CHECK(bus.worst_latency(1) == length(frame));
}

TEST_CASE("the next frame starts three bits after the end of one") {
    Bus bus = bus_of(2);
    Log log;
    bus.send(0, frame_of(1), 0);
    bus.send(0, frame_of(2), 0);
    const Nanoseconds first = *bus.next();
    bus.advance(first, log);
    CHECK(bus.next() == first + 3 * bit + length(frame_of(2)));
    // Idle in between: at once.
    run(bus, log);
    const Nanoseconds later = 10'000'000;
    bus.send(0, frame_of(3), later);
    CHECK(bus.next() == later + length(frame_of(3)));
}

TEST_CASE("the lowest identifier wins among those that wait") {
    Bus bus = bus_of(4);
    Log log;
    bus.send(0, frame_of(0x300), 0);
    bus.send(1, frame_of(0x200), 0);                      // the same instant: it wins although it came later
    bus.send(2, frame_of(0x100), bit);                    // a bit too late
    bus.send(3, frame_of(0x080), *bus.next() + 3 * bit);  // the last instant before the second starts
    run(bus, log);
    CHECK(log.sent() == Ids{0x200, 0x080, 0x100, 0x300});
}

TEST_CASE("standard frames win over extended ones of the same base, data over remote ones") {
    Bus bus = bus_of(4);
    Log log;
    Frame remote = frame_of(0x123);
    remote.remote = true;
    bus.send(0, extended_frame(0x123U << 18 | 1), 0);
    bus.send(1, remote, 0);
    bus.send(2, frame_of(0x123), 0);
    bus.send(3, extended_frame(0x122U << 18 | 0x3FFFF), 0);
    std::vector<std::size_t> order;
    run(bus, log);
    for (const Log::Line& line : log.lines)
        if (line.what == 'c') order.push_back(line.terminal);
    CHECK(order == std::vector<std::size_t>{3, 2, 1, 0});
}

TEST_CASE("a controller sends its frames in the order they came") {
    Bus bus = bus_of(2);
    Log log;
    for (const std::uint32_t id : {7U, 3U, 5U}) bus.send(0, frame_of(id), 0);
    bus.send(1, frame_of(4), 0);
    run(bus, log);
    CHECK(log.sent() == Ids{4, 7, 3, 5});
}

TEST_CASE("a loser that asked for it is told and forgotten, one that came later is not") {
    Bus bus = bus_of(3);
    bus.discard_losers(1, true);
    bus.discard_losers(2, true);
    Log log;
    bus.send(0, frame_of(1), 0);
    bus.send(1, frame_of(2), 0);
    bus.send(2, frame_of(3), bit);
    run(bus, log);
    CHECK(log.sent() == Ids{1, 3});
    CHECK(log.count('l') == 1);
    CHECK(bus.waiting(1) == 0);
}

TEST_CASE("error-active controllers come before error-passive ones") {
    Bus bus = bus_of(3);
    Log log;
    bus.set_state(0, ErrorState::passive, 0);
    bus.send(0, frame_of(1), 0);
    bus.send(1, frame_of(2), 0);
    run(bus, log);
    CHECK(log.sent() == Ids{2, 1});
}

TEST_CASE("an error-passive controller pauses eight bits after its own frame") {
    Bus bus = bus_of(2);
    Log log;
    bus.set_state(0, ErrorState::passive, 0);
    bus.send(0, frame_of(1), 0);
    bus.send(0, frame_of(2), 0);
    const Nanoseconds first = *bus.next();
    bus.advance(first, log);
    CHECK(bus.next() == first + (3 + 8) * bit + length(frame_of(2)));
    bus.send(1, frame_of(5), first + 7 * bit);  // goes first
    CHECK(bus.next() == first + 7 * bit + length(frame_of(5)));
}

TEST_CASE("only terminals that joined take part; a controller alone is not acknowledged") {
    Bus bus = bus_of(1);
    CHECK_FALSE(bus.send(5, frame_of(1), 0));
    CHECK(bus.statistics().lost == 1);
    Log log;
    const Frame frame = frame_of(1);
    bus.send(0, frame, 0);
    // Up to the acknowledge slot, an error flag, the delimiter.
    CHECK(bus.next() == length(frame) - 8 * bit + (6 + 8) * bit);
    for (int i = 0; i < 100; ++i) bus.advance(*bus.next(), log);
    CHECK(log.count('c') == 0);
    CHECK(log.errors.size() == 100);
    CHECK(log.errors[0].kind == ErrorKind::acknowledge);
    CHECK(log.errors[0].is_sender);
    // It becomes error-passive and stays so.
    CHECK(bus.counters(0).transmit == 128);
    CHECK(bus.state(0) == ErrorState::passive);
    bus.join(1, *bus.next());
    run(bus, log);
    CHECK(log.sent() == Ids{1});
}

TEST_CASE("one that joins in the same instant acknowledges") {
    Bus bus;
    Log log;
    bus.join(0, 0);
    bus.send(0, frame_of(1), 0);
    bus.join(1, 0);
    run(bus, log);
    CHECK(log.sent() == Ids{1});
    CHECK(log.count('e') == 0);
}

TEST_CASE("errors cost time and no frame") {
    Bus bus = bus_of(4);
    bus.parameters.error_share = 0.05;
    Log log;
    std::uint64_t sent = 0;
    Nanoseconds now = 0;
    for (; sent < 10'000; ++sent, now += 200 * bit) {
        bus.advance(now, log);
        REQUIRE(bus.send(sent % 4, frame_of(static_cast<std::uint32_t>(sent % 0x800), 8), now));
    }
    run(bus, log);
    CHECK(bus.statistics().frames == sent);
    CHECK(log.count('r') == 3 * sent);
    // 10,000 frames, one in twenty hit: 526 expected, with a standard deviation of 24.
    CHECK(bus.statistics().errors > 430);
    CHECK(bus.statistics().errors < 620);
    CHECK(log.count('e') == 4 * bus.statistics().errors);
    // Exactly one of the four saw it first, exactly one was the sender.
    for (std::size_t i = 0; i < log.errors.size(); i += 4) {
        int first = 0, senders = 0;
        for (std::size_t k = i; k < i + 4; ++k) {
            first += log.errors[k].first ? 1 : 0;
            senders += log.errors[k].is_sender ? 1 : 0;
            if (log.errors[k].first && log.errors[k].is_sender) CHECK(log.errors[k].kind == ErrorKind::bit);
        }
        REQUIRE(first == 1);
        REQUIRE(senders == 1);
    }
}

TEST_CASE("equal seeds give equal errors, copies go on alike") {
    const auto course = [](std::uint64_t seed) {
        Bus bus = bus_of(2);
        bus.parameters.error_share = 0.3;
        bus.parameters.seed = seed;
        Log log;
        for (std::uint32_t i = 0; i < 60; ++i) bus.send(0, frame_of(i), 0);
        std::vector<Nanoseconds> ends;
        for (int i = 0; i < 30; ++i) ends.push_back(*bus.next()), bus.advance(*bus.next(), log);
        Bus copy = bus;
        std::vector<Nanoseconds> others = ends;
        for (int i = 0; i < 20; ++i) ends.push_back(*bus.next()), bus.advance(*bus.next(), log);
        for (int i = 0; i < 20; ++i) others.push_back(*copy.next()), copy.advance(*copy.next(), log);
        CHECK(ends == others);
        return ends;
    };
    CHECK(course(1) == course(1));
    CHECK(course(1) != course(2));
}

TEST_CASE("a controller that is hit again and again goes off and comes back after 128 times 11 bits") {
    Bus bus = bus_of(2);
    bus.parameters.error_share = 1;
    Log log;
    const Frame frame = frame_of(1);
    bus.send(0, frame, 0);
    Nanoseconds end = 0;
    int attempts = 0;
    for (; bus.state(0) != ErrorState::off; ++attempts) bus.advance(end = *bus.next(), log);
    CHECK(attempts == 32);  // eight each
    CHECK(bus.counters(0).transmit == 256);
    bus.parameters.error_share = 0;
    bus.send(0, frame_of(2), end);  // only to plan anew: the error was drawn with the start
    // The delimiter of the error frame is part of the first group.
    const Nanoseconds back = end + (128 * 11 - 8) * bit;
    CHECK(bus.next() == back + length(frame));
    bus.advance(back - 1, log);
    CHECK(bus.state(0) == ErrorState::off);
    run(bus, log);
    CHECK(bus.state(0) == ErrorState::active);
    CHECK(log.sent() == Ids{1, 2});
}

TEST_CASE("frames of others count for the way back, one group each when they are dense") {
    Bus bus = bus_of(3);
    bus.parameters.error_share = 1;
    Log log;
    bus.send(0, frame_of(0), 0);
    Nanoseconds end = 0;
    while (bus.state(0) != ErrorState::off) bus.advance(end = *bus.next(), log);
    bus.parameters.error_share = 0;
    int frames = 0;
    while (bus.state(0) == ErrorState::off) {
        while (bus.waiting(1) < 2) bus.send(1, frame_of(0x100), end);
        bus.advance(end = *bus.next(), log);
        ++frames;
    }
    CHECK(frames == 128);  // the gap before each
}

TEST_CASE("a controller that reports its own state is believed") {
    Bus bus = bus_of(2);
    Log log;
    bus.set_state(1, ErrorState::off, 0);
    bus.send(0, frame_of(1), 0);
    bus.advance(*bus.next(), log);
    CHECK(log.count('c') == 0);  // all others are off: no confirmation
    CHECK(log.count('e') == 1);
    bus.set_state(1, ErrorState::active, *bus.next() - 40 * bit);
    run(bus, log);
    CHECK(log.count('c') == 1);
}

TEST_CASE("the first bit rate is the bus's, a controller with another one is cut off") {
    Bus bus;
    Log log;
    for (std::size_t i = 0; i < 3; ++i) bus.join(i, 0);
    bus.set_rate(0, 500'000, 0);
    bus.set_rate(1, 500'000, 0);
    bus.set_rate(2, 250'000, 0);
    CHECK(bus.rates().nominal == 500'000);
    const Frame frame = frame_of(1, 8);
    bus.send(0, frame, 0);
    CHECK(bus.next() == length(frame) / 2);
    CHECK_FALSE(bus.send(2, frame, 0));
    run(bus, log);
    CHECK(log.count('r') == 1);
}

TEST_CASE("the data of an FD frame take the second bit rate") {
    Bus bus = bus_of(2);
    bus.set_rate(0, 500'000, 0);
    bus.set_fast_rate(0, 2'000'000, 0);
    Frame frame = frame_of(0x123, 64);
    frame.fd = frame.bit_rate_switch = true;
    bus.send(0, frame, 0);
    const can::BitCount bits = can::bit_counts(frame);
    CHECK(bus.next() == bits.nominal * 2'000 + bits.data * 500);
}

TEST_CASE("a babbling controller fills its queue and no more") {
    Bus bus = bus_of(2);
    for (int i = 0; i < 1000; ++i) bus.send(0, frame_of(0), 0);
    CHECK(bus.waiting(0) == queue_depth);
    CHECK(bus.statistics().lost == 1000 - queue_depth);
}

TEST_CASE("an error frame, which only reports, is not sent") {
    Bus bus = bus_of(2);
    Frame frame = frame_of(1);
    frame.error = true;
    CHECK_FALSE(bus.send(0, frame, 0));
    CHECK_FALSE(bus.next());
}

TEST_CASE("one long step gives what many short ones do") {
    const auto course = [](Nanoseconds step) {
        Bus bus = bus_of(3);
        bus.parameters.error_share = 0.1;
        Log log;
        for (std::uint32_t i = 0; i < 50; ++i) bus.send(i % 3, frame_of(i, i % 9), 0);
        for (Nanoseconds now = 0; bus.next();) bus.advance(now += step, log);
        std::vector<std::uint32_t> all;
        for (const Log::Line& line : log.lines) all.push_back(line.id);
        return all;
    };
    CHECK(course(bit) == course(1'000'000'000));
}

TEST_CASE("frames and the worst latency are counted by identifier") {
    Bus bus = bus_of(3);
    bus.watches[0] = {.id = 0x10};
    bus.watches[1] = {.id = 0x20};
    bus.watches[2] = {.id = 0x10, .extended = true};
    Log log;
    bus.send(0, frame_of(0x10, 8), 0);
    bus.send(1, frame_of(0x20, 8), 0);
    run(bus, log);
    bus.send(1, frame_of(0x20, 8), 10'000 * bit);
    run(bus, log);
    const Nanoseconds first = length(frame_of(0x10, 8)), second = length(frame_of(0x20, 8));
    CHECK(bus.watches[0].frames == 1);
    CHECK(bus.watches[0].worst_latency == first);
    CHECK(bus.watches[1].frames == 2);
    CHECK(bus.watches[1].worst_latency == first + can::interframe_bits * bit + second);
    CHECK(bus.watches[2].frames == 0);
    CHECK(bus.watches[3].frames == 0);
}
