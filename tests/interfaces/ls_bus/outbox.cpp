#include "interfaces/ls_bus/outbox.hpp"

#include <catch2/catch.hpp>

using namespace interfaces::ls_bus;

namespace {

Transmit numbered(std::uint32_t number) {
    Transmit transmit;
    transmit.frame.id = number;
    transmit.frame.size = 8;
    return transmit;
}

std::vector<std::uint32_t> numbers(View bytes) {
    std::vector<std::uint32_t> result;
    Reader reader(bytes);
    while (const auto piece = reader.next()) {
        const auto operation = decode(*piece);
        REQUIRE(operation);
        result.push_back(std::get<Transmit>(*operation).frame.id);
    }
    return result;
}

}  // namespace

TEST_CASE("operations go out in order, as many per tick as a binary value holds") {
    Outbox box;
    CHECK(box.empty());
    for (std::uint32_t i = 0; i < 200; ++i) box.put(numbered(i));  // 24 bytes each
    std::vector<std::uint32_t> all;
    int ticks = 0;
    for (; !box.empty(); ++ticks) {
        CHECK(box.data.size() <= most_bytes);
        for (const std::uint32_t number : numbers(box.data)) all.push_back(number);
        box.handed_over();
    }
    CHECK(ticks == 3);
    REQUIRE(all.size() == 200);
    for (std::uint32_t i = 0; i < 200; ++i) CHECK(all[i] == i);
    CHECK(box.dropped() == 0);
}

TEST_CASE("what nobody takes is dropped in the end, and counted") {
    Outbox box;
    constexpr std::uint32_t count = 10'000;
    for (std::uint32_t i = 0; i < count; ++i) box.put(numbered(i % 0x800));
    std::size_t taken = 0;
    for (; !box.empty(); box.handed_over()) taken += numbers(box.data).size();
    CHECK(taken <= (Outbox::most_waiting + most_bytes) / 24);
    CHECK(taken + box.dropped() == count);
}
