#include "master/base/patterns.hpp"

#include "master/base/error.hpp"

#include <catch2/catch.hpp>

using namespace master;

TEST_CASE("patterns know star and question mark, brackets stand for themselves") {
    CHECK(base::matches("tank.*", "tank.level"));
    CHECK(base::matches("*level", "tank.level"));
    CHECK(base::matches("t?nk.x[1]", "tank.x[1]"));
    CHECK(base::matches("*a*b*", "xxaybyy"));
    CHECK_FALSE(base::matches("tank.?", "tank.level"));
    CHECK_FALSE(base::matches("tank", "tank.level"));
    CHECK_FALSE(base::matches("*a*b", "xxaybyy"));
    CHECK(base::matches("**", ""));
}

TEST_CASE("a selection keeps the order of the variables and counts each once") {
    const std::vector<std::string> names{"a.x", "a.y", "b.x"};
    const std::vector<std::string> patterns{"b.*", "*.x"};
    CHECK(base::select(names, patterns) == std::vector<std::size_t>{0, 2});
    CHECK(base::select(names, std::vector<std::string>{"none"}).empty());
}

TEST_CASE("a pattern that matches nothing names the closest variable or component") {
    const std::vector<std::string> names{"tank.level", "tank.flow", "valve.position"};
    const auto message = [&](const std::string& pattern) {
        try {
            (void)base::select(names, std::vector<std::string>{pattern});
        } catch (const base::Error& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    CHECK(message("tank.levl") == "the pattern 'tank.levl' matches no variable, closest match 'tank.level'");
    CHECK(message("vlave.*") == "the pattern 'vlave.*' matches no variable, closest match 'valve.*'");
}
