#include "interfaces/teleop/stream.hpp"

#include "tests/support/mutations.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <numbers>

using namespace interfaces::teleop;

namespace {

using Bytes = std::vector<std::uint8_t>;

const Header header{.session = 0x04030201, .sequence = 0x08070605, .time = 0x0E0D0C0B0A09 * 1000};

Pose some_pose() {
    Pose pose;
    pose.values = {0.1, -0.25, 3.14, -3.14, 1.2345, 0.5, 0.3, -0.01, 0.02};
    return pose;
}
Edge some_edge() {
    Edge edge;
    for (std::size_t i = 0; i < edge_size; ++i) edge.heights[i] = -3 + 0.013 * static_cast<double>(i);
    edge.heights[7] = std::nan("");
    return edge;
}
Command some_command() {
    return {.operator_id = 99, .held = true, .seen = 5'000'000, .levers = {1, -1, 0.5, -0.5, 0, 0.01, -0.01, 0.25}};
}

template <class Content>
Content round_trip(const Content& content, const Key* key = nullptr) {
    const auto packet = decode(encode({header, content}, key), key);
    REQUIRE(packet.has_value());
    CHECK(packet->header.session == header.session);
    CHECK(packet->header.sequence == header.sequence);
    CHECK(packet->header.time == header.time);
    const auto* found = std::get_if<Content>(&packet->content);
    REQUIRE(found != nullptr);
    return *found;
}

std::vector<Bytes> all_kinds(const Key* key) {
    return {encode({header, some_pose()}, key),        encode({header, some_edge()}, key),
            encode({header, Status{7, true, 3}}, key), encode({header, some_command()}, key),
            encode({header, Hello{1}}, key),           encode({header, Echo{1}}, key)};
}

}  // namespace

TEST_CASE("poses come back to a tenth of a millimetre or milliradian") {
    const Pose pose = some_pose(), got = round_trip(pose);
    for (std::size_t i = 0; i < pose_size; ++i) CHECK(std::abs(got.values[i] - pose.values[i]) <= 0.51e-4);
}

TEST_CASE("edges come back to a millimetre, and what was not seen stays so") {
    const Edge edge = some_edge(), got = round_trip(edge);
    for (std::size_t i = 0; i < edge_size; ++i) {
        if (i == 7) {
            CHECK(std::isnan(got.heights[i]));
        } else {
            CHECK(std::abs(got.heights[i] - edge.heights[i]) <= 0.51e-3);
        }
    }
}

TEST_CASE("angles are brought into one turn, lengths beyond the range stay at its end") {
    Pose pose;
    pose.values[5] = 1.0 + 6 * std::numbers::pi;
    pose.values[4] = 17;
    pose.values[6] = -17;
    pose.values[0] = std::nan("");
    const Pose got = round_trip(pose);
    CHECK(std::abs(got.values[5] - 1.0) < 1e-4);
    CHECK(got.values[4] == Approx(3.2767));
    CHECK(got.values[6] == Approx(-3.2767));
    CHECK(std::isnan(got.values[0]));
}

TEST_CASE("commands and status come back") {
    const Command command = some_command(), got = round_trip(command);
    CHECK(got.operator_id == 99);
    CHECK(got.held);
    CHECK_FALSE(got.released);
    CHECK(got.seen == 5'000'000);
    for (std::size_t i = 0; i < axis_count; ++i) CHECK(std::abs(got.levers[i] - command.levers[i]) < 2e-5);
    CHECK(got.levers[0] == 1.0);
    CHECK(got.levers[1] == -1.0);
    CHECK(got.levers[4] == 0.0);
    const Status status = round_trip(Status{.holder = 12, .may_move = true, .waiting = 0x81});
    CHECK(status.holder == 12);
    CHECK(status.may_move);
    CHECK(status.waiting == 0x81);
    CHECK(round_trip(Hello{42}).operator_id == 42);
    CHECK(round_trip(Echo{43}).operator_id == 43);
    // A lever that is no number is neutral.
    Command broken = command;
    broken.levers[2] = std::nan("");
    CHECK(round_trip(broken).levers[2] == 0.0);
}

