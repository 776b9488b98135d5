#include "interfaces/foxglove/rows.hpp"

#include <catch2/catch.hpp>
#include <set>

using namespace interfaces::foxglove;

namespace {

std::vector<std::string> names_of(const Row& row) {
    std::vector<std::string> names;
    for (const RowField& field : row.fields) names.push_back(field.name);
    return names;
}

}  // namespace

TEST_CASE("the signals of a component are one message, the elements of an array one field") {
    const std::vector<Signal> signals{{"a.x"}, {"b.p[1,1]"}, {"a.y", Kind::boolean}, {"b.p[1,2]"}, {"b.p[2,1]"}, {"z"}};
    const std::vector<Row> rows = rows_of(signals);
    REQUIRE(rows.size() == 3);
    CHECK(rows[0].topic == "/a");
    CHECK(rows[0].message == "tandem.a");
    CHECK(rows[0].signals == std::vector<std::size_t>{0, 2});
    CHECK(names_of(rows[0]) == std::vector<std::string>{"x", "y"});
    CHECK(rows[0].fields[0].number == 2);
    REQUIRE(rows[1].fields.size() == 1);
    CHECK(rows[1].fields[0].array);
    CHECK(rows[1].fields[0].count == 3);
    CHECK(rows[1].signals == std::vector<std::size_t>{1, 3, 4});
    CHECK(rows[2].topic == "/signals");
}

TEST_CASE("fields are identifiers, none like another or like the time") {
    const std::vector<Signal> signals{{"a.time"}, {"a.boom.p"}, {"a.boom_p"},      {"a.boomP"},
                                      {"a.1"},    {"a."},       {"a.\xc3\xa4 <b>"}};
    const std::vector<Row> rows = rows_of(signals);
    REQUIRE(rows.size() == 1);
    const std::vector<std::string> names = names_of(rows[0]);
    CHECK(names == std::vector<std::string>{"time_n2", "boom_p", "boom_p_n2", "boomP_n3", "n1", "n", "____b_"});
}

TEST_CASE("numbers that Protocol Buffers keep for themselves are left out") {
    std::vector<Signal> signals;
    for (int i = 0; i < 21'000; ++i) signals.push_back({"a.x" + std::to_string(i)});
    const std::vector<Row> rows = rows_of(signals);
    std::set<std::uint32_t> numbers;
    for (const RowField& field : rows.front().fields) {
        numbers.insert(field.number);
        CHECK((field.number < 19'000 || field.number > 19'999));
    }
    CHECK(numbers.size() == signals.size());
}

TEST_CASE("components that differ only in characters have topics and messages of their own") {
    const std::vector<Signal> signals{{"a-b.x"}, {"a_b.x"}, {"x"}, {"signals.x"}};
    const std::vector<Row> rows = rows_of(signals);
    REQUIRE(rows.size() == 4);
    std::set<std::string> topics, messages;
    for (const Row& row : rows) {
        topics.insert(row.topic);
        messages.insert(row.message);
    }
    CHECK(topics.size() == 4);
    CHECK(messages.size() == 4);
}

TEST_CASE("bytes that are no cloud become no message") {
    Bytes out;
    CHECK_FALSE(put_cloud(out, 0, "lidar", {}));
    CHECK_FALSE(put_cloud(out, 0, "lidar", Bytes(40, 1)));
    CHECK(out.empty());
}
