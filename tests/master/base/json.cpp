#include "master/base/json.hpp"

#include "master/base/error.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

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
    json["numbers"] = {0.1, 1e300, std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::uint64_t>::max()};
    json["empty"] = base::Json::object();
    const std::string text = base::json_text(json);
    CHECK(text == R"({
  "text": "a \"b\"\n\u0001\\ ä",
  "numbers": [
    0.1,
    1e+300,
    -9223372036854775808,
    18446744073709551615
  ],
  "empty": {}
}
)");
    CHECK(base::parse_json(text, "x") == json);
}

TEST_CASE("numbers that JSON cannot express are written as text, at any depth") {
    CHECK(base::json_text(std::nan("")) == "\"nan\"\n");
    CHECK(base::json_text({{"a", {-INFINITY, INFINITY}}, {"b", {{"c", -std::nan("")}}}}) == R"({
  "a": [
    "-inf",
    "inf"
  ],
  "b": {
    "c": "nan"
  }
}
)");
}

TEST_CASE("bytes that are no UTF-8 still give a JSON file") {
    CHECK(base::json_quoted("M\xFCller \"x\"") == "\"M\uFFFDller \\\"x\\\"\"");
    CHECK(base::json_text("M\xFCller") == "\"M\uFFFDller\"\n");
}

TEST_CASE("what is no JSON is refused with line and column") {
    CHECK(failure("{\"a\": 1,\n \"b\" 2}") ==
          "x.json:2:6: syntax error while parsing object separator - unexpected number literal; expected ':'");
    CHECK(failure("").starts_with("x.json:1:1: "));
    CHECK(failure("[1,\n\n").starts_with("x.json:3:"));
    CHECK(failure("[1e400]") == "x.json: number overflow parsing '1e400'");
}

TEST_CASE("values nested too deeply are refused") {
    CHECK(failure(std::string(100, '[') + std::string(100, ']')).empty());
    CHECK(failure(std::string(1'000'000, '[') + std::string(1'000'000, ']')) ==
          "x.json: values nested too deeply, expected at most 100 levels");
}
