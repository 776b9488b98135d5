#include "interfaces/livox/commands.hpp"
#include "interfaces/livox/frame.hpp"
#include "tests/interfaces/livox/worked_frames.hpp"

#include <catch2/catch.hpp>

using namespace interfaces::livox;
namespace worked = tests::worked;

namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes made(Command command, FrameType type, std::uint16_t sequence, const Bytes& data) {
    return encode(command, type, sequence, data);
}
template <class Array>
Bytes bytes(const Array& array) {
    return {array.begin(), array.end()};
}

}  // namespace

TEST_CASE("the check values of both checksums are the maker's") {
    const std::string digits = "123456789";
    const Bytes data(digits.begin(), digits.end());
    CHECK(crc16(data) == 0xAB4E);
    CHECK(crc32(data) == 0xB08DB5B1);
}

TEST_CASE("frames are those of the maker's own packer, byte for byte") {
    using enum FrameType;
    const auto advert_data = encode(Advert{.code = "3GGDJ6K00200101", .type = DeviceType::mid_70});
    CHECK(made(Command::advert, message, 0, bytes(advert_data)) == worked::advert);
    const auto hands =
        encode(Handshake{.ip = 0x7F000001, .data_port = 56001, .command_port = 55501, .sensor_port = 56001});
    CHECK(made(Command::handshake, acknowledge, 2, bytes(hands)) == worked::handshake);
    CHECK(made(Command::handshake, acknowledge, 2, {0}) == worked::handshake_ack);
    CHECK(made(Command::heartbeat, command, 3, {}) == worked::heartbeat);
    CHECK(made(Command::heartbeat, acknowledge, 3, bytes(encode(HeartbeatAnswer{}))) == worked::heartbeat_ack);
    CHECK(made(Command::device_info, command, 4, {}) == worked::device_info);
    CHECK(made(Command::device_info, acknowledge, 4, {0, 3, 8, 0, 0}) == worked::device_info_ack);
    CHECK(made(Command::sampling, command, 5, {1}) == worked::start_sampling);
    CHECK(made(Command::sampling, acknowledge, 5, {0}) == worked::start_sampling_ack);
    CHECK(made(Command::sampling, command, 6, {0}) == worked::stop_sampling);
    CHECK(made(Command::coordinates, command, 7, {0}) == worked::cartesian);
    CHECK(made(Command::set_return_mode, command, 8, {0}) == worked::return_first);
    CHECK(made(Command::disconnect, command, 9, {}) == worked::disconnect);
    CHECK(made(Command::status, message, 0, {0, 0, 0, 0}) == worked::status);
}

TEST_CASE("a frame comes back from its bytes") {
    for (const Bytes& frame : worked::all) {
        std::span<const std::uint8_t> rest(frame);
        const auto found = next_frame(rest);
        REQUIRE(found.has_value());
        CHECK(rest.empty());
        CHECK(encode(*found) == frame);
    }
}

TEST_CASE("what the frames carry is read back") {
    const auto data = [](const Bytes& frame) {
        return std::span<const std::uint8_t>(frame).subspan(frame_data_at, frame.size() - frame_overhead);
    };
    const auto advert = parse_advert(data(worked::advert));
    REQUIRE(advert.has_value());
    CHECK(advert->code == "3GGDJ6K00200101");
    CHECK(advert->type == DeviceType::mid_70);
    const auto handshake = parse_handshake(data(worked::handshake));
    REQUIRE(handshake.has_value());
    CHECK(handshake->ip == 0x7F000001);
    CHECK(handshake->data_port == 56001);
    CHECK(handshake->command_port == 55501);
    CHECK(handshake->sensor_port == 56001);
    const auto heartbeat = parse_heartbeat_answer(data(worked::heartbeat_ack));
    REQUIRE(heartbeat.has_value());
    CHECK(heartbeat->state == State::normal);
    CHECK_FALSE(parse_advert(data(worked::handshake)).has_value());
    CHECK_FALSE(parse_handshake(data(worked::advert)).has_value());
}

TEST_CASE("frames are found behind one another, behind rubbish and before it") {
    Bytes stream{1, 2, 0xAA, 3};
    stream.insert(stream.end(), worked::heartbeat.begin(), worked::heartbeat.end());
    stream.insert(stream.end(), worked::device_info.begin(), worked::device_info.end());
    stream.push_back(0xAA);
    std::span<const std::uint8_t> rest(stream);
    CHECK(command_of(*next_frame(rest)) == Command::heartbeat);
    CHECK(command_of(*next_frame(rest)) == Command::device_info);
    CHECK_FALSE(next_frame(rest).has_value());
    CHECK(rest.empty());
}

TEST_CASE("a frame with any one byte changed or missing is none") {
    for (std::size_t at = 0; at < worked::handshake.size(); ++at) {
        Bytes changed = worked::handshake;
        changed[at] ^= 0x10U;
        std::span<const std::uint8_t> rest(changed);
        CHECK_FALSE(next_frame(rest).has_value());  // the checksum covers the version too
        std::span<const std::uint8_t> shorter(worked::handshake.data(), at);
        CHECK_FALSE(next_frame(shorter).has_value());
    }
}

TEST_CASE("broadcast codes are 15 letters and digits without nine zeros in a row") {
    CHECK(is_broadcast_code("3GGDJ6K00200101"));
    CHECK_FALSE(is_broadcast_code("3GGDJ6K0020010"));
    CHECK_FALSE(is_broadcast_code("3GGDJ6K002001011"));
    CHECK_FALSE(is_broadcast_code("3GGDJ6K0020010 "));
    CHECK_FALSE(is_broadcast_code("3GGDJ0000000001"));
}
