#include "master/view/replay_feed.hpp"

#include "interfaces/bytes/bytes.hpp"

#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

using namespace master;

namespace {

class FakeClient final : public view::Client {
public:
    FakeClient() : Client(1) {}
    void show(std::uint32_t slot, view::Frame frame) override { shown[slot] = std::move(frame); }
    void tell(view::Frame frame) override { told.push_back(std::move(frame)); }

    [[nodiscard]] double value(std::uint32_t slot, std::size_t signal) const {
        return std::bit_cast<double>(interfaces::bytes::take<std::uint64_t>(shown.at(slot).data() + 48 + 8 * signal));
    }
    [[nodiscard]] double time(std::uint32_t slot) const {
        return std::bit_cast<double>(interfaces::bytes::take<std::uint64_t>(shown.at(slot).data() + 8));
    }

    std::map<std::uint32_t, view::Frame> shown;
    std::vector<view::Frame> told;
};

results::Table ramp(const std::string& name, double slope) {
    results::Table table;
    std::vector<double> values;
    for (int i = 0; i <= 10; ++i) {
        table.time.push_back(0.1 * i);
        values.push_back(slope * 0.1 * i);
    }
    table.columns.push_back({.name = name, .unit = "m", .values = values});
    return table;
}

constexpr std::uint32_t second_stream = 1 << 12;

}  // namespace

TEST_CASE("two recordings are two streams with one list of signals") {
    view::ReplayFeed feed({{"a", ramp("x", 1), {}}, {"b", ramp("y", 2), {}}}, std::nullopt);
    const auto document = nlohmann::json::parse(*feed.system_json());
    CHECK(document["mode"] == "replay");
    CHECK(document["stop"] == Approx(1));
    CHECK(document["streams"].size() == 2);
    REQUIRE(document["signals"].size() == 2);
    FakeClient client;
    feed.join(client);
    feed.hear(client, {.what = view::ClientMessage::Do::seek, .value = 0.55, .levers = {}});
    CHECK(client.time(0) == Approx(0.5));
    CHECK(client.time(0) == feed.time_shown(0.55));
    const view::Frame& told = client.told.back();
    const auto sought = nlohmann::json::parse(told.begin() + view::frame_head_size, told.end());
    CHECK(sought == nlohmann::json{{"type", "sought"}, {"t", 0.55}, {"rows", {5, 5}}, {"frames", 2}});
    CHECK(client.value(0, 0) == Approx(0.5));
    CHECK(std::isnan(client.value(0, 1)));
    CHECK(client.value(second_stream, 1) == Approx(1));
    feed.leave(client);
}

TEST_CASE("a client plays by itself, at its speed, to the end") {
    view::ReplayFeed feed({{"a", ramp("x", 1), {}}}, std::nullopt);
    FakeClient playing, resting;
    feed.join(playing);
    feed.join(resting);
    feed.tick(10);
    feed.hear(playing, {.what = view::ClientMessage::Do::speed, .value = 2, .levers = {}});
    feed.hear(playing, {.what = view::ClientMessage::Do::go, .levers = {}});
    feed.tick(10.11);
    CHECK(playing.time(0) == Approx(0.2));
    CHECK(resting.time(0) == Approx(0));
    for (double now = 10.2; now < 11; now += 0.1) feed.tick(now);
    CHECK(playing.time(0) == Approx(1));
    feed.hear(playing, {.what = view::ClientMessage::Do::set, .levers = {}});
    const std::string last(playing.told.back().begin() + view::frame_head_size, playing.told.back().end());
    CHECK(last.find("refused") != std::string::npos);
    feed.leave(playing);
    feed.leave(resting);
}

namespace {

/// A machine by poses or joints and a wall by heights, as a run would show them.
view::Catalogue scene() {
    const nlohmann::json document{
        {"signals", {{{"name", "boom"}}, {{"name", "arm"}}}},
        {"arrays", {{{"name", "poses"}, {"dimensions", {1, 2}}}, {{"name", "heights"}, {"dimensions", {2, 1}}}}},
        {"view",
         {{"machines",
           {{{"name", "digger"}, {"poses", 0}, {"joints", {{"boom", {{"signal", 0}}}, {"arm", {{"signal", 1}}}}}}}},
          {"wall", {{"heights", 1}, {"radius", 30}}}}}};
    return {.json = document.dump(), .files = {}};
}

results::Table recorded(const std::vector<std::string>& names) {
    results::Table table = ramp(names.front(), 1);
    for (std::size_t i = 1; i < names.size(); ++i) table.columns.push_back(ramp(names[i], 1).columns.front());
    return table;
}

}  // namespace

