#include "master/taps/selection.hpp"

#include "master/error.hpp"

#include <catch2/catch.hpp>

using namespace master;

TEST_CASE("patterns know star and question mark, brackets stand for themselves") {
    CHECK(taps::matches("tank.*", "tank.level"));
    CHECK(taps::matches("*level", "tank.level"));
    CHECK(taps::matches("t?nk.x[1]", "tank.x[1]"));
    CHECK(taps::matches("*a*b*", "xxaybyy"));
    CHECK_FALSE(taps::matches("tank.?", "tank.level"));
    CHECK_FALSE(taps::matches("tank", "tank.level"));
    CHECK_FALSE(taps::matches("*a*b", "xxaybyy"));
    CHECK(taps::matches("**", ""));
}

TEST_CASE("a selection keeps the order of the variables and counts each once") {
    const std::vector<std::string> names{"a.x", "a.y", "b.x"};
    const std::vector<std::string> patterns{"b.*", "*.x"};
    CHECK(taps::select(names, patterns) == std::vector<std::size_t>{0, 2});
    CHECK(taps::select(names, std::vector<std::string>{"none"}).empty());
}

TEST_CASE("a pattern that matches nothing names the closest variable or component") {
    const std::vector<std::string> names{"tank.level", "tank.flow", "valve.position"};
    const auto message = [&](const std::string& pattern) {
        try {
            (void)taps::select(names, std::vector<std::string>{pattern});
        } catch (const Error& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    CHECK(message("tank.levl") == "the pattern 'tank.levl' matches no variable, closest match 'tank.level'");
    CHECK(message("vlave.*") == "the pattern 'vlave.*' matches no variable, closest match 'valve.*'");
}
