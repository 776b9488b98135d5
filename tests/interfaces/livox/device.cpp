#include "interfaces/livox/device.hpp"

#include "tests/interfaces/livox/worked_frames.hpp"
#include "tests/support/milliseconds.hpp"

#include <catch2/catch.hpp>

using namespace interfaces::livox;
using namespace std::string_literals;
namespace worked = tests::worked;

namespace {

using Bytes = std::vector<std::uint8_t>;
using tests::ms;
constexpr Address client_address{0x7F000001, 55501};

/// A device under a clock that the test turns.
struct Setup {
    Device device{DeviceSettings{}};
    std::int64_t now = 5'000 * ms;

    Device::Outbox receive(const Bytes& bytes, const Address& from = client_address) {
        Device::Outbox out;
        device.receive(bytes, from, now, out);
        return out;
    }
    Device::Outbox tick(std::int64_t pause = 0) {
        now += pause;
        Device::Outbox out;
        device.tick(now, out);
        return out;
    }
    /// The data of the answer to a command.
    Bytes ask(Command command, const Bytes& data = {}, std::uint16_t sequence = 77) {
        const auto out = receive(encode(command, FrameType::command, sequence, data));
        REQUIRE(out.size() == 1);
        CHECK(out[0].to == client_address);
        std::span<const std::uint8_t> bytes(out[0].bytes);
        const auto frame = next_frame(bytes);
        REQUIRE(frame.has_value());
        CHECK(frame->type == FrameType::acknowledge);
        CHECK(frame->sequence == sequence);
        CHECK(command_of(*frame) == command);
        return {frame->data.begin(), frame->data.end()};
    }
    void connect() { REQUIRE(receive(worked::handshake).size() == 1); }
};

Command kind(const Datagram& datagram) {
    std::span<const std::uint8_t> bytes(datagram.bytes);
    return command_of(*next_frame(bytes));
}

}  // namespace

TEST_CASE("a device advertises once a second to the discovery port") {
    Setup setup;
    const auto first = setup.tick();
    REQUIRE(first.size() == 1);
    CHECK(first[0].to == Address{0x7F000001, 55000});
    CHECK(first[0].bytes == worked::advert);
    CHECK(setup.device.next_tick() == setup.now + 1000 * ms);
    CHECK(setup.tick(999 * ms).empty());
    CHECK(setup.tick(1 * ms).size() == 1);
}

TEST_CASE("the whole conversation of a client, byte for byte") {
    Setup setup;
    const auto answered = [&](const Bytes& frame) { return setup.receive(frame).at(0); };
    CHECK(answered(worked::handshake).bytes == worked::handshake_ack);
    CHECK(answered(worked::heartbeat).bytes == worked::heartbeat_ack);
    CHECK(answered(worked::device_info).bytes == worked::device_info_ack);
    CHECK_FALSE(setup.device.stream().has_value());
    CHECK(answered(worked::start_sampling).bytes == worked::start_sampling_ack);
    CHECK(setup.device.stream() == Stream{.to = {0x7F000001, 56001}, .type = DataType::cartesian_tag});
    CHECK(setup.receive(worked::stop_sampling).size() == 1);
    CHECK_FALSE(setup.device.stream().has_value());
    CHECK(setup.receive(worked::disconnect).size() == 1);
    CHECK_FALSE(setup.device.connected());
    CHECK(setup.tick().size() == 1);  // and advertises at once
}

TEST_CASE("the handshake is answered where it came from, whatever its type") {
    Setup setup;
    Bytes data(worked::handshake.begin() + frame_data_at, worked::handshake.end() - 4);
    const Address odd{0x7F000001, 40404};
    for (const auto type : {FrameType::command, FrameType::acknowledge}) {
        const auto out = setup.receive(encode(Command::handshake, type, 2, data), odd);
        REQUIRE(out.size() == 1);
        CHECK(out[0].to == odd);
        CHECK(out[0].bytes == worked::handshake_ack);
    }
}

TEST_CASE("no adverts while connected, but status messages") {
    Setup setup;
    setup.connect();
    int status = 0;
    for (int i = 0; i < 20; ++i) {
        for (const Datagram& datagram : setup.tick(100 * ms)) {
            CHECK(kind(datagram) == Command::status);
            CHECK(datagram.to == client_address);
            ++status;
        }
    }
    CHECK(status == 20);
}

TEST_CASE("without a session nothing but the handshake is answered") {
    Setup setup;
    for (const Bytes& frame : worked::all) {
        if (frame != worked::handshake && frame != worked::handshake_ack) CHECK(setup.receive(frame).empty());
    }
    setup.connect();
    (void)setup.receive(worked::disconnect);
    CHECK(setup.receive(worked::heartbeat).empty());
}