TEST_CASE("the bytes stand where the layout says") {
    const Bytes bytes = encode({header, some_pose()}, nullptr);
    const Bytes head{0x54, 0x11, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 0xE8, 0x03, 0x3C, 0xF6};
    CHECK(std::equal(head.begin(), head.end(), bytes.begin()));
    CHECK(bytes.size() == 16 + 18);
    CHECK(encode({header, some_edge()}, nullptr).size() == 16 + 600);
}

TEST_CASE("the content is 55.2 kbit/s, the payload of UDP at most 65 kbit/s") {
    const std::size_t pose = encode({header, Pose{}}, nullptr).size(), edge = encode({header, Edge{}}, nullptr).size();
    const std::size_t status = encode({header, Status{}}, nullptr).size();
    const std::size_t echo = encode({header, Echo{1}}, nullptr).size();
    CHECK(8 * (50 * 2 * pose_size + 10 * 2 * edge_size) == 55'200);
    CHECK(8 * (50 * pose + 10 * edge + 2 * status + 2 * echo) <= 65'000);
    CHECK(1'000'000'000 / pose_period == 50);
    CHECK(1'000'000'000 / edge_period == 10);
    CHECK(1'000'000'000 / status_period == 2);
}

TEST_CASE("the signature is HMAC-SHA256 (RFC 4231, case 1)") {
    const Key key(std::string(20, '\x0b'));
    const std::string text = "Hi There";
    const auto tag = key.tag(Bytes(text.begin(), text.end()));
    CHECK(Bytes(tag.begin(), tag.end()) ==
          Bytes{0xb0, 0x34, 0x4c, 0x61, 0xd8, 0xdb, 0x38, 0x53, 0x5c, 0xa8, 0xaf, 0xce, 0xaf, 0x0b, 0xf1, 0x2b});
    CHECK_THROWS_WITH(Key("too short"), "teleoperation: a key of 9 bytes, expected at least 16");
}

TEST_CASE("with a key only what was signed with it is taken") {
    const Key key("a key that both ends have"), other("another key of somebody else");
    (void)round_trip(some_command(), &key);
    for (const Bytes& packet : all_kinds(&key)) {
        CHECK(decode(packet, &key).has_value());
        CHECK_FALSE(decode(packet, &other).has_value());
        CHECK_FALSE(decode(packet, nullptr).has_value());
        for (std::size_t at = 0; at < packet.size(); ++at) {
            Bytes changed = packet;
            changed[at] ^= 1U;
            CHECK_FALSE(decode(changed, &key).has_value());
        }
    }
    for (const Bytes& packet : all_kinds(nullptr)) CHECK_FALSE(decode(packet, &key).has_value());
}

TEST_CASE("other sizes, versions and kinds are refused") {
    for (const Bytes& packet : all_kinds(nullptr)) {
        for (std::size_t size = 0; size < packet.size(); ++size)
            CHECK_FALSE(decode(std::span(packet).first(size), nullptr).has_value());
        Bytes changed = packet;
        changed.push_back(0);
        CHECK_FALSE(decode(changed, nullptr).has_value());
        for (const std::uint8_t second : {0x01, 0x21, 0x10, 0x17, 0x1F}) {
            changed = packet;
            changed[1] = second;
            CHECK_FALSE(decode(changed, nullptr).has_value());
        }
    }
    CHECK_FALSE(decode(encode({header, Hello{0}}, nullptr), nullptr).has_value());
    CHECK_FALSE(decode(encode({header, Echo{0}}, nullptr), nullptr).has_value());
}

TEST_CASE("changed bytes never break the decoder, and what is taken is in range") {
    const Key key("a key that both ends have");
    const auto plain = all_kinds(nullptr), with_tag = all_kinds(&key);
    std::size_t accepted = 0, forged = 0;
    tests::fuzz(plain, 100'000, [&](auto changed) {
        const auto packet = decode(changed, nullptr);
        if (packet) ++accepted;
        if (const auto* command = packet ? std::get_if<Command>(&packet->content) : nullptr) {
            for (const double lever : command->levers) REQUIRE(std::abs(lever) <= 1);
        }
    });
    tests::fuzz(with_tag, 10'000, [&](auto changed) {
        const auto is_changed = [&](const Bytes& original) { return !std::ranges::equal(original, changed); };
        if (std::ranges::all_of(with_tag, is_changed) && decode(changed, &key)) ++forged;
    });
    CHECK(accepted > 10'000);
    CHECK(forged == 0);
}
