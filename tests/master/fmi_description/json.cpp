#include "master/json.hpp"

#include "master/error.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <random>

using namespace master;

namespace {

std::string refusal(std::string_view text) {
    try {
        static_cast<void>(parse_json(text, "run.json"));
    } catch (const Error& error) {
        return error.where() + ": " + error.what();
    }
    return {};
}

std::string sample() {
    JsonWriter writer;
    writer.begin_object();
    writer.key("name");
    writer.string("Größe \"q\" \\ \n\t\x01");
    writer.key("numbers");
    writer.begin_array();
    writer.number(0.1);
    writer.number(-1e300);
    writer.number(std::nan(""));
    writer.integer(std::numeric_limits<std::int64_t>::min());
    writer.natural(std::numeric_limits<std::uint64_t>::max());
    writer.end_array();
    writer.key("units");
    writer.begin_array();
    writer.begin_object();
    writer.key("fixed");
    writer.boolean(true);
    writer.end_object();
    writer.begin_object();
    writer.end_object();
    writer.end_array();
    writer.key("nothing");
    writer.null();
    writer.key("empty");
    writer.begin_array();
    writer.end_array();
    writer.end_object();
    return writer.text();
}

}  // namespace

TEST_CASE("written JSON is laid out for readers and escaped") {
    CHECK(sample() == R"({
  "name": "Größe \"q\" \\ \n\t\u0001",
  "numbers": [0.1, -1e+300, null, -9223372036854775808, 18446744073709551615],
  "units": [
    {
      "fixed": true
    },
    {}
  ],
  "nothing": null,
  "empty": []
}
)");
}

TEST_CASE("bytes that are no UTF-8 do not spoil a document") {
    JsonWriter writer;
    writer.string("a\xF6z\xE2\x82\xC0\xAF\xED\xA0\x80");
    const JsonValue value = parse_json(writer.text(), "x");
    CHECK(value.string()->starts_with("a\xEF\xBF\xBDz"));
    CHECK(value.string()->find('\xF6') == std::string::npos);
    CHECK(value.string()->find('\xED') == std::string::npos);
}

TEST_CASE("what was written is read back, integers exactly") {
    const JsonValue value = parse_json(sample(), "run.json");
    REQUIRE(value.find("name") != nullptr);
    CHECK(*value.find("name")->string() == "Größe \"q\" \\ \n\t\x01");
    const JsonValue::Array& numbers = *value.find("numbers")->array();
    CHECK(numbers[0].number() == 0.1);
    CHECK(numbers[2].is_null());
    CHECK(numbers[3].integer() == std::numeric_limits<std::int64_t>::min());
    CHECK(numbers[4].natural() == std::numeric_limits<std::uint64_t>::max());
    CHECK_FALSE(numbers[0].integer().has_value());
    CHECK((*value.find("units")->array())[0].find("fixed")->boolean() == true);
    CHECK(value.find("units")->line == 4);
    CHECK(value.find("missing") == nullptr);
    CHECK(numbers[0].find("x") == nullptr);
}

TEST_CASE("escapes of every kind are read") {
    CHECK(*parse_json(R"("\u00e4\ud83d\ude00\/\b\f\r")", "x").string() == "ä😀/\b\f\r");
    CHECK(parse_json("\xEF\xBB\xBF [1e3]", "x").array()->front().number() == 1000.0);
}

TEST_CASE("malformed JSON is refused with its line") {
    CHECK(refusal("{\n \"a\": 1,\n \"b\" 2}") == "run.json:3: is no JSON: expected ':' after the name 'b'");
    CHECK(refusal("") == "run.json:1: is no JSON: the text ends too early");
    for (const std::string_view text : {"{",           "[1,",         "[1 2]",
                                        "{\"a\":1,}",  "[1,]",        "\"abc",
                                        "\"\\x\"",     "\"\\u12g4\"", "\"\\ud800\"",
                                        "\"\\udc00\"", "01",          "-",
                                        "1.",          "1e",          ".5",
                                        "+1",          "nul",         "truth",
                                        "NaN",         "1 1",         "{\"a\":1,\"a\":2}",
                                        "{1:2}",       "\"\n\"",      "]"}) {
        INFO(text);
        CHECK_FALSE(refusal(text).empty());
    }
    CHECK(refusal(std::string(100'000, '[')).find("too deeply") != std::string::npos);
}

TEST_CASE("damaged JSON is read or refused, never worse") {
    const std::string whole = sample();
    std::mt19937 random(3);
    int refused = 0;
    for (int i = 0; i < 2000; ++i) {
        std::string bytes = whole;
        const std::size_t at = random() % bytes.size();
        if (i % 2 == 0) {
            bytes[at] = static_cast<char>(random());
        } else {
            bytes.erase(at, 1 + random() % 9);
        }
        refused += refusal(bytes).empty() ? 0 : 1;
    }
    CHECK(refused > 100);
    CHECK(refused < 2000);
}
