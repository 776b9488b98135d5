#include "interfaces/protobuf/wire.hpp"

#include <catch2/catch.hpp>
#include <random>

using namespace interfaces::protobuf;

TEST_CASE("fields are the bytes that the encoding guide of Protocol Buffers shows") {
    Bytes bytes;
    Writer out(bytes);
    out.varint(1, 150);
    CHECK(bytes == Bytes{0x08, 0x96, 0x01});
    bytes.clear();
    out.text(2, "testing");
    CHECK(bytes == Bytes{0x12, 0x07, 0x74, 0x65, 0x73, 0x74, 0x69, 0x6e, 0x67});
    bytes.clear();
    out.message(3, [](Writer& inner) { inner.varint(1, 150); });
    CHECK(bytes == Bytes{0x1a, 0x03, 0x08, 0x96, 0x01});
}

TEST_CASE("messages in messages of any size are read back") {
    for (const std::size_t size : {0U, 100U, 126U, 127U, 128U, 129U, 16'380U, 16'384U, 300'000U}) {
        const std::string text(size, 'x');
        Bytes bytes;
        Writer out(bytes);
        out.message(7, [&](Writer& inner) { inner.text(1, text); });
        out.number(20, -0.5);
        Reader reader(bytes);
        const auto outer = reader.next();
        REQUIRE((outer && outer->number == 7 && outer->type == WireType::sized));
        const auto inner = Reader(outer->content).next();
        REQUIRE((inner && inner->number == 1));
        CHECK(std::string(inner->content.begin(), inner->content.end()) == text);
        const auto number = reader.next();
        REQUIRE((number && number->number == 20));
        CHECK(std::bit_cast<double>(number->bits) == -0.5);
        CHECK_FALSE(reader.next());
    }
}

TEST_CASE("bytes that are no message end the reading, whatever they are") {
    CHECK_FALSE(Reader(Bytes{0x00}).next());              // field 0
    CHECK_FALSE(Reader(Bytes{0x09, 1, 2, 3}).next());     // fixed64 that is too short
    CHECK_FALSE(Reader(Bytes{0x0a, 0x05, 1, 2}).next());  // longer than what is there
    CHECK_FALSE(Reader(Bytes{0x0b}).next());              // a group
    CHECK_FALSE(Reader(Bytes(20, 0xff)).next());
    std::mt19937 random(1);
    for (int i = 0; i < 20'000; ++i) {
        Bytes bytes(random() % 40);
        for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
        Reader reader(bytes);
        int fields = 0;
        while (reader.next()) ++fields;
        CHECK(fields <= 40);
    }
}
