#include "master/build/resolve/resolve.hpp"
#include "tests/master/ssp/support.hpp"

using namespace tests::ssp;
using master::base::Diagnostics;
using master::base::Severity;
using master::core::Causality;
using master::core::UnitInfo;
using master::core::Value;

namespace {

/// From the root's connector with a dot in its name to the input of a component.
std::string command(const std::string& component, const std::string& inside = {}) {
    return R"(<ssd:Connection startConnector="boom.command" endConnector="u" endElement=")" + component + "\">" +
           inside + "</ssd:Connection>\n";
}

/// A plant with parameters and inputs behind connectors of the root system, and a second component without.
struct Plant {
    master::core::Plan plan;
    std::vector<master::core::Values> structural;
    Diagnostics diagnostics;

    explicit Plant(std::vector<std::string> set, const std::string& bindings = {}) {
        Folder folder;
        folder.fmus({"plant", "other"})
            .write("SystemStructure.ssd",
                   ssd("<ssd:Connectors>" + connector("boom.command", "input", "<ssc:Real/>") +
                           connector("ambient", "parameter", "<ssc:Real unit=\"degC\"/>") +
                           connector("gains", "parameter") + connector("size", "structuralParameter") +
                           connector("mode", "parameter", "<ssc:Enumeration name=\"Mode\"/>") +
                           connector("out", "output") + "</ssd:Connectors>" + bindings + "<ssd:Elements>" +
                           component("plant") + component("other") + "</ssd:Elements><ssd:Connections>" +
                           command("plant", "<ssc:LinearTransformation factor=\"2\" offset=\"1\"/>") +
                           command("other") + connection("ambient", "plant.T") + connection("gains", "plant.k") +
                           connection("size", "plant.n") + connection("mode", "plant.mode") +
                           connection("plant.y", "out") + "</ssd:Connections>",
                       "<ssd:Enumerations><ssc:Enumeration name=\"Mode\"><ssc:Item name=\"off\" value=\"0\"/>"
                       "<ssc:Item name=\"on\" value=\"3\"/></ssc:Enumeration></ssd:Enumerations>"
                       "<ssd:Units><ssc:Unit name=\"degC\"><ssc:BaseUnit K=\"1\" offset=\"273.15\"/></ssc:Unit>"
                       "</ssd:Units>"));
        UnitInfo plant = unit({variable("u", Causality::input), variable("T", Causality::parameter, "Real", "K"),
                               array(variable("k", Causality::parameter), {2}),
                               variable("n", Causality::structural_parameter, "UInt64"),
                               variable("mode", Causality::parameter, "Enumeration"), variable("y", Causality::output),
                               variable("damping", Causality::parameter)});
        plant.variables[4].enumeration = "Mode";
        plant.enumerations = {{"Mode", {{"off", 0}, {"on", 3}}}};
        plant.units = {{"K", kelvin_exponents, 1, 0}};
        const UnitInfo other = unit({variable("u", Causality::input)});
        const std::vector<const UnitInfo*> infos{&plant, &other};
        const auto description = read(folder, diagnostics);
        structural = master::build::structural_values(description, infos, {.set = set}, diagnostics);
        plan = master::build::resolve(description, infos, {.set = std::move(set)}, diagnostics);
    }

    [[nodiscard]] const master::core::EffectiveValue* effective(std::uint32_t component, std::uint32_t variable) const {
        const auto& values = plan.units[component].effective;
        const auto found = std::ranges::find(values, variable, &master::core::EffectiveValue::variable);
        return found == values.end() ? nullptr : &*found;
    }
    [[nodiscard]] Value value(std::uint32_t component, std::uint32_t variable) const {
        INFO(all(diagnostics));
        const master::core::EffectiveValue* found = effective(component, variable);
        REQUIRE(found != nullptr);
        return found->value;
    }
    [[nodiscard]] std::string error() const {
        for (const master::base::Finding& finding : diagnostics.findings())
            if (finding.severity == Severity::error) return finding.where + ": " + finding.text;
        return {};
    }
};

Value reals(std::vector<double> values) { return values; }

}  // namespace

TEST_CASE("the command line sets a connector of the root system, and all that it leads to") {
    const Plant plant({"boom.command=0.25"});
    CHECK_FALSE(plant.diagnostics.has_errors());
    CHECK(plant.value(0, 0) == reals({1.5}));  // 2 u + 1 on the way
    CHECK(plant.value(1, 0) == reals({0.25}));
    CHECK(plant.effective(1, 0)->origin == "--set boom.command=0.25");
}

TEST_CASE("a value for a root connector is in the connector's unit, type and enumeration") {
    CHECK(Plant({"ambient=20"}).value(0, 1) == reals({293.15}));
    CHECK(Plant({"plant.T=20"}).value(0, 1) == reals({20}));
    CHECK(Plant({"mode=on"}).value(0, 4) == Value(std::vector<std::int64_t>{3}));
    CHECK(Plant({"mode=3"}).value(0, 4) == Value(std::vector<std::int64_t>{3}));
    CHECK(contains(Plant({"mode=om"}).error(), "closest match 'on'"));
    CHECK(contains(Plant({"ambient=warm"}).error(), "--set ambient=warm: 'warm' is no Real"));
}

