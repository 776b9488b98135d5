#include "interfaces/canopen/types.hpp"

#include "interfaces/canopen/dictionary.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

using namespace interfaces::canopen;

TEST_CASE("a physical value becomes the nearest number of its type and is held at its ends") {
    CHECK(raw_of(Type::integer16, 1.5) == 2);
    CHECK(raw_of(Type::integer16, -1.0) == 0xFFFF);
    CHECK(raw_of(Type::integer16, 40000) == 0x7FFF);
    CHECK(raw_of(Type::integer16, -40000) == 0x8000);
    CHECK(raw_of(Type::unsigned8, -3) == 0);
    CHECK(raw_of(Type::unsigned8, 300) == 255);
    CHECK(raw_of(Type::unsigned64, 1e30) == std::numeric_limits<std::uint64_t>::max());
    CHECK(raw_of(Type::integer64, 1e30) == 0x7FFFFFFFFFFFFFFF);
    CHECK(raw_of(Type::integer64, -1e30) == 0x8000000000000000);
    CHECK(raw_of(Type::integer32, std::nan("")) == 0);
    CHECK(raw_of(Type::boolean, 7) == 1);
}

TEST_CASE("numbers of every width come back, negative ones as well") {
    for (const Type type : {Type::integer8, Type::integer16, Type::integer24, Type::integer32, Type::integer40,
                            Type::integer48, Type::integer56, Type::integer64, Type::real32, Type::real64}) {
        CAPTURE(static_cast<int>(type));
        CHECK(value_of(type, raw_of(type, -100)) == -100);
        CHECK(below(type, raw_of(type, -100), raw_of(type, 3)));
    }
    for (const Type type : {Type::unsigned8, Type::unsigned16, Type::unsigned24, Type::unsigned32, Type::unsigned40,
                            Type::unsigned48, Type::unsigned56, Type::unsigned64, Type::time_of_day}) {
        CAPTURE(static_cast<int>(type));
        CHECK(value_of(type, raw_of(type, 100)) == 100);
    }
}

TEST_CASE("codes of data types that CiA 301 does not have are refused") {
    for (const std::uint64_t code : {0x00ull, 0x0Eull, 0x17ull, 0x1Cull, 0x20ull, 0x100000007ull})
        CHECK(!type_of(code));
    CHECK(type_of(0x16) == Type::unsigned24);
}

TEST_CASE("numbers are little-endian") {
    std::array<std::uint8_t, 3> bytes{};
    store(bytes, 0x123456);
    CHECK(bytes == std::array<std::uint8_t, 3>{0x56, 0x34, 0x12});
    CHECK(load(bytes) == 0x123456);
}

TEST_CASE("of entries with one key the first is kept, and strings keep their length") {
    Dictionary dictionary({{0x2000, "a", ObjectKind::variable}},
                          {{.key = {0x2000, 0}, .name = "text", .type = Type::visible_string, .initial_text = "abc"},
                           {.key = {0x2000, 0}, .name = "again", .type = Type::unsigned8},
                           {.key = {0x1000, 0}, .name = "type", .adds_node_id = true, .initial = 0x180}});
    REQUIRE(dictionary.entries().size() == 2);
    const Image image = dictionary.factory(7);
    CHECK(number(image, *dictionary.find({0x1000, 0})) == 0x187);
    CHECK(value(image, *dictionary.find({0x2000, 0})).size() == 3);
    CHECK(dictionary.find({0x2000, 1}) == nullptr);
    CHECK(dictionary.number_or(image, {0x2000, 0}, 9) == 9);
}
