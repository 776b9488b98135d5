#include "master/view/foxglove/foxglove.hpp"

#include "interfaces/bytes/bytes.hpp"

#include <catch2/catch.hpp>

using namespace master::view;

namespace {

constexpr const char* system_json = R"({"signals":[{"name":"a.x","type":"real"},{"name":"b.on","type":"boolean"}],
"arrays":[{"name":"a.poses"}],
"view":{"machines":[{"name":"m","links":["base","arm"],"poses":0}],"cloud":{"machine":"m","sensor":"eye"}}})";

Frame state(double t) { return state_frame({.time = t}, {}, std::vector<double>{t, 1}); }
Frame poses(double t) { return array_frame({.time = t}, 0, std::vector<double>(14, 0.5)); }

std::uint32_t subscription_of(const Foxglove::Message& message) {
    return interfaces::bytes::take<std::uint32_t>(message.bytes.data() + 1);
}

}  // namespace

TEST_CASE("a Foxglove client gets what it subscribed to, from the latest on") {
    Foxglove foxglove;
    const auto advertised = foxglove.advertise(system_json);
    REQUIRE(advertised);
    for (const char* topic : {R"("/tf")", R"("/points")", R"("/a")", R"("/b")"})
        CHECK(advertised->find(topic) != std::string::npos);
    // Only the time, before anything is subscribed to.
    CHECK(foxglove.show(0, state(1)).size() == 1);
    CHECK(foxglove.show(2, poses(1)).empty());
    // /tf is the first channel, then the cloud, then the components.
    const auto answer =
        foxglove.hear(R"({"op":"subscribe","subscriptions":[{"id":7,"channelId":1},{"id":8,"channelId":3}]})");
    REQUIRE(answer);
    REQUIRE(answer->size() == 3);  // the time, /a, /tf
    const auto after = foxglove.show(0, state(2));
    REQUIRE(after.size() == 2);
    CHECK(subscription_of(after[1]) == 8);
    CHECK(interfaces::bytes::take<std::uint64_t>(after[1].bytes.data() + 5) == 2'000'000'000);
    REQUIRE(foxglove.show(2, poses(2)).size() == 1);
    REQUIRE(foxglove.hear(R"({"op":"unsubscribe","subscriptionIds":[8]})"));
    CHECK(foxglove.show(0, state(3)).size() == 1);
}

TEST_CASE("what a Foxglove client says is checked, and a channel is subscribed to once") {
    Foxglove foxglove;
    static_cast<void>(foxglove.advertise(system_json));
    for (const char* rubbish :
         {"", "x", "[]", "{}", R"({"op":1})", R"({"op":"subscribe"})", R"({"op":"subscribe","subscriptions":{}})",
          R"({"op":"subscribe","subscriptions":[1]})",
          R"({"op":"subscribe","subscriptions":[{"id":-1,"channelId":1}]})",
          R"({"op":"subscribe","subscriptions":[{"id":1,"channelId":1e30}]})",
          R"({"op":"unsubscribe","subscriptionIds":["a"]})", R"({"op":"unsubscribe","subscriptionIds":1})"})
        CHECK_FALSE(foxglove.hear(rubbish));
    CHECK(foxglove.hear(R"({"op":"getParameters"})"));
    CHECK(foxglove.hear(R"({"op":"subscribe","subscriptions":[{"id":1,"channelId":99},{"id":1,"channelId":0}]})"));
    std::string many = R"({"op":"subscribe","subscriptions":[)";
    for (int i = 1; i < 1000; ++i) many += R"({"id":)" + std::to_string(i) + R"(,"channelId":1},)";
    many.back() = ']';
    REQUIRE(foxglove.hear(many + "}"));
    CHECK(foxglove.show(2, poses(1)).size() == 1);
}

TEST_CASE("what is no system.json is advertised as nothing") {
    Foxglove foxglove;
    CHECK_FALSE(foxglove.unadvertise());
    for (const char* text : {"", "[]", "{}", R"({"signals":[{}],"view":null})",
                             R"({"signals":[],"view":{"machines":[{"name":1,"links":[],"poses":0}]}})"})
        CHECK_FALSE(foxglove.advertise(text));
    REQUIRE(foxglove.advertise(R"({"signals":[{"name":"</script>","type":"real"}],"view":null})"));
    CHECK(foxglove.unadvertise());
}
