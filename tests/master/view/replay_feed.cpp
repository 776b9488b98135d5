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
    view::ReplayFeed feed({{"a", ramp("x", 1)}, {"b", ramp("y", 2)}}, std::nullopt);
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
    view::ReplayFeed feed({{"a", ramp("x", 1)}}, std::nullopt);
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
    view::ReplayFeed feed({{"a", ramp("x", 1)}}, std::nullopt);
    CHECK(feed.history("signal=0")->size() == 11 * 16);
    CHECK(feed.history("signal=0&from=0.25&to=0.55")->size() == 5 * 16);  // and one row beyond both ends
    for (const char* bad : {"", "signal=1", "signal=x", "signal=-1", "signal=0&stream=1", "signal=0&n=nan"})
        CHECK_FALSE(feed.history(bad));
}
