#include "master/base/json.hpp"

#include "master/base/error.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

using namespace master;

namespace {

std::string failure(const std::string& text) {
    try {
        (void)base::parse_json(text, "x.json");
    } catch (const base::Error& error) {
        return error.where() + ": " + error.what();
    }
    return "";
}

}  // namespace

TEST_CASE("JSON is written in order and reads back as it was") {
    base::Json json;
    json["text"] = "a \"b\"\n\x01\\ ä";
    json["numbers"] = base::Json::Array{0.1, 1e300, std::numeric_limits<std::int64_t>::min(),
                                        std::numeric_limits<std::uint64_t>::max(), -1};
    json["flags"] = base::Json::Array{true, false, nullptr};
    json["empty"] = base::Json::Object{};
    CHECK(json.line() ==
          "{\"text\":\"a \\\"b\\\"\\n\\u0001\\\\ "
          "ä\",\"numbers\":[0.1,1e+300,-9223372036854775808,18446744073709551615,-1],"
          "\"flags\":[true,false,null],\"empty\":{}}");
    CHECK(base::parse_json(json.text(), "x").line() == json.line());
    CHECK(*base::parse_json(json.line(), "x").find("text")->string() == *json.find("text")->string());
}

TEST_CASE("numbers that JSON cannot express are written as text and read as numbers") {
    base::Json json;
    json.push(std::nan(""));
    json.push(-INFINITY);
    CHECK(json.line() == "[\"nan\",\"-inf\"]");
    const base::Json again = base::parse_json(json.line(), "x");
    CHECK(std::isnan((*again.array())[0].number()));
    CHECK((*again.array())[1].number() == -INFINITY);
}

TEST_CASE("escapes of every kind are understood") {
    CHECK(*base::parse_json(R"("\u0041\u00e4\u20ac\ud83d\ude00\/\t")", "x").string() == "Aä€😀/\t");
}

TEST_CASE("what is no JSON is refused with line and column") {
    CHECK(failure("{\"a\": 1,\n \"b\" 2}") == "x.json:2:6: found '2' where ':' belongs, expected JSON");
    CHECK(failure("") == "x.json:1:1: found the end, expected JSON");
    for (const char* bad : {"{", "[1,]", "01", "1.", ".5", "+1", "nul", "\"a", "\"\\x\"", "\"\\ud800\"", "\"\\u12\"",
                            "[1] 2", "{a:1}", "1e", "\"\n\""}) {
        INFO(bad);
        CHECK_FALSE(failure(bad).empty());
    }
    CHECK_FALSE(failure(std::string(100'000, '[')).empty());
}