TEST_CASE("a session ends when heartbeats stay away for three seconds") {
    Setup setup;
    setup.connect();
    (void)setup.ask(Command::sampling, {1});
    for (int i = 0; i < 5; ++i) {
        (void)setup.tick(2900 * ms);
        CHECK(setup.device.connected());
        (void)setup.receive(worked::heartbeat);
    }
    (void)setup.ask(Command::device_info);
    CHECK(setup.device.next_tick() <= setup.now + 3000 * ms);
    (void)setup.tick(2999 * ms);
    CHECK(setup.device.stream().has_value());
    (void)setup.ask(Command::device_info);  // other commands do not count
    const auto out = setup.tick(1 * ms);
    CHECK_FALSE(setup.device.connected());
    CHECK_FALSE(setup.device.stream().has_value());
    REQUIRE(out.size() == 1);
    CHECK(kind(out[0]) == Command::advert);
    CHECK(setup.receive(worked::heartbeat).empty());
    setup.connect();
    CHECK_FALSE(setup.device.stream().has_value());  // sampling begins off
}

TEST_CASE("a second host is refused, the same host begins anew with its new ports") {
    Setup setup;
    setup.connect();
    (void)setup.ask(Command::sampling, {1});
    const Address stranger{0x7F000005, 55501};
    const auto theirs =
        encode(Handshake{.ip = stranger.ip, .data_port = 1000, .command_port = 55501, .sensor_port = 1000});
    auto out = setup.receive(encode(Command::handshake, FrameType::acknowledge, 1, theirs), stranger);
    REQUIRE(out.size() == 1);
    CHECK(out[0].bytes[frame_data_at] != 0);
    CHECK(setup.receive(worked::stop_sampling, stranger).empty());
    CHECK(setup.device.stream()->to.ip == client_address.ip);
    const auto again =
        encode(Handshake{.ip = client_address.ip, .data_port = 56002, .command_port = 55502, .sensor_port = 56002});
    out = setup.receive(encode(Command::handshake, FrameType::acknowledge, 1, again));
    CHECK(out.at(0).bytes[frame_data_at] == 0);
    CHECK_FALSE(setup.device.stream().has_value());
    (void)setup.ask(Command::sampling, {1});
    CHECK(setup.device.stream()->to == Address{client_address.ip, 56002});
}

TEST_CASE("points are never sent to somebody who did not ask for them") {
    Setup setup;
    const auto victim = encode(Handshake{.ip = 0x0A000001, .data_port = 53, .command_port = 55501, .sensor_port = 53});
    const auto out = setup.receive(encode(Command::handshake, FrameType::acknowledge, 1, victim));
    CHECK(out.at(0).bytes[frame_data_at] != 0);
    CHECK_FALSE(setup.device.connected());
}

TEST_CASE("every command of the protocol is answered with its length") {
    struct Case {
        Command command;
        Bytes request;
        std::size_t answer;
        bool supported;
    };
    const Bytes ip{1, 127, 0, 0, 2, 255, 0, 0, 0, 127, 0, 0, 1};
    const Case cases[] = {
        {Command::device_info, {}, 5, true},
        {Command::heartbeat, {}, 7, true},
        {Command::sampling, {1}, 1, true},
        {Command::sampling, {2}, 1, false},
        {Command::sampling, {}, 1, false},
        {Command::coordinates, {1}, 1, true},
        {Command::coordinates, {2}, 1, false},
        {Command::set_ip, ip, 1, true},
        {Command::set_ip, {1, 10, 0, 0, 2, 255, 0, 0, 0, 127, 0, 0, 1}, 1, false},
        {Command::get_ip, {}, 14, true},
        {Command::get_ip, {1}, 14, false},
        {Command::set_parameter, {3, 0, 1, 0, 5}, 4, true},
        {Command::set_parameter, {1, 0, 1, 0, 5}, 4, false},
        {Command::set_parameter, {3, 0, 2, 0, 5}, 4, false},
        {Command::set_parameter, {}, 4, false},
        {Command::get_parameter, {1, 3, 0}, 9, true},
        {Command::get_parameter, {1, 2, 0}, 4, false},
        {Command::get_parameter, {2, 3, 0, 3, 0}, 4, false},
        {Command::reset_parameters, {0, 0}, 4, true},
        {Command::reset_parameters, {1, 1, 3, 0}, 4, true},
        {Command::reset_parameters, {1, 200, 3, 0}, 4, false},
        {Command::mode, {1}, 1, true},
        {Command::mode, {0}, 1, false},
        {Command::mode, {4}, 1, false},
        {Command::set_extrinsics, Bytes(24, 1), 1, true},
        {Command::set_extrinsics, Bytes(23, 1), 1, false},
        {Command::get_extrinsics, {}, 25, true},
        {Command::rain_fog, {1}, 1, false},
        {Command::set_fan, {1}, 1, false},
        {Command::get_fan, {}, 2, false},
        {Command::set_return_mode, {2}, 1, true},
        {Command::set_return_mode, {3}, 1, false},
        {Command::get_return_mode, {}, 2, true},
        {Command::set_imu_rate, {1}, 1, false},
        {Command::get_imu_rate, {}, 2, false},
        {Command::set_utc, Bytes(8, 1), 1, false},
        {static_cast<Command>(0x0055), {}, 1, false},
        {static_cast<Command>(0x0200), {1, 2}, 1, false},
        {Command::disconnect, {1}, 1, false},
        {Command::reboot, {0, 0}, 1, true},
        {Command::disconnect, {}, 1, true},
    };
    Setup setup;
    setup.connect();
    for (const Case& c : cases) {
        INFO("command " << static_cast<int>(c.command) << " with " << c.request.size() << " bytes");
        const Bytes answer = setup.ask(c.command, c.request);
        REQUIRE(answer.size() == c.answer);
        CHECK((answer[0] == 0) == c.supported);
    }
}

