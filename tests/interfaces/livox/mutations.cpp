#include "tests/support/mutations.hpp"

#include "tests/interfaces/livox/decoders.hpp"
#include "tests/interfaces/livox/worked_frames.hpp"

#include <catch2/catch.hpp>
#include <sstream>

using namespace interfaces::livox;

namespace {

using tests::Bytes;

Bytes full_packet(DataType type) {
    PacketBuilder builder(type, ReturnMode::dual);
    for (int i = 0;; ++i) {
        if (const auto packet = builder.add({.x = 5, .time = i * point_interval}))
            return {packet->begin(), packet->end()};
    }
}

Bytes lvx_file() {
    std::ostringstream out;
    {
        const std::vector<RecordedDevice> devices(2);
        LvxWriter writer(out, devices);
        for (int type = 0; type < 6; ++type) (void)writer.add(0, full_packet(static_cast<DataType>(type)));
    }
    const std::string text = out.str();
    return {text.begin(), text.end()};
}

Bytes all_commands() {
    Bytes bytes;
    for (const std::uint8_t set : {0, 1}) {
        for (std::uint8_t id = 2; id < 14; ++id) {
            bytes.insert(bytes.end(), {id, set, 5, 3, 0, 1, 0, 1});
            bytes.insert(bytes.end(), {id, set, 1, 1});
        }
    }
    return bytes;
}

}  // namespace

TEST_CASE("changed bytes never break a decoder, and enough of them are taken to see its inside") {
    std::size_t accepted = 0;
    tests::fuzz(tests::worked::all, 100'000, [&](auto bytes) { accepted += tests::decoders::frames(bytes); });
    CHECK(accepted > 1000);

    accepted = 0;
    tests::fuzz(std::vector<Bytes>{all_commands()}, 1'000,
                [&](auto bytes) { accepted += tests::decoders::commands(bytes); });
    CHECK(accepted > 10'000);

    accepted = 0;
    std::vector<Bytes> packets;
    for (int type = 0; type < 6; ++type) {
        packets.push_back(full_packet(static_cast<DataType>(type)));
        packets.back().resize(18 + 200);
    }
    tests::fuzz(packets, 20'000, [&](auto bytes) { accepted += tests::decoders::packet(bytes); });
    CHECK(accepted > 10'000);

    accepted = 0;
    tests::fuzz(std::vector<Bytes>{lvx_file()}, 5'000, [&](auto bytes) { accepted += tests::decoders::lvx(bytes); });
    CHECK(accepted > 10'000);
}
