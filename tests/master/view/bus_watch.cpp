#include "master/view/traffic/bus_watch.hpp"

#include <catch2/catch.hpp>
#include <cstring>
#include <nlohmann/json.hpp>
#include <vector>

using namespace master;

TEST_CASE("the section of a bus that a page is told of is checked before it is believed") {
    view::BusCount count{.frames = 7, .bits = 800, .beyond = 0, .rows = 2};
    std::vector<view::BusRow> rows(2);
    rows[0] = {.id = 0x181, .extended = 0, .size = 2, .count = 5, .time = 0.25, .data = {0x0a, 0xff}};
    rows[1] = {.id = 0x18fef100, .extended = 1, .size = 0, .count = 2, .time = 0.5};
    const auto section = [&] {
        std::vector<std::byte> bytes(sizeof count + rows.size() * sizeof rows[0]);
        std::memcpy(bytes.data(), &count, sizeof count);
        std::memcpy(bytes.data() + sizeof count, rows.data(), rows.size() * sizeof rows[0]);
        return bytes;
    };
    const auto json = nlohmann::json::parse(view::bus_json(1, section()));
    CHECK(json["bus"] == 1);
    CHECK(json["frames"] == 7);
    REQUIRE(json["messages"].size() == 2);
    CHECK(json["messages"][0] ==
          nlohmann::json{{"id", 0x181}, {"extended", false}, {"count", 5}, {"t", 0.25}, {"data", "0aff"}});
    CHECK(json["messages"][1]["extended"] == true);

    CHECK(view::bus_json(0, {}).empty());
    count.rows = 3;
    CHECK(view::bus_json(0, section()).empty());
    count.rows = 2;
    rows[1].size = 65;
    CHECK(view::bus_json(0, section()).empty());
}
