#include "master/runs/taps/can_log.hpp"

#include "interfaces/can_log/log_file.hpp"
#include "interfaces/ls_bus/operations.hpp"
#include "master/base/error.hpp"
#include "tests/support/scratch.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

namespace {

namespace can = interfaces::can;
namespace ls_bus = interfaces::ls_bus;
using master::base::Time;
using master::runs::CanBus;
using master::runs::CanLog;

constexpr master::base::Timebase timebase{1'000'000'000};

can::Frame frame(std::uint32_t id, std::uint8_t byte) {
    can::Frame made{.id = id, .size = 1};
    made.data[0] = byte;
    return made;
}

/// Units that say something in an event iteration; the i-th has the i-th clock and the i-th value.
struct Scene {
    std::vector<ls_bus::Bytes> said;
    master::core::Signals signals;

    explicit Scene(std::size_t units) : said(units) {
        signals.outputs.bytes.resize(units);
        signals.outputs.clocks.resize(units);
    }
    void say(std::size_t unit, const std::vector<can::Frame>& frames) {
        said[unit].clear();
        ls_bus::append(said[unit], ls_bus::Confirm{.id = 1});
        for (const can::Frame& each : frames) ls_bus::append(said[unit], ls_bus::Transmit{each});
        signals.outputs.bytes[unit] = {said[unit].data(), said[unit].size()};
        signals.outputs.clocks[unit] = 1;
    }
    void end() { std::ranges::fill(signals.outputs.clocks, 0); }
};

CanBus bus(const std::string& name, std::uint32_t first, std::uint32_t count, bool repeats) {
    CanBus made{.name = name, .repeats = repeats, .sources = {}};
    for (std::uint32_t i = first; i < first + count; ++i)
        made.sources.push_back({.data = {master::core::Type::bytes, false, i},
                                .clock = {master::core::Type::clock, false, i},
                                .sent = false});
    return made;
}

std::vector<interfaces::can_log::Entry> entries(const std::filesystem::path& file) {
    interfaces::can_log::LogFile log(file.string());
    std::vector<interfaces::can_log::Entry> all;
    while (auto entry = log.next()) all.push_back(*entry);
    CHECK(log.malformed() == 0);
    return all;
}

}  // namespace

TEST_CASE("a bus simulation tells each node of a frame, and the log has it once") {
    const tests::Scratch scratch;
    const auto file = scratch.folder() / "traffic.log";
    Scene scene(3);
    CanLog log(file, {bus("bus", 0, 3, true)}, timebase, Time{});
    log.open();
    CHECK_FALSE(std::filesystem::exists(file));
    CHECK(std::filesystem::exists(scratch.folder() / "traffic.partial.log"));
    const can::Frame a = frame(1, 10), b = frame(2, 20), c = frame(3, 30);
    // Each of the three sent one in the same iteration; nobody hears its own.
    scene.say(0, {b, c});
    scene.say(1, {a, c});
    scene.say(2, {a, b});
    log.on_event(Time{1'000'000}, scene.signals);
    scene.end();
    log.on_event(Time{2'000'000}, scene.signals);  // what lies there is not new
    // The first node sends twice the same.
    scene.say(1, {a, a});
    scene.say(2, {a, a});
    log.on_event(Time{3'000'000}, scene.signals);
    log.finish();

    const auto found = entries(file);
    REQUIRE(found.size() == 5);
    for (const auto& entry : found) CHECK(entry.channel == "bus");
    CHECK(found[0].frame == a);
    CHECK(found[1].frame == b);
    CHECK(found[2].frame == c);
    CHECK(found[2].nanoseconds == 1'000'000);
    CHECK(found[3].frame == a);
    CHECK(found[4].frame == a);
    CHECK(found[4].nanoseconds == 3'000'000);
    CHECK(log.summary() == "5 frames of bus in " + file.string());
}

TEST_CASE("buses have names in a log of candump and numbers in an ASC file") {
    const tests::Scratch scratch;
    Scene scene(4);
    scene.say(0, {frame(1, 1), frame(1, 1)});  // two nodes that are connected directly
    scene.say(1, {frame(2, 2)});
    scene.say(3, {frame(0x181, 3)});
    for (const char* name : {"traffic.log", "traffic.asc"}) {
        CanLog log(scratch.folder() / name, {bus("left-right", 0, 2, false), bus("bus2", 2, 2, true)}, timebase,
                   Time{});
        log.on_event(Time{}, scene.signals);  // waits for its file
        log.open();
        log.on_event(Time{500'000}, scene.signals);
        log.finish();
        const auto found = entries(scratch.folder() / name);
        REQUIRE(found.size() == 8);
        const bool asc = std::string_view(name) == "traffic.asc";
        CHECK(found[0].channel == (asc ? "can0" : "left-right"));
        CHECK(found[3].channel == (asc ? "can1" : "bus2"));
        CHECK(found[3].frame == frame(0x181, 3));
        CHECK(found[4].nanoseconds == 500'000);
    }
}

TEST_CASE("a full disk ends the run with a message and leaves whole lines") {
    // /dev/full takes a name and no byte.
    const tests::Scratch scratch;
    std::filesystem::create_symlink("/dev/full", scratch.folder() / "traffic.partial.log");
    Scene scene(1);
    CanLog log(scratch.folder() / "traffic.log", {bus("bus", 0, 1, false)}, timebase, Time{});
    log.open();
    scene.say(0, {frame(1, 1)});
    log.on_event(Time{}, scene.signals);
    CHECK_THROWS_WITH(log.finish(), Catch::Contains("No space left"));
}

TEST_CASE("what a killed run left of its log is completed with whole lines") {
    const tests::Scratch scratch;
    const auto candump = scratch.folder() / "traffic.log", asc = scratch.folder() / "traffic.asc";
    master::runs::complete_can_log(candump);  // nothing was left
    CHECK_FALSE(std::filesystem::exists(candump));
    const std::string line = "(0.001000) bus 001#0A\n";
    scratch.write("traffic.partial.log", line + line + "(0.0020");
    master::runs::complete_can_log(candump);
    CHECK(tests::content_of(candump) == line + line);
    CHECK_FALSE(std::filesystem::exists(scratch.folder() / "traffic.partial.log"));
    CHECK(entries(candump).size() == 2);
    // A block may be cut anywhere, also far behind the end of a line.
    scratch.write("traffic.partial.log", line + std::string(5000, ' '));
    master::runs::complete_can_log(candump);
    CHECK(tests::content_of(candump) == line);
    scratch.write("traffic.partial.asc", "base hex\n0.5 1 1");
    master::runs::complete_can_log(asc);
    CHECK(tests::content_of(asc) == "base hex\nEnd TriggerBlock\n");
}
