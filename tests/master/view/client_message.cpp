#include "master/view/client_message.hpp"

#include <catch2/catch.hpp>
#include <string>

using namespace master::view;
using Do = ClientMessage::Do;

TEST_CASE("messages of the protocol are understood") {
    CHECK(parse_client_message(R"({"do":"pause"})")->what == Do::pause);
    CHECK(parse_client_message(R"({"do":"step"})")->number == 1);
    CHECK(parse_client_message(R"({"do":"step","n":20})")->number == 20);
    const auto set = parse_client_message(R"({"do":"set","signal":3,"value":-0.5})");
    REQUIRE(set);
    CHECK(set->number == 3);
    CHECK(set->value == -0.5);
    const auto levers = parse_client_message(R"({"do":"levers","alive":true,"values":[0,-1,0.5]})");
    REQUIRE(levers);
    CHECK(levers->alive);
    CHECK(levers->levers == std::vector{0.0, -1.0, 0.5});
}

TEST_CASE("everything else is none") {
    for (const char* text : {"",
                             "null",
                             "[]",
                             "{}",
                             R"({"do":"fly"})",
                             R"({"do":["pause"]})",
                             R"({"do":"set","signal":3})",
                             R"({"do":"set","signal":1.5,"value":0})",
                             R"({"do":"set","signal":-1,"value":0})",
                             R"({"do":"set","signal":3,"value":"1"})",
                             R"({"do":"set","signal":3,"value":1e400})",
                             R"({"do":"step","n":0})",
                             R"({"do":"step","n":1000001})",
                             R"({"do":"speed","factor":-1})",
                             R"({"do":"levers","alive":1,"values":[]})",
                             R"({"do":"levers","alive":true,"values":[2]})",
                             R"({"do":"levers","alive":true,"values":[null]})",
                             R"({"do":"give","to":0})",
                             "{\"do\":\"pause\"} x",
                             "\xff\xfe"})
        CHECK_FALSE(parse_client_message(text));
    CHECK_FALSE(parse_client_message(R"({"do":"pause","x":")" + std::string(5000, 'y') + "\"}"));
    CHECK_FALSE(parse_client_message(std::string(4096, '[')));
    CHECK_FALSE(parse_client_message(R"({"do":"levers","alive":true,"values":[)" + std::string(200, ' ') + [] {
        std::string many = "0";
        for (int i = 0; i < 64; ++i) many += ",0";
        return many;
    }() + "]}"));
}
