#include "master/results/table.hpp"

#include "master/base/error.hpp"
#include "tests/support/scratch.hpp"

#include <catch2/catch.hpp>
#include <cmath>

using namespace master;

namespace {

std::string failure(const std::string& text) {
    try {
        (void)results::parse_csv(text, "in.csv");
    } catch (const base::Error& error) {
        return error.where() + ": " + error.what();
    }
    return "";
}

const std::vector<double>& reals(const results::Table& table, std::size_t column) {
    return std::get<std::vector<double>>(table.columns[column].values);
}

}  // namespace

TEST_CASE("quotes, spaces, a byte order mark, CRLF, comments and empty lines are tolerated") {
    const results::Table table = results::parse_csv(
        "\xEF\xBB\xBF# a remark\r\n \"time\" , \"x, y\",z \r\n\r\n0, 1 ,+2\r\n 1,\"3\",4e-1\r\n", "in.csv");
    CHECK(table.names() == std::vector<std::string>{"x, y", "z"});
    CHECK(table.time == std::vector<double>{0, 1});
    CHECK(reals(table, 0) == std::vector<double>{1, 3});
    CHECK(reals(table, 1) == std::vector<double>{2, 0.4});
    CHECK(table.lines == std::vector<std::uint32_t>{4, 5});
}

TEST_CASE("semicolons and tabs are found to be separators, a trailing one is no column") {
    CHECK(reals(results::parse_csv("time;x\n0;1.5\n", "in.csv"), 0) == std::vector<double>{1.5});
    CHECK(reals(results::parse_csv("Time\tx\n0\t1.5", "in.csv"), 0) == std::vector<double>{1.5});
    CHECK(results::parse_csv("time,x,\n0,1,\n1,2,\n", "in.csv").columns.size() == 1);
}

TEST_CASE("columns of text, booleans and large integers keep their kind") {
    const results::Table table = results::parse_csv(
        "time,text,flag,large,unsigned,mixed\n"
        "0,\"12\",true,9007199254740993,1,-1\n"
        "1,\"a \"\"b\"\"\nc\",FALSE,-1,18446744073709551615,18446744073709551615\n",
        "in.csv");
    CHECK(std::get<std::vector<std::string>>(table.columns[0].values) == std::vector<std::string>{"12", "a \"b\"\nc"});
    CHECK(std::get<std::vector<std::uint8_t>>(table.columns[1].values) == std::vector<std::uint8_t>{1, 0});
    CHECK(std::get<std::vector<std::int64_t>>(table.columns[2].values) ==
          std::vector<std::int64_t>{9007199254740993, -1});
    CHECK(std::get<std::vector<std::uint64_t>>(table.columns[3].values) ==
          std::vector<std::uint64_t>{1, 18446744073709551615ULL});
    CHECK(reals(table, 4) == std::vector<double>{-1, 18446744073709551615.0});
}

TEST_CASE("nan, inf and numbers outside the range of a double are read") {
    const results::Table table = results::parse_csv("time,x\n0,NaN\n1,-inf\n2,1e999\n3,1e-999\n", "in.csv");
    CHECK(std::isnan(reals(table, 0)[0]));
    CHECK(reals(table, 0)[1] == -INFINITY);
    CHECK(reals(table, 0)[2] == INFINITY);
    CHECK(reals(table, 0)[3] == 0);
}

TEST_CASE("a bad CSV file is refused with file, line and column") {
    CHECK(failure("") == "in.csv:1: the file is empty, expected a header row");
    CHECK(failure("x,y\n0,1\n") == "in.csv:1:1: found 'x', expected a header row whose first name is 'time'");
    CHECK(failure("time,x,x\n") == "in.csv:1:8: a second column is named 'x'");
    CHECK(failure("time,x,,y\n") == "in.csv:1:8: a column has no name");
    CHECK(failure("time,x\n0,1\n1\n") == "in.csv:3:1: the row has 1 cells, expected 2 as in the header");
    CHECK(failure("time,x\n0,1\n1, abc\n") ==
          "in.csv:3:4: found 'abc' in column 'x', expected a number with a decimal dot as in line 2");
    CHECK(failure("time;x\n0;1\n1;2,5\n") ==
          "in.csv:3:3: found '2,5' in column 'x', expected a number with a decimal dot as in line 2");
    CHECK(failure("time,x\n0,1\n1,\n") ==
          "in.csv:3:3: found '' in column 'x', expected a number with a decimal dot as in line 2");
    CHECK(failure("time,x\nnan,1\n") == "in.csv:2:1: found 'nan', expected a time in seconds");
    CHECK(failure("time,x\n1,1\n0.5,1\n").starts_with("in.csv:3:1: the time '0.5' is before"));
    CHECK(failure("time,x\n0,\"abc\n") == "in.csv:2:3: the quote that begins here is never closed");
    CHECK(failure("time,x\n0,\"a\"b\n") == "in.csv:2:6: found 'b' after a quoted cell, expected a separator");
    CHECK_THROWS_AS(results::read_csv("/no/such.csv"), base::Error);
    CHECK_THROWS_AS(results::read_csv("/tmp"), base::Error);
}

TEST_CASE("between rows a signal is linear, at equal times it jumps") {
    const std::vector<double> time{0, 1, 1, 2};
    const std::vector<double> values{0, 10, 20, 40};
    const auto at = [&](double t, core::Side side) {
        return results::interpolate(values, results::locate(time, t, side));
    };
    CHECK(at(-1, core::Side::after) == 0);
    CHECK(at(0.25, core::Side::after) == 2.5);
    CHECK(at(0.25, core::Side::before) == 2.5);
    CHECK(at(1, core::Side::before) == 10);
    CHECK(at(1, core::Side::after) == 20);
    CHECK(at(1.5, core::Side::before) == 30);
    CHECK(at(2, core::Side::before) == 40);
    CHECK(at(9, core::Side::after) == 40);
    CHECK(results::locate(time, 1, core::Side::before).held == 0);
    CHECK(results::locate(time, 1, core::Side::after).held == 2);
    CHECK(results::locate(time, 0.5, core::Side::before).held == 0);
}

TEST_CASE("columns can be held between rows, beside others that are linear, text and jumps that are there") {
    const results::Table table = results::held_between_rows(
        results::parse_csv("time,ramp,stair,text\n0,0,1,a\n1,1,1,b\n2,2,5,c\n3,3,6,d\n3,4,7,e\n", "in.csv"),
        {"stair", "text"});
    CHECK(table.time == std::vector<double>{0, 1, 2, 2, 3, 3, 3});
    CHECK(reals(table, 0) == std::vector<double>{0, 1, 2, 2, 3, 3, 4});
    CHECK(reals(table, 1) == std::vector<double>{1, 1, 1, 5, 5, 6, 7});
    CHECK(std::get<std::vector<std::string>>(table.columns[2].values) ==
          std::vector<std::string>{"a", "b", "b", "c", "c", "d", "e"});
    CHECK(table.lines == std::vector<std::uint32_t>{2, 3, 4, 4, 5, 5, 6});
    const auto at = [&](double t) {
        return results::interpolate(reals(table, 1), results::locate(table.time, t, core::Side::after));
    };
    CHECK(at(1.5) == 1);
    CHECK(at(2) == 5);
    CHECK(at(2.9) == 5);
    CHECK(at(3) == 7);
}
