#include "master/fmi/library/message_format.hpp"

#include "tests/master/fmi/unit/bench.hpp"

#include <catch2/catch.hpp>
#include <cstdarg>

namespace {

std::string formatted(const char* format, ...) {
    std::va_list arguments;
    va_start(arguments, format);
    std::string text = master::fmi::format_message(format, arguments);
    va_end(arguments);
    return text;
}

}  // namespace

TEST_CASE("hostile format strings are passed on as text") {
    Misbehaving bench(6);
    bench.step(100);
    CHECK(bench.log.says("%n%n%n%s%999999999d"));
    int target = 7;
    CHECK(formatted("%d and %s", 3, "text") == "3 and text");
    CHECK(formatted("%5.2f|%-4d|%lu|%%", 1.0, 2, 3UL) == " 1.00|2   |3|%");
    CHECK(formatted("%n", &target) == "%n");
    CHECK(formatted("%*d", 1000000, 1) == "%*d");
    CHECK(formatted("%2$s") == "%2$s");
    CHECK(formatted("%ls", L"wide") == "%ls");
    CHECK(formatted("100%") == "100%");
    CHECK(formatted("file %s", reinterpret_cast<const char*>(12)) == "file (unreadable)");
    CHECK(formatted("file %s", nullptr) == "file (null)");
    CHECK(formatted("%.3s|%4s", "abcdef", "x") == "abc|   x");
    CHECK(formatted(std::string(100'000, 'x').c_str()).size() == 64 * 1024);
    CHECK(formatted("%s", std::string(100'000, 'x').c_str()).size() < 64 * 1024 + 50);
    CHECK(target == 7);
}
