#include "interfaces/teleop/control_gate.hpp"

#include "tests/support/milliseconds.hpp"

#include <catch2/catch.hpp>

using namespace interfaces::teleop;

namespace {

using tests::ms;
constexpr std::uint32_t session = 5, anna = 1, bert = 2;
using Axes = std::array<double, axis_count>;
const Axes neutral{}, boom_up{0.5}, all{1, 1, 1, 1, 1, 1, 1, 1};

struct Setup {
    ControlGate gate{session};
    std::int64_t now = 1'000 * ms;
    std::uint32_t sequence = 0;

    /// A command of Anna's that has just seen the machine.
    void command(const Axes& levers, bool held = true) { command_of(anna, ++sequence, levers, held); }
    void command_of(std::uint32_t who, std::uint32_t number, const Axes& levers, bool held = true) {
        gate.receive({session, number, 0}, {.operator_id = who, .held = held, .seen = now - 1, .levers = levers}, now);
    }
    Axes axes(std::int64_t pause = 0) { return gate.axes(now += pause); }
    /// Anna holds control, her levers were neutral, and she moves all axes.
    void moving() {
        command(neutral);
        now += 20 * ms;
        command(all);
        REQUIRE(axes() == all);
    }
};

}  // namespace

TEST_CASE("an axis moves after its lever was neutral") {
    Setup setup;
    setup.command(boom_up);
    CHECK(setup.axes() == neutral);
    CHECK((setup.gate.status().waiting & 1U) == 1);
    CHECK((setup.gate.status().waiting & 2U) == 0);
    setup.now += 20 * ms;
    setup.command({0.5, 0.7});  // the second lever was neutral in the first command
    CHECK(setup.axes() == Axes{0, 0.7});
    setup.now += 20 * ms;
    setup.command(neutral);
    setup.now += 20 * ms;
    setup.command(boom_up);
    CHECK(setup.axes() == boom_up);
    CHECK(setup.gate.status().waiting == 0);
    CHECK(setup.gate.status().holder == anna);
}

TEST_CASE("commands that stay away stop every axis within the dead-man timeout, and then levers must be neutral") {
    Setup setup;
    setup.moving();
    CHECK(setup.axes(200 * ms) == all);
    CHECK(setup.axes(1) == neutral);
    CHECK(setup.gate.status().holder == 0);
    CHECK(setup.gate.statistics().timeouts == 1);
    setup.command(all);  // she is back, and still pushes
    CHECK(setup.axes() == neutral);
    setup.now += 20 * ms;
    setup.command(neutral);
    setup.now += 20 * ms;
    setup.command(all);
    CHECK(setup.axes() == all);
}

TEST_CASE("a late command after the timeout does not move what is stopped, even if nobody looked in between") {
    Setup setup;
    setup.moving();
    setup.now += 300 * ms;
    setup.command(all);
    CHECK(setup.axes() == neutral);
}

TEST_CASE("letting the dead-man go stops every axis, and then levers must be neutral") {
    Setup setup;
    setup.moving();
    setup.now += 20 * ms;
    setup.command(all, false);
    CHECK(setup.axes() == neutral);
    CHECK(setup.gate.status().holder == anna);
    CHECK_FALSE(setup.gate.status().may_move);
    setup.now += 20 * ms;
    setup.command(all);
    CHECK(setup.axes() == neutral);
    setup.command(neutral, false);  // neutral counts only while it is held
    setup.now += 20 * ms;
    setup.command(all);
    CHECK(setup.axes() == neutral);
}

TEST_CASE("who sees an old picture moves nothing") {
    Setup setup;
    setup.moving();
    const std::int64_t picture = setup.now;
    for (int i = 0; i < 80; ++i) {
        setup.now += 20 * ms;
        setup.gate.receive({session, ++setup.sequence, 0},
                           {.operator_id = anna, .held = true, .seen = picture, .levers = all}, setup.now);
        CHECK(setup.axes() == (setup.now - picture <= 1500 * ms ? all : neutral));
    }
    CHECK(setup.gate.statistics().stale == 5);
    setup.now += 20 * ms;
    setup.command(all);  // the picture is fresh again
    CHECK(setup.axes() == neutral);
    setup.now += 20 * ms;
    setup.command(neutral);
    setup.now += 20 * ms;
    setup.command(all);
    CHECK(setup.axes() == all);
}

TEST_CASE("one operator holds control until he gives it back or goes") {
    Setup setup;
    setup.moving();
    setup.now += 20 * ms;
    setup.command_of(bert, 1000, neutral);
    CHECK(setup.gate.status().holder == anna);
    CHECK(setup.axes() == all);
    CHECK(setup.gate.statistics().other_operator == 1);
    SECTION("gives it back") {
        setup.gate.receive({session, ++setup.sequence, 0},
                           {.operator_id = anna, .released = true, .seen = setup.now - 1}, setup.now);
        CHECK(setup.axes() == neutral);
        CHECK(setup.gate.status().holder == 0);
    }
    SECTION("goes") { CHECK(setup.axes(201 * ms) == neutral); }
    setup.now += 20 * ms;
    setup.command_of(bert, 1, boom_up);
    CHECK(setup.gate.status().holder == bert);
    CHECK(setup.axes() == neutral);
    setup.now += 20 * ms;
    setup.command_of(bert, 2, neutral);
    setup.now += 20 * ms;
    setup.command_of(bert, 3, boom_up);
    CHECK(setup.axes() == boom_up);
}

TEST_CASE("overtaken, repeated and replayed commands never move an axis") {
    Setup setup;
    struct Sent {
        Header header;
        Command command;
    };
    std::vector<Sent> recorded;
    const auto send = [&](std::uint32_t who, std::uint32_t number, const Axes& levers) {
        recorded.push_back(
            {{session, number, 0}, {.operator_id = who, .held = true, .seen = setup.now - 1, .levers = levers}});
        setup.gate.receive(recorded.back().header, recorded.back().command, setup.now);
        setup.now += 20 * ms;
    };
    send(anna, 1, neutral);
    send(anna, 2, all);
    send(anna, 4, neutral);
    const auto replay = [&] {
        for (const Sent& sent : recorded) {
            setup.gate.receive(sent.header, sent.command, setup.now);
            CHECK(setup.axes() == neutral);
        }
    };
    replay();
    setup.gate.receive({session, 3, 0}, {.operator_id = anna, .held = true, .seen = setup.now - 1, .levers = all},
                       setup.now);
    CHECK(setup.axes() == neutral);  // overtaken by the fourth
    setup.now += 300 * ms;
    (void)setup.axes();
    replay();  // control is free
    CHECK(setup.gate.status().holder == 0);
    send(bert, 1, neutral);
    setup.now += 300 * ms;
    replay();  // after another operator
    CHECK(setup.gate.status().holder == 0);
    CHECK(setup.gate.statistics().old >= 10);
}

TEST_CASE("commands for another run, and from the future, are refused") {
    Setup setup;
    setup.gate.receive({session + 1, 1, 0}, {.operator_id = anna, .held = true, .seen = setup.now - 1}, setup.now);
    setup.gate.receive({session, 1, 0}, {.operator_id = anna, .held = true, .seen = setup.now + 1}, setup.now);
    CHECK(setup.gate.status().holder == 0);
    CHECK(setup.gate.statistics().other_session == 1);
    CHECK(setup.gate.statistics().forged == 1);
    CHECK(setup.gate.statistics().accepted == 0);
}