TEST_CASE("what was set is what is read") {
    Setup setup;
    setup.connect();
    (void)setup.ask(Command::set_return_mode, {2});
    CHECK(setup.ask(Command::get_return_mode) == Bytes{0, 2});
    (void)setup.ask(Command::coordinates, {1});
    (void)setup.ask(Command::sampling, {1});
    CHECK(setup.device.stream()->type == DataType::dual_spherical);
    Bytes place{0, 0, 0x80, 0x3f, 0, 0, 0, 0x40, 0, 0, 0x40, 0x40, 1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 3, 0, 0, 0};
    (void)setup.ask(Command::set_extrinsics, place);
    CHECK(setup.device.extrinsics().pitch == 2);
    CHECK(setup.device.extrinsics().y == -1);
    place.insert(place.begin(), 0);
    CHECK(setup.ask(Command::get_extrinsics) == place);
    CHECK(setup.ask(Command::get_ip) == Bytes{0, 1, 127, 0, 0, 2, 255, 0, 0, 0, 127, 0, 0, 1});
    (void)setup.ask(Command::set_parameter, {3, 0, 1, 0, 7});
    CHECK(setup.ask(Command::get_parameter, {1, 3, 0}) == Bytes{0, 0, 0, 0, 3, 0, 1, 0, 7});
    CHECK(setup.device.stream()->slot == 7);
    (void)setup.ask(Command::reset_parameters, {0, 0});
    CHECK(setup.ask(Command::get_parameter, {1, 3, 0}) == Bytes{0, 0, 0, 0, 3, 0, 1, 0, 1});
    CHECK(setup.ask(Command::get_parameter, {1, 2, 0}) == Bytes{1, 2, 0, 1});
}

TEST_CASE("a device that saves power or stands by sends no points and says so") {
    Setup setup;
    setup.connect();
    (void)setup.ask(Command::sampling, {1});
    for (const std::uint8_t mode : {2, 3}) {
        (void)setup.ask(Command::mode, {mode});
        CHECK(setup.ask(Command::heartbeat)[1] == mode);
        CHECK_FALSE(setup.device.stream().has_value());
        CHECK(setup.ask(Command::sampling, {1})[0] != 0);
    }
    (void)setup.ask(Command::mode, {1});
    CHECK(setup.ask(Command::heartbeat)[1] == 1);
    CHECK(setup.device.stream().has_value());
}

TEST_CASE("a reboot ends the session after its delay, and the device is silent for a while") {
    Setup setup;
    setup.connect();
    CHECK(setup.ask(Command::reboot, {0xE8, 0x03})[0] == 0);
    (void)setup.tick(999 * ms);
    CHECK(setup.device.connected());
    CHECK(setup.tick(1 * ms).empty());
    CHECK_FALSE(setup.device.connected());
    CHECK(setup.receive(worked::heartbeat).empty());
    CHECK(setup.tick(1000 * ms).size() == 1);
}

TEST_CASE("acknowledges and messages of others are not commands") {
    Setup setup;
    setup.connect();
    CHECK(setup.receive(worked::heartbeat_ack).empty());
    CHECK(setup.receive(worked::advert).empty());
}

TEST_CASE("a broadcast code that clients would not take is refused by name") {
    CHECK_THROWS_WITH(Device(DeviceSettings{.code = "short"}),
                      "livox: broadcast code 'short', expected 15 letters and digits without nine zeros in a row");
}

TEST_CASE("old firmware has neither tags nor a second return") {
    Setup setup{.device = Device(DeviceSettings{.tagged = false})};
    setup.connect();
    CHECK(setup.ask(Command::set_return_mode, {2})[0] != 0);
    (void)setup.ask(Command::sampling, {1});
    CHECK(setup.device.stream()->type == DataType::cartesian);
}
