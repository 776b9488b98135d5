#include "master/build/table_unit.hpp"

#include "master/base/error.hpp"

#include <catch2/catch.hpp>

using namespace master;

namespace {

constexpr std::int64_t second = 1'000'000'000;

struct Outputs {
    double real = 0;
    std::int64_t integer = 0;
    std::uint8_t boolean = 0;
    std::string string;

    core::Block block() {
        core::Block result;
        result.reals = &real;
        result.integers = &integer;
        result.booleans = &boolean;
        result.strings = &string;
        return result;
    }
};

std::string failure(const std::string& text, const build::WantedTypes& wanted) {
    try {
        build::TableUnit unit("in", results::parse_csv(text, "in.csv"), {}, wanted);
    } catch (const base::Error& error) {
        return error.where() + ": " + error.what();
    }
    return "";
}

}  // namespace

TEST_CASE("a table moves with time: reals are linear and jump, all other types are held") {
    const std::string text =
        "time,x,n,on,word\n"
        "0,0,3,true,\"first\"\n"
        "1,10,3,true,\"first\"\n"
        "1,20,4,false,\"second\"\n"
        "2,40,5,false,\"second\"\n";
    build::TableUnit unit("in", results::parse_csv(text, "in.csv"), base::Timebase{},
                          {.types = {{"n", core::Type::integer}}});
    CHECK(unit.info().variables[1].type == core::Type::integer);
    CHECK(unit.info().variables[2].type == core::Type::boolean);
    CHECK(unit.info().variables[3].type == core::Type::string);
    unit.bind({.inputs = {}, .outputs = {0, 1, 2, 3}});
    Outputs outputs;

    unit.set_up({});
    unit.enter_initialization();
    unit.read({}, outputs.block());
    CHECK(outputs.real == 0);
    CHECK(outputs.string == "first");

    CHECK_FALSE(unit.step({0}, {second / 2}).event);
    unit.read({}, outputs.block());
    CHECK(outputs.real == 5);
    CHECK(outputs.integer == 3);

    const core::StepResult result = unit.step({second / 2}, {second / 2});
    CHECK(result.event);
    CHECK(result.reached == base::Time{second});
    unit.read({}, outputs.block());
    CHECK(outputs.real == 20);
    CHECK(outputs.integer == 4);
    CHECK(outputs.boolean == 0);
    CHECK(outputs.string == "second");

    const auto saved = unit.save();
    CHECK_FALSE(unit.step({second}, {second / 2}).event);
    unit.read({}, outputs.block());
    CHECK(outputs.real == 30);
    unit.restore(*saved);
    unit.read({}, outputs.block());
    CHECK(outputs.real == 20);

    CHECK(unit.value_at(0, 1, core::Side::before) == 10);
    CHECK(unit.value_at(0, 1, core::Side::after) == 20);
    CHECK(unit.next_jump(0) == 1.0);
    CHECK(unit.next_jump(1) == 2.0);
    CHECK_FALSE(unit.next_jump(2).has_value());
}

TEST_CASE("a column that does not fit the wanted type is refused with file and line") {
    CHECK(failure("time,x\n0,1\n1,1.5\n", {.types = {{"x", core::Type::integer}}}) ==
          "in.csv:3: found '1.5' in column 'x', expected an integer");
    CHECK(failure("time,x\n0,-1\n", {.types = {{"x", core::Type::natural}}}) ==
          "in.csv:2: found '-1' in column 'x', expected an unsigned integer");
    CHECK(failure("time,x\n0,2\n", {.types = {{"x", core::Type::boolean}}}) ==
          "in.csv:2: found '2' in column 'x', expected a boolean (0, 1, true, false)");
    CHECK(failure("time,x\n0,abc\n", {.types = {{"x", core::Type::real}}}) ==
          "in.csv:2: found 'abc' in column 'x', expected a real");
    CHECK(failure("time,speed\n0,1\n", {.types = {{"sped", core::Type::real}}}) ==
          "in.csv: there is no column 'sped', closest match 'speed'");
    CHECK(failure("time,x\n0,-3e38\n1,1e39\n", {.types = {}, .singles = {"x"}}) ==
          "in.csv:3: found '1e+39' in column 'x', expected a number within the range of Float32");
    CHECK(failure("time,x\n", {}) == "in.csv: the table has no rows, expected at least one");
    CHECK(failure("time,x\n0,1\n", {.types = {{"x", core::Type::string}}}).empty());
}
