#include "master/base/printable.hpp"

#include <catch2/catch.hpp>

using master::base::printable;
using master::base::printable_lines;
using master::base::valid_utf8;

TEST_CASE("what would steer a terminal is spelt out") {
    CHECK(printable("a\x1b[31mb\x07") == "a\\u001b[31mb\\u0007");
    CHECK(printable("csi \xc2\x9b"
                    "31m") == "csi \\u009b31m");  // C1, as UTF-8
    CHECK(printable("\xe2\x80\xaetxt.exe") == "\\u202etxt.exe");
    CHECK(printable("\xe2\x81\xa6x\xe2\x81\xa9\xd8\x9c") == "\\u2066x\\u2069\\u061c");
    CHECK(printable("a\nerror[x]: b\tc\r") == "a error[x]: b c ");
    CHECK(printable_lines("a\nb\x7f") == "a\nb\\u007f");
}

TEST_CASE("ordinary text in any language stays as it is") {
    const std::string text =
        "Druck pr\xc3\xbc"
        "fen \xe5\x9c\xa7\xe5\x8a\x9b \xf0\x9f\x9a\x9c \xd8\xb6\xd8\xba\xd8\xb7";
    CHECK(printable(text) == text);
    CHECK(valid_utf8(text) == text);
}

TEST_CASE("bytes that are no UTF-8 are spelt out, in files replaced") {
    CHECK(printable("\xff\x9b") == "\\xff\\x9b");
    CHECK(printable("\xc0\xaf") == "\\xc0\\xaf");           // overlong
    CHECK(printable("\xed\xa0\x80") == "\\xed\\xa0\\x80");  // a surrogate
    CHECK(printable("end \xe2\x82") == "end \\xe2\\x82");
    CHECK_FALSE(master::base::is_utf8("a\xff"));
    CHECK(valid_utf8("a\xff"
                     "b") ==
          "a\xef\xbf\xbd"
          "b");
}

TEST_CASE("text in an HTML page is no markup and has no marks of direction") {
    using master::base::printable_html;
    CHECK(printable_html("<b>\xe2\x80\xae"
                         "12\x1b\xff") == "&lt;b&gt;\\u202e12\\u001b\\xff");
    CHECK(printable_html("a\tb\nc") == "a&#9;b&#10;c");
}

TEST_CASE("an XML document stays the same document") {
    using master::base::printable_xml;
    CHECK(printable_xml("<a b='\xe2\x80\xae'>\n\xc2\x9b\x7f</a>") == "<a b='&#x202e;'>\n&#x9b;&#x7f;</a>");
    CHECK(printable_xml("<a>\xff</a>") == "<a>\xef\xbf\xbd</a>");
}