TEST_CASE("a root connector of an array is set whole or in elements") {
    CHECK(Plant({"gains=1,2"}).value(0, 2) == reals({1, 2}));
    CHECK(Plant({"gains=1,2", "gains[2]=5"}).value(0, 2) == reals({1, 5}));
    CHECK(contains(Plant({"gains=1,2,3"}).error(), "3 values"));
    CHECK(contains(Plant({"gains[3]=1"}).error(), "does not exist"));
}

TEST_CASE("of several values on the command line the last one wins, whichever name it has") {
    CHECK(Plant({"plant.T=5", "ambient=20"}).value(0, 1) == reals({293.15}));
    CHECK(Plant({"ambient=20", "plant.T=5"}).value(0, 1) == reals({5}));
}

namespace {

/// A parameter set of the root system: names with the inside of their Real elements.
std::string root_set(const std::vector<std::pair<std::string, std::string>>& values) {
    std::string text =
        "<ssd:ParameterBindings><ssd:ParameterBinding><ssd:ParameterValues><ssv:ParameterSet version=\"1.0\" "
        "name=\"p\"><ssv:Parameters>";
    for (const auto& [name, value] : values)
        text += "<ssv:Parameter name=\"" + name + "\"><ssv:Real " + value + "/></ssv:Parameter>";
    return text +
           "</ssv:Parameters></ssv:ParameterSet></ssd:ParameterValues></ssd:ParameterBinding></ssd:ParameterBindings>";
}

}  // namespace

TEST_CASE("a value of a parameter set without a unit is in the unit of the connector it is given to") {
    CHECK(Plant({}, root_set({{"ambient", "value=\"20\""}})).value(0, 1) == reals({293.15}));
    CHECK(Plant({}, root_set({{"ambient", "value=\"300\" unit=\"K\""}})).value(0, 1) == reals({300}));
    CHECK(Plant({}, root_set({{"plant.T", "value=\"20\""}})).value(0, 1) == reals({20}));
}

TEST_CASE("a value's own unit may be one that everybody knows") {
    const Plant plant({}, root_set({{"plant.T", "value=\"68\" unit=\"degF\""}}));
    CHECK(std::get<std::vector<double>>(plant.value(0, 1)).front() == Approx(293.15));
    CHECK(contains(find(plant.diagnostics, "unit-undefined")->text, "'degF'"));
}

TEST_CASE("a connection is above a value that is given to its end, whichever is written last") {
    for (const bool connector_first : {true, false}) {
        std::vector<std::pair<std::string, std::string>> values{{"ambient", "value=\"30\""},
                                                                {"plant.T", "value=\"10\""}};
        if (!connector_first) std::swap(values[0], values[1]);
        const Plant plant({}, root_set(values));
        CHECK(plant.value(0, 1) == reals({303.15}));
        const master::base::Finding* overruled = find(plant.diagnostics, "overruled");
        REQUIRE(overruled != nullptr);
        CHECK(contains(overruled->where, "SystemStructure.ssd:"));
        CHECK(contains(overruled->text, "the value 10 of 'plant.T' is overruled by 303.15"));
        CHECK(contains(overruled->text, "'ambient'"));
    }
    CHECK(Plant({"plant.T=5"}, root_set({{"ambient", "value=\"30\""}})).value(0, 1) == reals({5}));
}

TEST_CASE("the command line wins over a parameter set of the system") {
    const std::string set =
        "<ssd:ParameterBindings><ssd:ParameterBinding><ssd:ParameterValues><ssv:ParameterSet version=\"1.0\" "
        "name=\"p\"><ssv:Parameters><ssv:Parameter name=\"ambient\"><ssv:Real value=\"10\" "
        "unit=\"degC\"/></ssv:Parameter></ssv:Parameters></ssv:ParameterSet></ssd:ParameterValues>"
        "</ssd:ParameterBinding></ssd:ParameterBindings>";
    CHECK(Plant({}, set).value(0, 1) == reals({283.15}));
    CHECK(Plant({"ambient=20"}, set).value(0, 1) == reals({293.15}));
}

TEST_CASE("a structural parameter behind a root connector is known before arrays get their sizes") {
    const Plant plant({"size=4", "ambient=20"});
    REQUIRE(plant.structural[0].size() == 1);
    CHECK(plant.structural[0][0].value == Value(std::vector<std::uint64_t>{4}));
    CHECK_FALSE(plant.diagnostics.has_errors());
}

TEST_CASE("an unknown name of the command line is an error with the closest connector or variable") {
    CHECK(contains(Plant({"boom.comand=1"}).error(), "closest match 'boom.command'"));
    CHECK(contains(Plant({"plant.dampin=1"}).error(), "closest match 'plant.damping'"));
    CHECK(contains(Plant({"ambiemt=1"}).error(), "closest match 'ambient'"));
    CHECK(contains(Plant({"plamt.damping=1"}).error(), "closest match 'plant.damping'"));
    CHECK(contains(Plant({"out=1"}).error(), "cannot be set"));
    CHECK(contains(Plant({"ambient"}).error(), "expected"));
}
