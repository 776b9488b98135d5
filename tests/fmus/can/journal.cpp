#include "fmus/can/can_bridge/journal.hpp"

#include "fmus/can/can_bridge/outside.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <unistd.h>

using namespace fmus::can;
using interfaces::can::BusState;
using interfaces::can::Endpoint;
using interfaces::can::Received;

namespace {

Received received(std::uint32_t id, bool own) {
    Received result{.frame = {.id = id, .size = 2}, .nanoseconds = 1'700'000'000'123'456'000, .own = own};
    result.frame.data[0] = 0xAB;
    return result;
}

std::string line_of(Nanoseconds point, const Arrival& arrival) {
    std::string line;
    append_journal(point, arrival, line);
    REQUIRE(line.ends_with('\n'));
    line.pop_back();
    return line;
}

std::string file_with(const std::string& text) {
    std::string path = (std::filesystem::temp_directory_path() / "tandem-journal-XXXXXX").string();
    const int file = ::mkstemp(path.data());
    REQUIRE(file >= 0);
    ::close(file);
    std::ofstream(path) << text;
    return path;
}

}  // namespace

TEST_CASE("a journal gives back what was written, to the nanosecond of the point") {
    for (const bool own : {false, true}) {
        const auto entry = read_journal(line_of(308'001, received(0x181, own)));
        REQUIRE(entry);
        CHECK(entry->point == 308'001);
        CHECK(std::get<Received>(entry->arrival) == received(0x181, own));
    }
    const auto refused = read_journal(line_of(7, Refused{received(0x702, false).frame}));
    REQUIRE(refused);
    CHECK(std::get<Refused>(refused->arrival).frame == received(0x702, false).frame);
    Endpoint::Report report{.state = BusState::down, .refused = 3, .lost = 2, .malformed = 1};
    const std::string problem = "can0: the interface has gone";
    std::copy(problem.begin(), problem.end(), report.problem.begin());
    const auto entry = read_journal(line_of(-5, report));
    REQUIRE(entry);
    CHECK(entry->point == -5);
    CHECK(std::get<Endpoint::Report>(entry->arrival) == report);
    const auto calm = read_journal(line_of(0, Endpoint::Report{}));
    REQUIRE(calm);
    CHECK(std::get<Endpoint::Report>(calm->arrival) == Endpoint::Report{});
}

TEST_CASE("what is no line of a journal is not believed") {
    for (const char* line : {"", "x", "1", "1 ", "1 report", "1 report 9 0 0 0 ", "1 report 0 0 0", "1 report 0 0 0 x ",
                             "1 (1.0) out 181#00", "1 (1.0) in 181#0", "1 (1.0) in", "x (1.0) in 181#00"}) {
        INFO(line);
        CHECK_FALSE(read_journal(line));
    }
    CHECK_FALSE(read_journal("1 report 0 0 0 0 " + std::string(200, 'x')));
}

TEST_CASE("a replay gives everything at its point and says where a line is wrong") {
    const std::string good = file_with("# head\n" + line_of(10, received(1, false)) + '\n' +
                                       line_of(10, received(2, true)) + '\n' + line_of(20, received(3, false)) + '\n');
    const auto replay = replay_outside(good);
    CHECK_FALSE(replay->next(9));
    CHECK(std::get<Received>(*replay->next(10)).frame.id == 1);
    CHECK(std::get<Received>(*replay->next(10)).own);
    CHECK_FALSE(replay->next(10));
    CHECK(std::get<Received>(*replay->next(20)).frame.id == 3);
    CHECK_FALSE(replay->next(1000));
    std::filesystem::remove(good);

    const std::string bad = file_with("# head\nnonsense\n");
    CHECK_THROWS_WITH(replay_outside(bad), Catch::Contains(bad + ":2: 'nonsense' is no line of a journal"));
    std::filesystem::remove(bad);
    CHECK_THROWS_WITH(replay_outside("/nowhere"), Catch::Contains("cannot read the journal '/nowhere'"));
    CHECK_THROWS_WITH(open_outside("slcan-pty:", {}, "/nowhere/journal"), Catch::Contains("cannot write the journal"));
}
