#include "interfaces/canopen/master/master.hpp"

#include "interfaces/canopen/sensors/excavator.hpp"
#include "tests/interfaces/canopen/bench.hpp"

#include <catch2/catch.hpp>
#include <cmath>

using namespace interfaces::canopen;
namespace can = interfaces::can;

namespace {

using EventKind = MasterEvent::Kind;

const std::vector<double> seen{0.1, 0.2, -0.3, -1.4, 0.01, -0.02, 0.199, -1.0, 12.3e6, 0.5e6};

/// The sensors, a master, and a bus that carries every frame within the millisecond.
struct Network {
    explicit Network(const MasterSettings& settings = {}, const std::vector<NodeWishes>& wishes = {})
        : plan(make_plan(nodes, settings, wishes)), master(plan) {
        for (const Node& node : nodes) slaves.emplace_back(node.device, node.commissioning);
        absent.resize(slaves.size());
    }
    void run(Time span) {
        for (const Time end = now + span; now < end;) {
            now += 1ms;
            Frames frames;
            std::size_t first = 0;
            for (std::size_t i = 0; i < slaves.size(); ++i) {
                if (i < nodes.size()) {
                    const std::size_t count = nodes[i].signals.size();
                    measure(slaves[i], nodes[i].signals, std::span(seen).subspan(first, count), now);
                    first += count;
                }
                if (!absent[i]) slaves[i].advance(now, frames);
            }
            master.advance(now, frames, events);
            for (std::size_t i = 0; i < frames.size(); ++i) deliver(can::Frame(frames[i]), frames);
            for (const can::Frame& frame : frames) log.push_back(frame);
        }
    }
    void deliver(const can::Frame& frame, Frames& more) {
        for (std::size_t i = 0; i < slaves.size(); ++i)
            if (!absent[i]) slaves[i].receive(frame, now, more);
        master.receive(frame, now, more, events);
    }
    std::vector<std::string> losses() const {
        std::vector<std::string> texts;
        for (const MasterEvent& event : events)
            if (event.is_loss()) texts.push_back(text(event, plan));
        return texts;
    }
    std::size_t count(std::uint32_t id) const {
        return static_cast<std::size_t>(std::ranges::count(log, id, &can::Frame::id));
    }

