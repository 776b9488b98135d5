#include "interfaces/text/text.hpp"

#include <catch2/catch.hpp>

using interfaces::text::closest;
using interfaces::text::edit_distance;
using interfaces::text::Lines;

TEST_CASE("the edit distance counts letters changed, put in and left out") {
    CHECK(edit_distance("", "") == 0);
    CHECK(edit_distance("", "abc") == 3);
    CHECK(edit_distance("kitten", "sitting") == 3);
    CHECK(edit_distance("stroke", "storke") == 2);
    CHECK(edit_distance("Boom", "boom") == 0);
}

TEST_CASE("the closest name is a slip of the keyboard, not just any name") {
    const std::vector<std::string> names{"pressure", "velocity", "force"};
    CHECK(closest("presure", names) == "pressure");
    CHECK(closest("Velocity", names) == "velocity");
    CHECK(closest("temperature_of_oil", names).empty());
    const std::vector<std::string> options{"--input", "--out", "--quiet"};
    CHECK(closest("--output", options) == "--out");  // both are three letters away
}

TEST_CASE("an offset is on the line that its newline ends") {
    const Lines lines("ab\n\ncd");
    CHECK(lines.line_of(-1) == 1);
    CHECK(lines.line_of(0) == 1);
    CHECK(lines.line_of(2) == 1);
    CHECK(lines.line_of(3) == 2);
    CHECK(lines.line_of(4) == 3);
    CHECK(lines.line_of(100) == 3);
    CHECK(Lines().line_of(7) == 1);
}

TEST_CASE("a text is escaped so that XML gives it back, also from an attribute") {
    CHECK(interfaces::text::escaped("a < b & \"c\" > d") == "a &lt; b &amp; &quot;c&quot; &gt; d");
    CHECK(interfaces::text::escaped("1\t2\r\n") == "1&#9;2&#13;&#10;");
    CHECK(interfaces::text::escaped("Öl") == "Öl");
}
