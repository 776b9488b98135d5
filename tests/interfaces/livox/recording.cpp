#include "interfaces/livox/recording.hpp"

#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>

using namespace interfaces::livox;

namespace {

using Bytes = std::vector<std::uint8_t>;

const std::vector<RecordedDevice> devices{
    {.code = "3GGDJ6K00200101"},
    {.code = "3GGDJ6K00200201", .placed = true, .roll = 1, .pitch = 2, .yaw = 3, .x = 4, .y = 5, .z = 6}};

std::vector<Bytes> packets(int count) {
    PacketBuilder builder(DataType::cartesian_tag, ReturnMode::first);
    std::vector<Bytes> result;
    for (int i = 0; result.size() < static_cast<std::size_t>(count); ++i) {
        const auto packet =
            builder.add({.x = 5, .y = 0.001F * static_cast<float>(i), .time = 1'000 + i * point_interval});
        if (packet) result.emplace_back(packet->begin(), packet->end());
    }
    return result;
}

Bytes recorded(const std::vector<Bytes>& sent) {
    std::ostringstream out;
    LvxWriter writer(out, devices);
    for (std::size_t i = 0; i < sent.size(); ++i) REQUIRE(writer.add(static_cast<std::uint8_t>(i % 2), sent[i]));
    writer.finish();
    const std::string text = out.str();
    return {text.begin(), text.end()};
}

std::uint64_t number(const Bytes& bytes, std::size_t at) {
    return interfaces::point_cloud::take<std::uint64_t>(&bytes[at]);
}

}  // namespace

TEST_CASE("an .lvx file holds what was sent") {
    const auto sent = packets(300);
    const Bytes file = recorded(sent);
    auto reader = LvxReader::parse(file);
    REQUIRE(reader.has_value());
    REQUIRE(reader->devices().size() == 2);
    CHECK(reader->devices()[0].code == "3GGDJ6K00200101");
    CHECK_FALSE(reader->devices()[0].placed);
    CHECK(reader->devices()[1].type == DeviceType::mid_70);
    CHECK(reader->devices()[1].placed);
    CHECK(reader->devices()[1].yaw == 3);
    CHECK(reader->devices()[1].z == 6);
    for (std::size_t i = 0; i < sent.size(); ++i) {
        const auto packet = reader->next();
        REQUIRE(packet.has_value());
        CHECK(packet->device == i % 2);
        CHECK(Bytes(packet->bytes.begin(), packet->bytes.end()) == sent[i]);
    }
    CHECK_FALSE(reader->next().has_value());
    CHECK_FALSE(reader->damaged());
}

TEST_CASE("the layout is that of version 1.1: headers, devices, frames of 50 ms that name each other") {
    const Bytes file = recorded(packets(300));
    CHECK(std::string(file.begin(), file.begin() + 10) == "livox_tech");
    CHECK(Bytes(file.begin() + 10, file.begin() + 29) ==
          Bytes{0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0x67, 0xA7, 0x0E, 0xAC, 50, 0, 0, 0, 2});
    CHECK(file[29 + 32] == 0);
    CHECK(file[29 + 59 + 32] == 1);
    std::size_t at = 29 + 2 * 59, frames = 0;
    for (; at < file.size(); ++frames) {
        CHECK(number(file, at) == at);
        CHECK(number(file, at + 16) == frames);
        const auto next = number(file, at + 8);
        CHECK((next - at - 24) % (1 + 1362) == 0);
        if (next != file.size()) CHECK((next - at - 24) / (1 + 1362) == 53);  // 50 ms / 0.96 ms, begun ones too
        at = next;
    }
    CHECK(at == file.size());
    CHECK(frames == 6);
}

TEST_CASE("packets that no reader could delimit are not recorded") {
    std::ostringstream out;
    LvxWriter writer(out, devices);
    const Bytes packet = packets(1)[0];
    CHECK_FALSE(writer.add(2, packet));
    CHECK_FALSE(writer.add(0, std::span(packet).first(packet.size() - 1)));
    CHECK_FALSE(writer.add(0, {}));
    CHECK(writer.add(0, packet));
}

TEST_CASE("of a file that was cut off, the whole packets are read") {
    const auto sent = packets(100);
    const Bytes file = recorded(sent);
    std::size_t before = 0;
    for (std::size_t size = 29 + 2 * 59; size < file.size(); size += 997) {
        auto reader = LvxReader::parse(std::span(file).first(size));
        REQUIRE(reader.has_value());
        std::size_t count = 0;
        while (reader->next()) ++count;
        CHECK(count >= before);
        before = count;
        if (size > 29 + 2 * 59) CHECK(reader->damaged());
    }
    CHECK(before == sent.size() - 1);
    for (std::size_t size = 0; size < 29 + 2 * 59; ++size)
        CHECK_FALSE(LvxReader::parse(std::span(file).first(size)).has_value());
}

TEST_CASE("other files are no .lvx files") {
    const Bytes file = recorded(packets(3));
    for (const std::size_t at : {0U, 9U, 10U, 15U, 16U, 17U, 20U, 23U}) {
        Bytes changed = file;
        changed[at] ^= 1U;
        CHECK_FALSE(LvxReader::parse(changed).has_value());
    }
}

TEST_CASE("a .pcd file has a header and four floats per return") {
    std::ostringstream out;
    write_pcd(out, std::vector<Point>{{.x = 1, .y = 2, .z = 3, .intensity = 4}, {}, {.x = -1, .intensity = 255}});
    const std::string text = out.str();
    const std::size_t data = text.find("DATA binary\n") + 12;
    CHECK(text.find("FIELDS x y z intensity\nSIZE 4 4 4 4\nTYPE F F F F\nCOUNT 1 1 1 1\nWIDTH 2\nHEIGHT 1\n") !=
          std::string::npos);
    CHECK(text.find("POINTS 2\n") != std::string::npos);
    REQUIRE(text.size() == data + 32);
    float values[8];
    std::memcpy(values, &text[data], sizeof values);
    CHECK(std::vector<float>(values, values + 8) == std::vector<float>{1, 2, 3, 4, -1, 0, 0, 255});
}
