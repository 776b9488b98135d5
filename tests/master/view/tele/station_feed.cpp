#include "master/view/tele/station_feed.hpp"

#include "master/view/clock.hpp"
#include "tests/support/milliseconds.hpp"

#include <catch2/catch.hpp>
#include <chrono>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <thread>

namespace {

namespace teleop = interfaces::teleop;
namespace udp = interfaces::udp;
namespace view = master::view;
using view::ClientMessage;
using Do = ClientMessage::Do;

using tests::ms;

/// A page that keeps what it was given.
class Page final : public view::Client {
public:
    using Client::Client;
    std::map<std::uint32_t, view::Frame> shown;
    std::vector<nlohmann::json> told;

    void show(std::uint32_t slot, view::Frame frame) override { shown[slot] = std::move(frame); }
    void tell(view::Frame frame) override {
        told.push_back(nlohmann::json::parse(frame.begin() + view::frame_head_size, frame.end()));
    }
    /// The last word of a kind; null: none yet.
    [[nodiscard]] nlohmann::json last(const std::string& type) const {
        for (auto each = told.rbegin(); each != told.rend(); ++each)
            if ((*each)["type"] == type) return *each;
        return {};
    }
};

/// A machine, and a station with two axes of it, boom and arm the other way round.
struct Scene {
    teleop::MachineEndpoint machine{{.own = {udp::loopback, 0}}};
    view::StationFeed feed{{.catalogue = {.json = "{}", .files = {{"a.urdf", "<robot/>"}}}, .axes = {2, 0}},
                           {.machine = machine.address(), .key = {}}};
    teleop::Pose pose;
    teleop::Edge edge;
    std::int64_t time = 0;
    std::array<double, teleop::axis_count> axes{};

    /// Both ends go on, in steps of 10 ms, until something is so.
    bool until(
        const std::function<bool()>& done, const std::function<void()>& each = [] {}) {
        for (int i = 0; i < 500; ++i) {
            if (done()) return true;
            time += 10 * ms;
            axes = machine.axes(time);
            machine.publish(time, pose, edge);
            each();
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
            feed.tick(view::steady_seconds());
        }
        return false;
    }
};

ClientMessage levers(bool alive, std::vector<double> values) {
    return {.what = Do::levers, .alive = alive, .levers = std::move(values)};
}

}  // namespace

TEST_CASE("pages get poses and edges as they came, and what the link is like") {
    Scene scene;
    Page page(1);
    scene.feed.join(page);
    CHECK(page.last("hello")["mode"] == "tele");
    scene.pose.values[1] = 0.25;
    scene.edge.heights[7] = -1.5;
    REQUIRE(scene.until([&] { return page.shown.size() == 2 && page.last("tele").contains("age"); }));
    const view::Frame& pose = page.shown.at(0);
    CHECK(pose[0] == 5);
    const auto packet = teleop::decode(std::span(pose).subspan(view::frame_head_size), nullptr);
    REQUIRE(packet.has_value());
    CHECK(std::get<teleop::Pose>(packet->content).values[1] == Approx(0.25));
    const auto edge = teleop::decode(std::span(page.shown.at(1)).subspan(view::frame_head_size), nullptr);
    REQUIRE(edge.has_value());
    CHECK(std::get<teleop::Edge>(edge->content).heights[7] == Approx(-1.5));
    const auto word = page.last("tele");
    CHECK(word["rate"] > word["content"]);
    CHECK(word["age"] >= 0);
    CHECK(word["age"] < 1);  // a busy computer
    CHECK(*scene.feed.file("a.urdf") == "<robot/>");
    CHECK(scene.feed.file("b.urdf") == nullptr);
}

TEST_CASE("the page in control moves the axes, and when it goes they stop") {
    Scene scene;
    Page page(1), other(2);
    scene.feed.join(page);
    scene.feed.join(other);
    scene.feed.hear(page, {.what = Do::take});
    CHECK(page.last("control")["holder"] == 1);
    // Nothing moves before the lever was neutral, nor for a page that is not in control.
    const auto neutral = [&] { scene.feed.hear(page, levers(true, {0, 0})); };
    REQUIRE(scene.until([&] { return page.last("tele")["control"] == "here"; }, neutral));
    scene.feed.hear(other, levers(true, {1, 1}));
    CHECK(other.last("refused")["do"] == "levers");
    REQUIRE(scene.until([&] { return scene.axes[2] > 0.7; },
                        [&] {
                            scene.feed.hear(page, levers(true, {0.75, -0.5}));
                        }));
    CHECK(scene.axes[0] == Approx(-0.5).margin(1e-4));
    CHECK(scene.axes[1] == 0);
    // The dead-man is let go.
    REQUIRE(scene.until([&] { return scene.axes[2] == 0; },
                        [&] {
                            scene.feed.hear(page, levers(false, {0.75, -0.5}));
                        }));
    CHECK(scene.machine.status().holder != 0);
    // And held again without a neutral lever between: the axis waits, and the page is told which.
    REQUIRE(scene.until(
        [&] {
            return page.last("tele")["neutral"] == nlohmann::json{0, 1};
        },
        [&] {
            scene.feed.hear(page, levers(true, {0.75, -0.5}));
        }));
    CHECK(scene.axes[2] == 0);
    scene.feed.leave(page);
    REQUIRE(scene.until([&] { return scene.machine.status().holder == 0; }));
    CHECK(other.last("control")["holder"] == 0);
}

TEST_CASE("a page that says nothing more stops every axis by the machine's dead-man") {
    Scene scene;
    Page page(1);
    scene.feed.join(page);
    scene.feed.hear(page, {.what = Do::take});
    const auto push = [&](double lever) { return [&, lever] { scene.feed.hear(page, levers(true, {lever, 0})); }; };
    REQUIRE(scene.until([&] { return page.last("tele")["control"] == "here"; }, push(0)));
    REQUIRE(scene.until([&] { return scene.axes[2] > 0.7; }, push(0.75)));
    const std::int64_t silent = scene.time;
    REQUIRE(scene.until([&] { return scene.axes[2] == 0; }));
    CHECK(scene.time - silent <= teleop::GateSettings{}.dead_man + 50 * ms);
}

TEST_CASE("a station has no run to steer") {
    Scene scene;
    Page page(1);
    scene.feed.join(page);
    for (const Do what : {Do::pause, Do::go, Do::reset, Do::set, Do::seek, Do::end}) {
        page.told.clear();
        scene.feed.hear(page, {.what = what});
        CHECK(page.told.size() == 1);
        CHECK(page.told[0]["type"] == "refused");
    }
}
