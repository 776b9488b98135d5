#include "master/runs/scenario.hpp"

#include "master/base/error.hpp"
#include "tests/master/ssp/support.hpp"

using namespace tests::ssp;
using master::base::Diagnostics;

namespace {

master::runs::Scenario scenario(const std::string& inside, Diagnostics& diagnostics) {
    Folder folder;
    folder.write("run.xml", "<Scenario xmlns=\"urn:tandem:scenario:1\">\n" + inside + "</Scenario>");
    return master::runs::read_scenario(folder.path("run.xml"), diagnostics);
}

}  // namespace

TEST_CASE("a scenario gives values over time, held or on a line, with jumps") {
    Diagnostics diagnostics;
    const auto read = scenario(
        R"(<Signal name="boom.command" hold="linear"><At t="0.5" value="0"/><At t="1.5" value="2"/><At t="1.5" value="5"/><At t="2" value="6"/></Signal>
        <Signal name="pump.on"><At t="0" value="false"/><At t="1" value="true"/></Signal>
        <Limit name="supply.pressure" min="0" max="3e7" action="warn"/>)",
        diagnostics);
    CHECK(diagnostics.findings().empty());
    REQUIRE(read.signals.size() == 2);
    const auto& line = read.signals[0];
    CHECK(std::isnan(line.value_at(0.4)));
    CHECK(std::isnan(line.value_at(0.5, master::core::Side::before)));
    CHECK(line.value_at(0.5) == 0.0);
    CHECK(line.value_at(1.0) == 1.0);
    CHECK(line.value_at(1.5, master::core::Side::before) == 2.0);
    CHECK(line.value_at(1.5) == 5.0);
    CHECK(line.value_at(1.75) == 5.5);
    CHECK(line.value_at(9.0) == 6.0);
    CHECK(read.signals[1].value_at(0.999) == 0.0);
    CHECK(read.signals[1].value_at(1.0, master::core::Side::before) == 0.0);
    CHECK(read.signals[1].value_at(1.0) == 1.0);
    CHECK(read.jumps(0) == std::vector{0.5, 1.5});
    CHECK(read.jumps(1) == std::vector{0.0, 1.0});
    CHECK(read.next_corner(0, 0.5) == 1.5);
    REQUIRE(read.limits.size() == 1);
    CHECK(read.limits[0].maximum == 3e7);
    CHECK(read.limits[0].action == master::runs::ScenarioLimit::Action::warn);
}

TEST_CASE("mistakes in a scenario are reported with file and line") {
    const auto code = [](const std::string& inside) {
        Diagnostics diagnostics;
        (void)scenario(inside, diagnostics);
        REQUIRE(diagnostics.has_errors());
        CHECK(contains(diagnostics.findings().front().where, "run.xml:2"));
        return diagnostics.findings().front().code;
    };
    CHECK(code("<Signal name=\"u\"><At t=\"1\" value=\"0\"/><At t=\"0.5\" value=\"2\"/></Signal>") == "bad-value");
    CHECK(code("<Signal name=\"u\"><At t=\"now\" value=\"0\"/></Signal>") == "bad-value");
    CHECK(code("<Signal name=\"u\"/>") == "missing-element");
    CHECK(code("<Signal name=\"u\" hold=\"cubic\"><At t=\"1\" value=\"0\"/></Signal>") == "bad-value");
    CHECK(code("<Limit name=\"u\"/>") == "missing-attribute");
    CHECK(code("<Limit name=\"u\" max=\"1\" action=\"cry\"/>") == "bad-value");
    Diagnostics diagnostics;
    Folder folder;
    folder.write("run.xml", "<Scenario/>");
    CHECK_THROWS_AS(master::runs::read_scenario(folder.path("run.xml"), diagnostics), master::base::Error);
}
