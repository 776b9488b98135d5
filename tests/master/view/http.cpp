#include "master/view/http.hpp"

#include "tests/support/scratch.hpp"

#include <catch2/catch.hpp>
#include <fstream>

using namespace master::view;

TEST_CASE("a target is a path and a query, and never climbs") {
    const auto target = parse_target("/files/a%20b.urdf?token=x&n=2");
    REQUIRE(target);
    CHECK(target->path == "/files/a b.urdf");
    CHECK(query_value(target->query, "n") == "2");
    CHECK(query_value(target->query, "m").empty());
    for (const char* bad : {"", "x", "/../x", "/a/..", "/%2e%2e/x", "/%", "/%zz", "/a%00b", "/a\\b", "http://x/"})
        CHECK_FALSE(parse_target(bad));
    CHECK(parse_target("/a..b/c"));
}

TEST_CASE("on loopback only names of this machine and pages of its own are welcome") {
    const Admission admission{.loopback = true, .token = {}, .cookie = "t", .origins = {"https://app.example"}};
    CHECK(judge({.host = "127.0.0.1:80"}, admission) == Verdict::welcome);
    CHECK(judge({.host = "127.0.0.5:80"}, admission) == Verdict::welcome);
    CHECK(judge({.host = "localhost"}, admission) == Verdict::welcome);
    CHECK(judge({.host = "[::1]:80"}, admission) == Verdict::welcome);
    CHECK(judge({.host = ""}, admission) == Verdict::no_host);
    for (const char* foreign :
         {"evil.example:80", "127.0.0.5.evil.example", "127.0.0.5 ", "128.0.0.1:80", "127.evil", "127.1"})
        CHECK(judge({.host = foreign}, admission) == Verdict::foreign_host);
    CHECK(judge({.host = "localhost:80", .origin = "http://localhost:80"}, admission) == Verdict::welcome);
    CHECK(judge({.host = "localhost:80", .origin = "http://localhost:81"}, admission) == Verdict::foreign_origin);
    CHECK(judge({.host = "localhost:80", .origin = "null"}, admission) == Verdict::foreign_origin);
    CHECK(judge({.host = "localhost:80", .origin = "https://app.example"}, admission) == Verdict::welcome);
}

TEST_CASE("elsewhere the token is needed, in the query or as a cookie") {
    const Admission admission{.loopback = false, .token = "secret", .cookie = "t", .origins = {}};
    CHECK(judge({.host = "machine:80"}, admission) == Verdict::no_token);
    CHECK(judge({.host = "machine:80", .query = "token=secret"}, admission) == Verdict::welcome);
    CHECK(judge({.host = "machine:80", .query = "token=secre"}, admission) == Verdict::no_token);
    CHECK(judge({.host = "machine:80", .cookies = "a=b; t=secret"}, admission) == Verdict::welcome);
    CHECK(judge({.host = "machine:80", .cookies = "tt=secret"}, admission) == Verdict::no_token);
    CHECK(make_token().size() == 32);
    CHECK(make_token() != make_token());
}

TEST_CASE("only files inside the page's folder are served") {
    const tests::Scratch scratch;
    std::filesystem::create_directories(scratch.folder() / "page");
    std::ofstream(scratch.folder() / "page" / "index.html") << "hello";
    std::ofstream(scratch.folder() / "secret") << "secret";
    std::filesystem::create_symlink(scratch.folder() / "secret", scratch.folder() / "page" / "link.js");
    const auto folder = scratch.folder() / "page";
    REQUIRE(page_file(folder, "/"));
    CHECK(page_file(folder, "/")->content == "hello");
    CHECK(std::string(page_file(folder, "/index.html")->type).starts_with("text/html"));
    CHECK_FALSE(page_file(folder, "/link.js"));
    CHECK_FALSE(page_file(folder, "/nothing.js"));
    CHECK_FALSE(page_file(folder / "nowhere", "/"));
}