    std::vector<Node> nodes = excavator_sensors();
    MasterPlan plan;
    Master master;
    std::vector<Slave> slaves;
    std::vector<bool> absent;
    Frames log;
    Master::Events events;
    Time now{};
};

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("the master brings up nine sensors and receives what they measure") {
    Network network;
    network.run(500ms);
    CHECK(network.losses() == Texts{});
    CHECK(network.master.all_running());
    REQUIRE(network.master.state.values.size() == seen.size());
    const std::vector<double> steps{1.75e-4, 1.75e-4, 1.75e-4, 1.75e-4, 1.75e-4, 1.75e-4, 1e-5, 9.6e-5, 10, 10};
    for (std::size_t i = 0; i < seen.size(); ++i) {
        INFO(network.plan.signals[i]);
        CHECK(std::abs(network.master.state.values[i] - seen[i]) <= 0.51 * steps[i]);
        CHECK(network.now - network.master.state.received_at[i] <= 10ms);
    }
    CHECK(network.count(0x701) > 3);  // heartbeats every 100 ms
    CHECK(network.count(0x80) == 0);
    CHECK(network.master.state.running.unknown_frames > 0);  // its own, which the test's bus brings back
}

TEST_CASE("the master makes PDOs synchronous and produces the SYNC, with a counter where one is asked for") {
    const NodeWishes synchronous{.pdos = {{0, {.type = 1, .inhibit_100us = 0, .event_timer_ms = 0}}}};
    Network network({.sync_period = 20ms, .sync_overflow = 4}, std::vector<NodeWishes>(9, synchronous));
    network.run(200ms);
    CHECK(network.master.all_running());
    network.log.clear();
    network.run(400ms);
    CHECK(network.losses() == Texts{});
    CHECK(network.count(0x80) == 20);
    for (const std::uint32_t id : {0x181, 0x182, 0x183, 0x184, 0x185, 0x186, 0x187, 0x190, 0x191})
        CHECK(network.count(id) == 20);
    Bytes counters;
    for (const can::Frame& frame : network.log)
        if (frame.id == 0x80) counters.push_back(frame.data[0]);
    counters.resize(5);
    CHECK(*std::ranges::max_element(counters) == 4);
    CHECK(network.master.state.values[0] == Approx(0.1).margin(1e-4));
}

TEST_CASE("the master remaps a PDO and understands it by the new mapping") {
    std::vector<NodeWishes> wishes(9);
    wishes[4].pdos = {{0, {.mapping = std::vector<std::uint32_t>{0x61200020, 0x60100010}}}};
    wishes[7].writes = {{{0x6132, 1}, {2}}, {{0x6131, 1}, {0x00, 0x00, 0x22, 0x06}}};  // two digits, MPa
    Network network({}, wishes);
    network.run(300ms);
    CHECK(network.losses() == Texts{});
    CHECK(network.master.state.values[4] == Approx(0.01).margin(1e-4));
    CHECK(std::isnan(network.master.state.values[5]));  // lateral16 is no longer sent
    CHECK(network.slaves[4].state.tpdos[0].settings.size == 6);
}

TEST_CASE("a sensor that falls silent is named, with the reason, and brought up again when it is back") {
    Network network;
    network.run(300ms);
    network.absent[2] = true;
    network.run(300ms);
    CHECK(network.losses() == Texts{"node 3 (arm): its PDO 0x183 no longer comes"});
    CHECK(network.master.phase(2) == Master::Phase::lost);
    CHECK(!network.master.all_running());
    network.absent[2] = false;
    network.run(300ms);
    CHECK(network.master.all_running());
    CHECK(network.losses().size() == 1);
}

TEST_CASE("without cyclic PDOs the heartbeat tells that a sensor is lost") {
    std::vector<NodeWishes> wishes(9);
    wishes[2].pdos = {{0, {.event_timer_ms = 0}}};
    Network network({}, wishes);
    network.run(300ms);
    network.absent[2] = true;
    network.run(300ms);
    CHECK(network.losses() == Texts{"node 3 (arm): no heartbeat for 150 ms"});
}

TEST_CASE("a sensor that never was there is named") {
    Network network;
    network.absent[8] = true;
    network.run(1100ms);
    CHECK(network.losses() == Texts{"node 17 (jaw_b): no boot-up message within 1000 ms after the reset"});
    for (std::size_t i = 0; i < 8; ++i) CHECK(network.master.phase(i) == Master::Phase::running);
}

TEST_CASE("a device of another kind at an id is refused and not started") {
    Network network;
    network.slaves[0] = Slave(network.nodes[8].device, {.node_id = 1, .serial = 1001});
    network.slaves[1] = Slave(network.nodes[1].device, {.node_id = 2, .serial = 5});
    network.run(500ms);
    CHECK(network.losses() ==
          Texts{"node 1 (boom): 0x1000:00 is 0x20194, expected 0x1019A: not the device that was planned here",
                "node 2 (adjust): 0x1018:04 is 0x5, expected 0x3EA: not the device that was planned here"});
    CHECK(network.slaves[0].nmt() == NmtState::pre_operational);
}

TEST_CASE("an id that two devices have is named") {
    for (const Time later : {0ms, 400ms}) {
        Network network;
        network.run(later);
        network.slaves.emplace_back(network.nodes[3].device, Commissioning{.node_id = 4, .serial = 77}, network.now);
        network.absent.push_back(false);
        network.run(500ms);
        REQUIRE(!network.losses().empty());
        CHECK(network.losses().back() == "node 4 (coupler): another node answers to this id");
        CHECK(network.master.phase(3) == Master::Phase::refused);
    }
}

TEST_CASE("a write that a node refuses is named with object and code") {
    std::vector<NodeWishes> wishes(9);
    wishes[0].writes = {{{0x6000, 0}, {7, 0}}};
    Network network({}, wishes);
    network.run(500ms);
    CHECK(network.losses() == Texts{"node 1 (boom): refused 0x6000:00 with abort 0x6090030 (value not allowed)"});
}

TEST_CASE("a node that no longer answers while it is configured is named") {
    Network network;
    network.run(200ms);
    REQUIRE(network.master.all_running());
    Frames out;
    network.master.receive(frame(0x701, {0x00}), network.now, out, network.events);
    REQUIRE(out.size() == 1);
    CHECK(out[0].id == 0x601);
    network.master.advance(network.now + 500ms, out, network.events);
    CHECK(network.losses().at(0) == "node 1 (boom): restarted by itself");
    CHECK(network.losses().at(1) == "node 1 (boom): no answer for 0x1000:00 within 500 ms");
}

TEST_CASE("a node that leaves the operational state, or restarts, is named and brought up again") {
    Network network;
    network.run(300ms);
    Frames ignored;
    network.slaves[0].receive(frame(0, {0x80, 1}), network.now, ignored);
    network.slaves[1].switch_on(network.now);
    network.run(45ms);
    network.run(300ms);
    const Texts losses = network.losses();
    REQUIRE(losses.size() == 2);
    CHECK(losses[0].starts_with("node 1 (boom): "));
    CHECK(losses[1].starts_with("node 2 (adjust): "));
    CHECK(network.master.all_running());
}

TEST_CASE("emergencies are told with code and register") {
    Network network;
    network.run(300ms);
    network.slaves[7].raise({.code = 0x5000, .bits = error_register::manufacturer});
    network.run(5ms);
    network.slaves[7].clear(0x5000);
    network.run(5ms);
    Texts emergencies;
    for (const MasterEvent& event : network.events)
        if (event.kind == EventKind::emergency) emergencies.push_back(text(event, network.plan));
    CHECK(emergencies ==
          Texts{"node 16 (jaw_a): emergency 0x5000, error register 0x81", "node 16 (jaw_a): all errors are gone"});
    CHECK(network.losses().empty());
}

TEST_CASE("a PDO that is too short is not believed") {
    Network network;
    network.run(300ms);
    Frames out;
    network.master.receive(frame(0x190, {1, 2, 3}), network.now, out, network.events);
    CHECK(network.losses() == Texts{"node 16 (jaw_a): sent a PDO of 3 bytes, expected 5"});
}

TEST_CASE("copies of master and slaves continue identically") {
    Network network({.sync_period = 10ms});
    network.run(57ms);  // while nodes are being configured
    const auto saved = network.master.state;
    std::vector<Slave::State> slaves;
    for (const Slave& slave : network.slaves) slaves.push_back(slave.state);
    const Time then = network.now;
    network.log.clear();
    network.run(300ms);
    const Frames first = network.log;
    network.master.state = saved;
    for (std::size_t i = 0; i < slaves.size(); ++i) network.slaves[i].state = slaves[i];
    network.now = then;
    network.log.clear();
    network.run(300ms);
    CHECK((network.log == first));
    CHECK(first.size() > 200);
}

TEST_CASE("a client reads and writes strings in segments, and notices wrong toggles") {
    Bench bench;
    bench.run(60ms);
    SdoClientState client;
    const auto talk = [&](SdoBytes request) {
        SdoStep step;
        for (int i = 0; i < 100; ++i) {
            const Bytes answer = bench.ask({request.begin(), request.end()});
            if (answer.size() != 8) return step;
            SdoBytes bytes{};
            std::ranges::copy(answer, bytes.begin());
            step = take_answer(client, bytes, bench.now, 500ms);
            if (!step.request) return step;
            request = *step.request;
        }
        return step;
    };
    CHECK(talk(begin_upload(client, {0x1008, 0}, bench.now, 500ms)).result == SdoStep::Result::done);
    CHECK(std::string(client.bytes.begin(), client.bytes.end()) == "sample device for tests");
    for (const std::string& text :
         {std::string("a rather long note of twenty-nine"), std::string("seven77"), std::string()}) {
        const Bytes bytes(text.begin(), text.end());
        CHECK(talk(begin_download(client, {0x2006, 0}, bytes, bench.now, 500ms)).result == SdoStep::Result::done);
        CHECK(talk(begin_upload(client, {0x2006, 0}, bench.now, 500ms)).result == SdoStep::Result::done);
        CHECK(client.bytes == bytes);
    }
    (void)begin_upload(client, {0x1008, 0}, bench.now, 500ms);
    CHECK(take_answer(client, {0x41, 0x08, 0x10, 0x00, 20}, bench.now, 500ms).request.has_value());
    const SdoStep wrong = take_answer(client, {0x10, 'x'}, bench.now, 500ms);
    CHECK(wrong.result == SdoStep::Result::aborted);
    CHECK(wrong.abort == Abort::toggle);
    CHECK(wrong.request == abort_message({0x1008, 0}, Abort::toggle));
    CHECK(take_answer(client, {0x60, 0x08, 0x10, 0x00}, bench.now, 500ms).result == SdoStep::Result::unexpected);
}
