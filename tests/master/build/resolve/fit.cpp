#include "master/build/resolve/resolve.hpp"
#include "tests/master/ssp/support.hpp"

using namespace tests::ssp;
using master::base::Diagnostics;
using master::base::Severity;
using master::core::Causality;
using master::core::UnitInfo;

namespace {

/// A drive whose forces go to the machine's inputs, of which some are connected.
Diagnostics checked(const UnitInfo& machine, const std::string& connections, const std::string& more = {},
                    const std::set<std::string>& driven = {}, const std::string& inside = {}) {
    Folder folder;
    folder.fmus({"drive", "machine"})
        .write("SystemStructure.ssd", ssd(more + "<ssd:Elements>" + component("drive") + component("machine", inside) +
                                          "</ssd:Elements><ssd:Connections>" + connections + "</ssd:Connections>"));
    const UnitInfo drive = unit({variable("y", Causality::output, "Real", "N")});
    Diagnostics diagnostics;
    const auto description = read(folder, diagnostics);
    const std::vector<const UnitInfo*> infos{&drive, &machine};
    (void)master::build::resolve(description, infos, {.set = {}, .driven = driven}, diagnostics);
    return diagnostics;
}

UnitInfo machine() {
    UnitInfo info = unit({variable("boom.force", Causality::input, "Real", "N"),
                          variable("adjust.force", Causality::input, "Real", "N"),
                          variable("adjust.position", Causality::input, "Real", "m"),
                          variable("jaw.force", Causality::input, "Real", "kN"), variable("force", Causality::input)});
    info.variables[1].start = std::vector<double>{7};
    return info;
}

const std::string boom = connection("drive.y", "machine.boom.force");

}  // namespace

TEST_CASE("a free input beside a connected one of the same last name and unit is a warning with its value") {
    const Diagnostics diagnostics = checked(machine(), boom);
    INFO(all(diagnostics));
    REQUIRE(count(diagnostics, Severity::warning) == 1);
    const std::string& text = find(diagnostics, "unconnected")->text;
    CHECK(contains(text, "'machine.adjust.force' (holds 7 N)"));
    CHECK(contains(text, "'machine.boom.force' is"));
    CHECK_FALSE(contains(text, "adjust.position"));
    CHECK_FALSE(contains(text, "jaw"));
}

TEST_CASE("an input that is given a value, left open on purpose or driven from outside is not forgotten") {
    const std::string set =
        "<ssd:ParameterBindings><ssd:ParameterBinding><ssd:ParameterValues><ssv:ParameterSet version=\"1.0\" "
        "name=\"s\"><ssv:Parameters><ssv:Parameter name=\"machine.adjust.force\"><ssv:Real value=\"0\"/>"
        "</ssv:Parameter></ssv:Parameters></ssv:ParameterSet></ssd:ParameterValues></ssd:ParameterBinding>"
        "</ssd:ParameterBindings>";
    CHECK(count(checked(machine(), boom, set), Severity::warning) == 0);
    const std::string open = "<ssd:Connectors>" + connector("load", "input") + "</ssd:Connectors>";
    CHECK(count(checked(machine(), boom + connection("load", "machine.adjust.force"), open), Severity::warning) == 0);
    CHECK(count(checked(machine(), boom, {}, {"machine.adjust.force"}), Severity::warning) == 0);
    CHECK(count(checked(machine(), ""), Severity::warning) == 0);
}

TEST_CASE("a terminal with nobody there is not forgotten, half a terminal is") {
    using master::core::Type;
    UnitInfo bus = unit({variable("one.clock", Causality::input), variable("one.data", Causality::input),
                         variable("two.clock", Causality::input), variable("two.data", Causality::input)});
    for (const std::size_t terminal : {0U, 2U}) {
        bus.variables[terminal].type = Type::clock;
        bus.variables[terminal].clock_kind = master::core::ClockKind::triggered;
        bus.variables[terminal + 1].clocks = {static_cast<std::uint32_t>(terminal)};
    }
    const std::string data = connection("drive.y", "machine.one.data");
    CHECK(count(checked(bus, data), Severity::warning) == 0);
    // Its clock is forgotten where another one's is connected.
    bus.variables[2].clocks = {};
    UnitInfo plain = bus;
    plain.variables[2].type = Type::real;
    plain.variables[3].clocks = {};
    CHECK(contains(all(checked(plain, data)), "'machine.two.data'"));
}

TEST_CASE("a unit of which the system's description has no connector is an error") {
    const std::string declared =
        "<ssd:Connectors>" + connector("speed", "input") + connector("torque", "output") + "</ssd:Connectors>";
    const Diagnostics diagnostics = checked(machine(), "", {}, {}, declared);
    REQUIRE(diagnostics.has_errors());
    std::string error;
    for (const auto& finding : diagnostics.findings())
        if (finding.severity == Severity::error) error = finding.text;
    CHECK(contains(error, "none of the connectors of component 'machine' (speed, torque)"));

    const std::string one =
        "<ssd:Connectors>" + connector("speed", "input") + connector("force", "input") + "</ssd:Connectors>";
    CHECK_FALSE(checked(machine(), "", {}, {}, one).has_errors());
}
