#include "master/core/setup/dependencies.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

using namespace master::core;
using Lists = std::vector<std::vector<std::uint32_t>>;

namespace {

/// Inputs u (0) and v (1), outputs y (2) and z (3), all reals.
struct TwoByTwo {
    TwoByTwo() {
        for (const char* name : {"u", "v", "y", "z"}) {
            Variable variable;
            variable.name = name;
            variable.causality = info.variables.size() < 2 ? Causality::input : Causality::output;
            info.variables.push_back(variable);
        }
    }
    [[nodiscard]] Lists stepping() const { return feedthrough(info, inputs(), outputs()).outputs; }
    [[nodiscard]] Lists initial() const { return initial_feedthrough(info, inputs(), outputs()).outputs; }

    [[nodiscard]] Layout inputs() const { return layout(info, std::vector<std::uint32_t>{0, 1}); }
    [[nodiscard]] Layout outputs() const { return layout(info, std::vector<std::uint32_t>{2, 3}); }

    UnitInfo info;
};

}  // namespace

TEST_CASE("missing dependencies mean all inputs, empty ones none") {
    TwoByTwo unit;
    unit.info.outputs = {{.variable = 2}, {.variable = 3, .dependencies = {{}}}};
    CHECK(unit.stepping() == Lists{{0, 1}, {}});
    CHECK(unit.initial() == Lists{{0, 1}, {}});
}

TEST_CASE("listed dependencies are the inputs' slots, and what is no bound input does not count") {
    TwoByTwo unit;
    unit.info.outputs = {{.variable = 2, .dependencies = {{1, 3}}}, {.variable = 3, .dependencies = {{0, 1}}}};
    CHECK(unit.stepping() == Lists{{1}, {0, 1}});
    const Layout only_v = layout(unit.info, std::vector<std::uint32_t>{1});
    CHECK(feedthrough(unit.info, only_v, unit.outputs()).outputs == Lists{{0}, {0}});
}

TEST_CASE("an output that no list mentions depends on nothing, unless there are no lists at all") {
    TwoByTwo unit;
    unit.info.outputs = {{.variable = 2, .dependencies = {{0}}}};
    CHECK(unit.stepping() == Lists{{0}, {}});
    CHECK(unit.initial() == Lists{{0}, {}});
    unit.info.outputs.clear();
    unit.info.has_model_structure = false;
    CHECK(unit.stepping() == Lists{{0, 1}, {0, 1}});
    CHECK(unit.initial() == Lists{{0, 1}, {0, 1}});
}

TEST_CASE("during initialisation the initial unknowns' own dependencies count") {
    TwoByTwo unit;
    unit.info.outputs = {{.variable = 2, .dependencies = {{}}}, {.variable = 3, .dependencies = {{0}}}};
    unit.info.initial_unknowns = {{.variable = 2, .dependencies = {{1}}}};
    CHECK(unit.stepping() == Lists{{}, {0}});
    CHECK(unit.initial() == Lists{{1}, {0}});
}

TEST_CASE("an input is used where any output depends on it") {
    const Feedthrough through{.outputs = {{}, {2}}};
    CHECK(through.uses(2));
    CHECK_FALSE(through.uses(0));
}

TEST_CASE("components come in the order of their dependencies, sources first") {
    // 3 -> 1 -> 0 -> 2
    CHECK(components({{2}, {0}, {}, {1}}) == Lists{{3}, {1}, {0}, {2}});
    CHECK(components({}).empty());
}

TEST_CASE("a loop is one component between what it needs and what needs it") {
    // 4 -> {0, 2, 3} -> 1, the loop being 0 -> 3 -> 2 -> 0
    CHECK(components({{3}, {}, {0, 1}, {2}, {0}}) == Lists{{4}, {0, 2, 3}, {1}});
}

TEST_CASE("two loops that one edge joins stay apart") {
    CHECK(components({{1}, {0, 2}, {3}, {2}}) == Lists{{0, 1}, {2, 3}});
}

TEST_CASE("a chain of many variables needs no deep stack") {
    constexpr std::uint32_t length = 200'000;
    Lists successors(length);
    for (std::uint32_t i = 1; i < length; ++i) successors[i].push_back(i - 1);
    const Lists found = components(successors);
    REQUIRE(found.size() == length);
    CHECK(found.front() == std::vector<std::uint32_t>{length - 1});
    CHECK(found.back() == std::vector<std::uint32_t>{0});
}
