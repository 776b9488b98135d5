#include "tests/interfaces/livox/decoders.hpp"
#include "tests/interfaces/livox/worked_frames.hpp"
#include "tests/support/mutate.hpp"

#include <catch2/catch.hpp>
#include <sstream>

using namespace interfaces::livox;

namespace {

using Bytes = std::vector<std::uint8_t>;

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
    std::mt19937 random(18);
    std::size_t accepted = 0;
    for (int round = 0; round < 100'000; ++round) {
        const Bytes& original = tests::worked::all[static_cast<std::size_t>(round) % tests::worked::all.size()];
        accepted += tests::decoders::frames(tests::mutated(original, random));
    }
    CHECK(accepted > 1000);

    accepted = 0;
    const Bytes commands = all_commands();
    for (int round = 0; round < 1'000; ++round) accepted += tests::decoders::commands(tests::mutated(commands, random));
    CHECK(accepted > 10'000);

    accepted = 0;
    for (int round = 0; round < 20'000; ++round) {
        const Bytes packet = full_packet(static_cast<DataType>(round % 6));
        accepted += tests::decoders::packet(tests::mutated(std::span(packet).first(18 + 200), random));
    }
    CHECK(accepted > 10'000);

    accepted = 0;
    const Bytes file = lvx_file();
    for (int round = 0; round < 5'000; ++round) accepted += tests::decoders::lvx(tests::mutated(file, random));
    CHECK(accepted > 10'000);
}
