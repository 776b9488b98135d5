#include "interfaces/teleop/control_gate.hpp"
#include "interfaces/teleop/link.hpp"
#include "interfaces/teleop/operator_station.hpp"
#include "tests/support/milliseconds.hpp"

#include <catch2/catch.hpp>

using namespace interfaces::teleop;

namespace {

using tests::ms;

Packet pose_packet(std::uint32_t session_number, std::uint32_t sequence, double boom) {
    Pose pose;
    pose.values[0] = boom;
    return {{session_number, sequence, sequence * 20 * ms}, pose};
}

/// A machine and an operator with a link each way, all driven by one clock: no sockets, the same bits every time.
class Conversation {
public:
    explicit Conversation(LinkSettings link)
        : down_(link), up_([&] {
              ++link.seed;
              return link;
          }()) {}

    /// One step of 10 ms; what the operator does is decided by the callback, none: he is dead.
    using Levers = std::optional<std::array<double, axis_count>>;
    template <class Decide>
    std::array<double, axis_count> step(Decide decide) {
        now += 10 * ms;
        if (now % pose_period == 0) {
            Pose pose;
            pose.values[0] = position_;
            down_.put(encode({{5, ++sequence_, now}, pose}, nullptr), now);
        }
        while (const auto arrival = down_.take(now)) station.receive(*decode(arrival->datagram, nullptr), now);
        if (now % pose_period == 0) {
            if (const Levers levers = decide()) {
                if (const auto packet = station.command(*levers, true, now)) up_.put(encode(*packet, nullptr), now);
            }
        }
        while (const auto arrival = up_.take(now)) {
            const auto packet = decode(arrival->datagram, nullptr);
            gate.receive(packet->header, std::get<Command>(packet->content), now);
        }
        const auto& axes = gate.axes(now);
        position_ += 0.01 * axes[0];
        return axes;
    }

    std::int64_t now = 0;
    OperatorStation station{77};
    ControlGate gate{5};
    [[nodiscard]] double position() const { return position_; }

private:
    Link down_, up_;
    std::uint32_t sequence_ = 0;
    double position_ = 0;
};

}  // namespace

TEST_CASE("the newest pose is kept, whatever the order of the packets") {
    OperatorStation station(1);
    CHECK_FALSE(station.command({}, true, 0).has_value());
    for (const std::uint32_t sequence : {1U, 2U, 5U, 4U, 5U, 8U})
        station.receive(pose_packet(9, sequence, sequence * 0.1), 0);
    REQUIRE(station.pose().has_value());
    CHECK(station.pose()->sequence == 8);
    CHECK(station.pose()->content.values[0] == Approx(0.8));
    const auto statistics = station.statistics();
    CHECK(statistics.received == 6);
    CHECK(statistics.old == 2);
    CHECK(statistics.lost == 2);  // 3, 6 and 7 did not come, but 5 came twice
    CHECK(std::get<Command>(station.command({}, true, 0)->content).seen == 160 * ms);
}

TEST_CASE("a restarted machine is followed after a silence, an older stream is not") {
    OperatorStation station(1);
    station.receive(pose_packet(9, 100, 0.1), 0);
    station.receive(pose_packet(4, 101, 0.2), 10 * ms);  // replayed from another run
    CHECK(station.pose()->content.values[0] == Approx(0.1));
    CHECK(station.statistics().other_session == 1);
    station.receive(pose_packet(10, 1, 0.3), 1001 * ms);
    CHECK(station.pose()->content.values[0] == Approx(0.3));
    CHECK(station.command({}, true, 0)->header.session == 10);
}

TEST_CASE("the echo of a hello tells the round trip, once, and only to whom it is for") {
    OperatorStation station(7);
    CHECK_FALSE(station.round_trip(0).has_value());
    const Packet first = station.hello(100 * ms), second = station.hello(600 * ms);
    CHECK(first.header.sequence != second.header.sequence);
    const auto echo = [](std::uint32_t number, std::uint32_t id) { return Packet{{3, number, 0}, Echo{id}}; };
    station.receive(echo(second.header.sequence, 8), 650 * ms);
    station.receive(echo(second.header.sequence + 1, 7), 650 * ms);
    station.receive(echo(0, 7), 650 * ms);
    CHECK_FALSE(station.round_trip(650 * ms).has_value());
    station.receive(echo(second.header.sequence, 7), 680 * ms);
    CHECK(station.round_trip(700 * ms) == 80 * ms);
    station.receive(echo(second.header.sequence, 7), 900 * ms);  // repeated
    CHECK(station.round_trip(900 * ms) == 80 * ms);
    station.receive(pose_packet(9, 1, 0.1), 910 * ms);  // of a session that was not known yet
    CHECK(station.round_trip(910 * ms) == 80 * ms);
    station.receive(echo(first.header.sequence, 7), 920 * ms);
    CHECK(station.round_trip(920 * ms) == 820 * ms);
    CHECK_FALSE(station.round_trip(4000 * ms).has_value());
}

TEST_CASE("an operator drives to a mark over a bad link, and the same seed gives the same drive") {
    const auto drive = [](std::uint64_t seed) {
        Conversation talk({.delay = 80 * ms, .jitter = 20 * ms, .loss = 0.02, .rate = 200e3, .seed = seed});
        std::vector<double> way;
        for (int i = 0; i < 1000; ++i) {
            talk.step([&]() -> Conversation::Levers {
                const double seen = talk.station.pose() ? talk.station.pose()->content.values[0] : 0;
                // Neutral for half a second, then slowly to the mark at 1 rad.
                if (talk.now < 500 * ms) return std::array<double, axis_count>{};
                return std::array<double, axis_count>{std::clamp(2 * (1 - seen), -0.5, 0.5)};
            });
            way.push_back(talk.position());
        }
        return way;
    };
    const auto way = drive(3);
    CHECK(way.back() > 0.9);
    CHECK(way.back() < 1.05);
    CHECK(way == drive(3));
    CHECK(way != drive(4));
}

TEST_CASE("a dead operator stops every axis within the dead-man timeout and the delay of the link") {
    Conversation talk({.delay = 80 * ms, .jitter = 20 * ms, .loss = 0.05, .seed = 11});
    const auto push = [&]() -> Conversation::Levers {
        return std::array<double, axis_count>{talk.now < 500 * ms ? 0.0 : 1.0};
    };
    while (talk.now < 2000 * ms) talk.step(push);
    CHECK(talk.step(push)[0] > 0.9);
    const std::int64_t death = talk.now;
    std::int64_t stopped = 0;
    while (talk.now < death + 2000 * ms) {
        const double axis = talk.step([]() -> Conversation::Levers { return std::nullopt; })[0];
        if (axis != 0) stopped = talk.now;
    }
    CHECK(stopped > death);
    CHECK(stopped <= death + 100 * ms + GateSettings{}.dead_man);
}

TEST_CASE("whatever the link does, an axis moves only behind a neutral lever") {
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        Conversation talk({.delay = 50 * ms, .jitter = 50 * ms, .loss = 0.4, .seed = seed});
        bool alive = true;
        // The operator never lets the lever go, dies and comes back.
        for (int i = 0; i < 600; ++i) {
            if (i % 70 == 69) alive = !alive;
            const auto axes = talk.step([&]() -> Conversation::Levers {
                if (!alive) return std::nullopt;
                return std::array<double, axis_count>{1, 1, 1, 1, 1, 1, 1, 1};
            });
            REQUIRE(axes == std::array<double, axis_count>{});
        }
        CHECK(talk.gate.statistics().accepted > 50);
    }
}