TEST_CASE("what of the scene was not recorded is said, and not shown as if it were known") {
    const auto shown = [](view::ReplayFeed& feed) { return nlohmann::json::parse(*feed.system_json()); };
    SECTION("all is there") {
        view::ReplayFeed feed({{"a", recorded({"poses[1,1]", "poses[1,2]", "heights[1,1]", "heights[2,1]"}), {}}},
                              scene());
        CHECK(feed.remarks().empty());
        CHECK(shown(feed)["view"]["machines"][0]["poses"] == 0);
        CHECK(shown(feed)["view"]["wall"]["heights"] == 1);
        CHECK_FALSE(shown(feed)["view"]["wall"].contains("unknown"));
    }
    SECTION("joints, and no heights") {
        view::ReplayFeed feed({{"a", recorded({"boom", "arm"}), {}}}, scene());
        REQUIRE(feed.remarks().size() == 1);
        CHECK(feed.remarks()[0] ==
              "a: heights was not recorded (--record), so the wall is drawn whole and no distance to it is shown");
        CHECK(shown(feed)["remarks"] == feed.remarks());
        CHECK(shown(feed)["view"]["wall"]["unknown"] == true);
        CHECK_FALSE(shown(feed)["view"]["machines"][0].contains("poses"));
        CHECK_FALSE(shown(feed)["view"]["machines"][0].contains("unknown"));
    }
    SECTION("one joint of two") {
        view::ReplayFeed feed({{"a", recorded({"boom", "heights[1,1]", "heights[2,1]"}), {}}}, scene());
        REQUIRE(feed.remarks().size() == 1);
        CHECK(feed.remarks()[0] == "a: machine 'digger': joints that were not recorded are drawn at zero: arm");
    }
    SECTION("poses in one recording of two: both are placed by their joints") {
        view::ReplayFeed feed(
            {{"a", recorded({"boom", "arm", "poses[1,1]", "poses[1,2]", "heights[1,1]", "heights[2,1]"}), {}},
             {"b", recorded({"boom", "arm"}), {}}},
            scene());
        CHECK(feed.remarks().empty());
        CHECK_FALSE(shown(feed)["view"]["machines"][0].contains("poses"));
    }
    SECTION("nothing of it") {
        view::ReplayFeed feed({{"a", recorded({"x"}), {}}}, scene());
        REQUIRE(feed.remarks().size() == 2);
        CHECK(feed.remarks()[0] == "a: machine 'digger': neither poses nor joints were recorded, so it is not drawn");
        CHECK(shown(feed)["view"]["machines"][0]["unknown"] == true);
    }
}

TEST_CASE("what was said of the runs of recordings stands before what their scene lacks") {
    const view::Recording::Said said{
        .remarks = {"a: it failed"},
        .findings = {{.severity = base::Severity::warning, .code = "c", .where = "w", .text = "t"}}};
    view::ReplayFeed feed({{"a", recorded({"boom", "arm"}), said}}, scene());
    const auto document = nlohmann::json::parse(*feed.system_json());
    REQUIRE(document["remarks"].size() == 2);
    CHECK(document["remarks"][0] == "a: it failed");
    CHECK(document["findings"] == nlohmann::json{{{"level", "warning"}, {"where", "w"}, {"text", "t"}}});
}

TEST_CASE("after the end of the first recording time is that of the one that goes on") {
    results::Table shorter = ramp("x", 1);
    shorter.time.resize(6);
    std::get<std::vector<double>>(shorter.columns[0].values).resize(6);
    const view::ReplayFeed feed({{"a", shorter, {}}, {"b", ramp("x", 1), {}}}, std::nullopt);
    CHECK(feed.time_shown(0.35) == Approx(0.3));
    CHECK(feed.time_shown(0.85) == Approx(0.8));
}

TEST_CASE("history keeps the extremes of what it leaves out") {
    std::vector<view::TimedValue> points(100'000);
    for (std::size_t i = 0; i < points.size(); ++i) points[i] = {static_cast<double>(i), 0};
    points[12'345].value = 7;
    points[54'321].value = -3;
    const auto few = view::thinned(points, 400);
    CHECK(few.size() <= 400);
    CHECK(std::ranges::count(few, points[12'345]) == 1);
    CHECK(std::ranges::count(few, points[54'321]) == 1);
    CHECK(std::ranges::is_sorted(few, {}, &view::TimedValue::time));
    CHECK(few.front() == points.front());
    CHECK(few.back() == points.back());
}

TEST_CASE("history answers good questions only") {
    view::ReplayFeed feed({{"a", ramp("x", 1), {}}}, std::nullopt);
    CHECK(feed.history("signal=0")->size() == 11 * 16);
    CHECK(feed.history("signal=0&from=0.25&to=0.55")->size() == 5 * 16);  // and one row beyond both ends
    for (const char* bad : {"", "signal=1", "signal=x", "signal=-1", "signal=0&stream=1", "signal=0&n=nan"})
        CHECK_FALSE(feed.history(bad));
}
