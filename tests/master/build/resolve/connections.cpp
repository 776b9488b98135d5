#include "master/build/resolve/resolve.hpp"
#include "tests/master/ssp/support.hpp"

using namespace tests::ssp;
using master::base::Diagnostics;
using master::base::Severity;
using master::core::Causality;
using master::core::Plan;
using master::core::UnitInfo;
using master::core::Variable;

namespace {

struct Result {
    Plan plan;
    Diagnostics diagnostics;
};

/// Components a and b with connections between them, resolved against two units.
Result joined(const UnitInfo& a, const UnitInfo& b, const std::string& connections, const std::string& more = {},
              const std::string& rest = {}) {
    Result result;
    Folder folder;
    folder.fmus({"a", "b"})
        .write("SystemStructure.ssd", ssd(more + "<ssd:Elements>" + component("a") + component("b") +
                                              "</ssd:Elements><ssd:Connections>\n" + connections + "</ssd:Connections>",
                                          rest));
    const auto description = read(folder, result.diagnostics);
    const std::vector<const UnitInfo*> infos{&a, &b};
    result.plan = master::build::resolve(description, infos, {}, result.diagnostics);
    return result;
}

UnitInfo sender(const std::string& type = "Real", const std::string& unit_name = {}) {
    return unit({variable("y", Causality::output, type, unit_name)});
}
UnitInfo receiver(const std::string& type = "Real", const std::string& unit_name = {}) {
    return unit({variable("u", Causality::input, type, unit_name)});
}

std::string code_of(const Result& result) {
    for (const master::base::Finding& finding : result.diagnostics.findings()) {
        if (finding.severity != Severity::error) continue;
        CHECK(contains(finding.where, "SystemStructure.ssd:"));
        return finding.code;
    }
    return "";
}

const std::array<int, 8> metre{0, 1, 0, 0, 0, 0, 0, 0};

}  // namespace

TEST_CASE("a wire goes from the output to the input, also where no kind is declared") {
    for (const std::string& text : {connection("a.y", "b.u"), connection("b.u", "a.y")}) {
        const Result result = joined(sender(), receiver(), text);
        INFO(all(result.diagnostics));
        CHECK(result.diagnostics.findings().empty());
        REQUIRE(result.plan.wires.size() == 1);
        CHECK(result.plan.wires[0].from.unit == 0);
        CHECK(result.plan.wires[0].to.unit == 1);
        CHECK(result.plan.wires[0].label == "a.y -> b.u");
        CHECK(result.plan.boundary.empty());
    }
}

TEST_CASE("an unknown connector is an error with the closest variable") {
    const Result result =
        joined(unit({variable("pressure", Causality::output)}), receiver(), connection("a.presure", "b.u"));
    CHECK(code_of(result) == "unknown-name");
    CHECK(contains(find(result.diagnostics, "unknown-name")->text, "closest match 'pressure'"));
}

TEST_CASE("all errors are collected in one pass") {
    const Result result =
        joined(sender(), receiver(), connection("a.q", "b.u") + connection("a.y", "b.q") + connection("a.y", "a.y"));
    CHECK(count(result.diagnostics, Severity::error) == 3);
}

TEST_CASE("causality: nothing flows from an input, into an output or into a fixed parameter") {
    CHECK(code_of(joined(receiver(), receiver(), connection("a.u", "b.u"))) == "causality");
    CHECK(code_of(joined(sender(), sender(), connection("a.y", "b.y"))) == "causality");
    CHECK(code_of(joined(sender(), unit({variable("p", Causality::parameter)}), connection("a.y", "b.p"))) ==
          "causality");
    Variable tunable = variable("p", Causality::parameter);
    tunable.variability = master::core::Variability::tunable;
    CHECK(code_of(joined(sender(), unit({tunable}), connection("a.y", "b.p"))).empty());
    CHECK(code_of(joined(unit({variable("x", Causality::local)}), receiver(), connection("a.x", "b.u"))).empty());
}

TEST_CASE("a clock with an interval of its own cannot be triggered by another unit") {
    const auto clock = [](Causality causality, master::core::ClockKind kind) {
        Variable result = variable(causality == Causality::input ? "u" : "y", causality, "Clock");
        result.clock_kind = kind;
        return unit({result});
    };
    const UnitInfo sends = clock(Causality::output, master::core::ClockKind::triggered);
    const std::string wire = connection("a.y", "b.u");
    for (const auto kind : {master::core::ClockKind::constant, master::core::ClockKind::countdown}) {
        const Result result = joined(sends, clock(Causality::input, kind), wire);
        REQUIRE(code_of(result) == "clock");
        CHECK(contains(find(result.diagnostics, "clock")->where, "SystemStructure.ssd:"));
    }
    CHECK(code_of(joined(sends, clock(Causality::input, master::core::ClockKind::triggered), wire)).empty());
}

TEST_CASE("two sources for one input are an error, also through an alias") {
    const UnitInfo a = unit({variable("y", Causality::output), variable("z", Causality::output)});
    CHECK(code_of(joined(a, receiver(), connection("a.y", "b.u") + connection("a.z", "b.u"))) == "two-sources");
    UnitInfo aliased = unit({variable("u", Causality::input), variable("w", Causality::input)});
    aliased.variables[1].alias_of = 0;
    const Result result = joined(a, aliased, connection("a.y", "b.u") + connection("a.z", "b.w"));
    CHECK(code_of(result) == "two-sources");
    CHECK(contains(find(result.diagnostics, "two-sources")->text, "one variable under two names"));
}

TEST_CASE("types widen without loss, anything else asks for a transformation") {
    const auto type_error = [](const std::string& from, const std::string& to, const std::string& transformation = {}) {
        return code_of(joined(sender(from), receiver(to), connection("a.y", "b.u", "", transformation)));
    };
    for (const auto& [from, to] : {std::pair{"Float32", "Float64"},
                                   {"Real", "Float64"},
                                   {"Int8", "Int16"},
                                   {"UInt8", "Int16"},
                                   {"Int32", "Float64"},
                                   {"UInt32", "Real"},
                                   {"Integer", "Int32"},
                                   {"Int32", "Integer"},
                                   {"Int16", "Float32"},
                                   {"Enumeration", "Int32"},
                                   {"Integer", "Enumeration"},
                                   {"Boolean", "Boolean"},
                                   {"String", "String"},
                                   {"Clock", "Clock"}})
        CHECK(type_error(from, to).empty());
    for (const auto& [from, to] : {std::pair{"Float64", "Float32"},
                                   {"Int64", "Float64"},
                                   {"UInt8", "Int8"},
                                   {"Int8", "UInt16"},
                                   {"Real", "Integer"},
                                   {"Boolean", "Integer"},
                                   {"Boolean", "Real"},
                                   {"Int32", "Float32"},
                                   {"String", "Real"},
                                   {"Enumeration", "Real"},
                                   {"Binary", "String"}})
        CHECK(type_error(from, to) == "type-mismatch");
    CHECK(type_error("Boolean", "Real", "<ssc:LinearTransformation factor=\"5\"/>").empty());
    CHECK(type_error("Boolean", "Integer",
                     "<ssc:IntegerMappingTransformation><ssc:MapEntry source=\"1\" "
                     "target=\"7\"/></ssc:IntegerMappingTransformation>")
              .empty());
    CHECK(type_error("Real", "Integer", "<ssc:LinearTransformation factor=\"1\"/>") == "type-mismatch");
    CHECK(contains(
        find(joined(sender("Boolean"), receiver("Real"), connection("a.y", "b.u")).diagnostics, "type-mismatch")->text,
        "LinearTransformation"));
}

TEST_CASE("binary signals of different kinds are joined with a warning") {
    UnitInfo cloud = sender("Binary"), frame = receiver("Binary");
    cloud.variables[0].mime_type = "application/x-cloud";
    frame.variables[0].mime_type = "application/x-frame";
    const Result result = joined(cloud, frame, connection("a.y", "b.u"));
    CHECK(result.plan.wires.size() == 1);
    CHECK(find(result.diagnostics, "mime-type"));
}

TEST_CASE("units convert with factor and offset, and a linear transformation comes after them") {
    UnitInfo celsius = sender("Real", "degC");
    celsius.units = {{"degC", kelvin_exponents, 1, 273.15}};
    UnitInfo absolute = receiver("Real", "K");
    absolute.units = {{"K", kelvin_exponents, 1, 0}};
    Result result = joined(celsius, absolute, connection("a.y", "b.u"));
    REQUIRE(result.plan.wires.size() == 1);
    CHECK(result.plan.wires[0].gain == 1);
    CHECK(result.plan.wires[0].offset == 273.15);
    result = joined(celsius, absolute,
                    connection("a.y", "b.u", "", "<ssc:LinearTransformation factor=\"2\" offset=\"1\"/>"));
    CHECK(result.plan.wires.at(0).gain == 2);
    CHECK(result.plan.wires.at(0).offset == Approx(2 * 273.15 + 1).epsilon(1e-15));
    result = joined(celsius, absolute, connection("a.y", "b.u", "suppressUnitConversion=\"true\""));
    CHECK(result.plan.wires.at(0).offset == 0);
}

TEST_CASE("units of different dimensions are an error unless the conversion is suppressed") {
    UnitInfo length = sender("Real", "m");
    length.units = {{"m", metre, 1, 0}};
    UnitInfo temperature = receiver("Real", "K");
    temperature.units = {{"K", kelvin_exponents, 1, 0}};
    CHECK(code_of(joined(length, temperature, connection("a.y", "b.u"))) == "unit-mismatch");
    CHECK(code_of(joined(length, temperature, connection("a.y", "b.u", "suppressUnitConversion=\"true\""))).empty());
}

TEST_CASE("a value whose unit one side does not define passes unchanged, with one note for all") {
    UnitInfo length =
        unit({variable("y", Causality::output, "Real", "m"), variable("z", Causality::output, "Real", "m")});
    length.units = {{"m", metre, 1, 0}};
    const Result result = joined(length, unit({variable("u", Causality::input), variable("w", Causality::input)}),
                                 connection("a.y", "b.u") + connection("a.z", "b.w"));
    CHECK(count(result.diagnostics, Severity::note) == 1);
    CHECK(contains(find(result.diagnostics, "unit-undefined")->text, "1 more"));
    CHECK(result.plan.wires.size() == 2);
}

TEST_CASE("units that only their names tell convert, with a note for each") {
    const Result result =
        joined(unit({variable("y", Causality::output, "Real", "mm"), variable("z", Causality::output, "Real", "mm")}),
               unit({variable("u", Causality::input, "Real", "m"), variable("w", Causality::input, "Real", "m")}),
               connection("a.y", "b.u") + connection("a.z", "b.w"));
    REQUIRE(result.plan.wires.size() == 2);
    CHECK(result.plan.wires.front().gain == Approx(1e-3));
    CHECK(contains(find(result.diagnostics, "unit-undefined")->text, "'mm' has no definition"));
    CHECK(count(result.diagnostics, Severity::note) == 1);  // once for both connections
    CHECK(count(result.diagnostics, Severity::warning) == 0);
}

TEST_CASE("a definition in the system's file is above a well-known name") {
    const std::string units =
        "<ssd:Units><ssc:Unit name=\"mm\"><ssc:BaseUnit m=\"1\" factor=\"0.5\"/></ssc:Unit></ssd:Units>";
    const Result result = joined(sender("Real", "mm"), receiver("Real", "m"), connection("a.y", "b.u"), {}, units);
    REQUIRE(result.plan.wires.size() == 1);
    CHECK(result.plan.wires.front().gain == 0.5);
}

TEST_CASE("two names of units of which one is not understood are a warning, with the ways out") {
    const UnitInfo from = sender("Real", "smoot");
    const UnitInfo to = receiver("Real", "m");
    const Result doubtful = joined(from, to, connection("a.y", "b.u"));
    REQUIRE(count(doubtful.diagnostics, Severity::warning) == 1);
    const std::string text = find(doubtful.diagnostics, "unit-mismatch")->text;
    CHECK(contains(text, "a.y -> b.u"));
    CHECK(contains(text, "'smoot'"));
    CHECK(contains(text, "suppressUnitConversion"));
    CHECK(contains(text, "LinearTransformation"));
    CHECK(doubtful.plan.wires.size() == 1);

    CHECK(joined(from, to, connection("a.y", "b.u", "suppressUnitConversion=\"true\"")).diagnostics.findings().empty());
    const Result transformed =
        joined(from, to, connection("a.y", "b.u", {}, "<ssc:LinearTransformation factor=\"1.7018\"/>"));
    CHECK(transformed.diagnostics.findings().empty());
    CHECK(transformed.plan.wires.front().gain == 1.7018);
}

TEST_CASE("a parameter that another unit drives does not keep the value of a parameter set") {
    UnitInfo to = unit({variable("p", Causality::parameter)});
    to.variables.front().variability = master::core::Variability::tunable;
    const std::string set =
        "<ssd:ParameterBindings><ssd:ParameterBinding><ssd:ParameterValues><ssv:ParameterSet version=\"1.0\" "
        "name=\"s\"><ssv:Parameters><ssv:Parameter name=\"b.p\"><ssv:Real value=\"10\"/></ssv:Parameter>"
        "</ssv:Parameters></ssv:ParameterSet></ssd:ParameterValues></ssd:ParameterBinding></ssd:ParameterBindings>";
    const Result result = joined(sender(), to, connection("a.y", "b.p"), set);
    CHECK(result.plan.units[1].effective.empty());
    REQUIRE(find(result.diagnostics, "overruled") != nullptr);
    CHECK(contains(find(result.diagnostics, "overruled")->text, "the value 10 of 'b.p'"));
    CHECK(contains(find(result.diagnostics, "overruled")->text, "a.y -> b.p"));
}

TEST_CASE("a nested connector's own unit takes part in the conversion") {
    // 2 m -> 2000 mm, doubled there to 4000 mm -> 4 m; without the nested unit the offset of 1 would be a metre.
    Folder folder;
    folder.fmus({"a", "b"})
        .write(
            "SystemStructure.ssd",
            ssd("<ssd:Elements>" + component("a", "<ssd:Connectors>" + connector("y", "output") + "</ssd:Connectors>") +
                    "<ssd:System name=\"s\"><ssd:Connectors>" + connector("in", "input", "<ssc:Real unit=\"mm\"/>") +
                    "</ssd:Connectors><ssd:Elements>" +
                    component("b", "<ssd:Connectors>" + connector("u", "input") + "</ssd:Connectors>") +
                    "</ssd:Elements><ssd:Connections>" + connection("in", "b.u") +
                    "</ssd:Connections></ssd:System></ssd:Elements><ssd:Connections>" +
                    connection("a.y", "s.in", "", "<ssc:LinearTransformation factor=\"2\" offset=\"1\"/>") +
                    "</ssd:Connections>",
                "<ssd:Units><ssc:Unit name=\"mm\"><ssc:BaseUnit m=\"1\" factor=\"0.001\"/></ssc:Unit></ssd:Units>"));
    Diagnostics diagnostics;
    const auto description = read(folder, diagnostics);
    UnitInfo a = sender("Real", "m"), b = receiver("Real", "m");
    a.units = b.units = {{"m", metre, 1, 0}};
    const std::vector<const UnitInfo*> infos{&a, &b};
    const Plan plan = master::build::resolve(description, infos, {}, diagnostics);
    INFO(all(diagnostics));
    REQUIRE(plan.wires.size() == 1);
    CHECK(plan.wires[0].gain == Approx(2).epsilon(1e-15));
    CHECK(plan.wires[0].offset == Approx(0.001).epsilon(1e-15));
}

TEST_CASE("arrays connect whole, in rows or element by element") {
    const UnitInfo matrix = unit({array(variable("y", Causality::output), {2, 3})});
    const UnitInfo row = unit({array(variable("u", Causality::input), {3})});
    const UnitInfo scalars = unit({variable("u[1]", Causality::input), variable("u[2]", Causality::input)});
    CHECK(code_of(joined(matrix, row, connection("a.y", "b.u"))) == "array-size");
    Result result = joined(matrix, row, connection("a.y", "b.u", "startIndices=\"2\""));
    REQUIRE(result.plan.wires.size() == 1);
    CHECK(result.plan.wires[0].from.element == 3);
    CHECK(result.plan.wires[0].count == 3);
    CHECK(result.plan.wires[0].label == "a.y[2] -> b.u");
    result = joined(matrix, scalars,
                    connection("a.y", "b.u[2]", "startIndices=\"2 3\"") +
                        connection("a.y", "b.u", "startIndices=\"1 1\" endIndices=\"1\""));
    INFO(all(result.diagnostics));
    REQUIRE(result.plan.wires.size() == 2);
    CHECK(result.plan.wires[0].from.element == 5);
    CHECK(result.plan.wires[0].to.variable == 1);
    CHECK(result.plan.wires[1].to.variable == 0);
    CHECK(code_of(joined(matrix, row, connection("a.y", "b.u", "startIndices=\"3 1\" endIndices=\"1\""))) ==
          "bad-value");
    CHECK(code_of(joined(matrix, row, connection("a.y", "b.u", "startIndices=\"1 1 1\" endIndices=\"1\""))) ==
          "bad-value");
}

TEST_CASE("elements of an input that no wire drives stay free inputs") {
    const UnitInfo row = unit({array(variable("u", Causality::input), {3}), variable("w", Causality::input)});
    const Result result = joined(sender(), row, connection("a.y", "b.u", "endIndices=\"2\""));
    REQUIRE(result.plan.boundary.size() == 3);
    CHECK(result.plan.boundary[0].name == "b.u[1]");
    CHECK(result.plan.boundary[1].name == "b.u[3]");
    CHECK(result.plan.boundary[2].name == "b.w");
    CHECK(result.plan.boundary[2].input);
}

TEST_CASE("root connectors become ports, converted to the unit behind them") {
    UnitInfo b = unit({variable("u", Causality::input, "Real", "K"), variable("y", Causality::output)});
    b.units = {{"K", kelvin_exponents, 1, 0}};
    const Result result =
        joined(sender(), b, connection("t", "b.u") + connection("b.y", "out"),
               "<ssd:Connectors>" + connector("t", "input", "<ssc:Real unit=\"degC\"/>") + connector("out", "output") +
                   connector("lonely", "output") + "</ssd:Connectors>",
               "<ssd:Units><ssc:Unit name=\"degC\"><ssc:BaseUnit K=\"1\" offset=\"273.15\"/></ssc:Unit></ssd:Units>");
    INFO(all(result.diagnostics));
    CHECK_FALSE(result.diagnostics.has_errors());
    REQUIRE(result.plan.boundary.size() == 2);
    CHECK(result.plan.boundary[0].name == "t");
    CHECK(result.plan.boundary[0].offset == 273.15);
    CHECK(result.plan.boundary[0].inner.unit == 1);
    CHECK_FALSE(result.plan.boundary[1].input);
    CHECK(contains(find(result.diagnostics, "unconnected")->text, "lonely"));
}

TEST_CASE("mapping transformations become tables of numbers") {
    UnitInfo a = sender("Enumeration"), b = receiver("Enumeration");
    a.variables[0].enumeration = b.variables[0].enumeration = "Mode";
    a.enumerations = {{"Mode", {{"off", 1}, {"on", 2}}}};
    b.enumerations = {{"Mode", {{"aus", 10}, {"ein", 20}}}};
    const auto table = [](const std::string& entries) {
        return "<ssc:EnumerationMappingTransformation>" + entries + "</ssc:EnumerationMappingTransformation>";
    };
    Result result = joined(
        a, b,
        connection("a.y", "b.u", "",
                   table("<ssc:MapEntry source=\"off\" target=\"aus\"/><ssc:MapEntry source=\"on\" target=\"ein\"/>")));
    REQUIRE(result.plan.wires.size() == 1);
    CHECK(result.plan.wires[0].table == std::vector<std::pair<std::int64_t, std::int64_t>>{{1, 10}, {2, 20}});
    result = joined(a, b, connection("a.y", "b.u", "", table("<ssc:MapEntry source=\"off\" target=\"auss\"/>")));
    CHECK(code_of(result) == "bad-value");
    CHECK(contains(find(result.diagnostics, "bad-value")->text, "closest match 'aus'"));
}

TEST_CASE("a declared connector must be what the unit has") {
    const auto declared = [](const std::string& inside, const std::string& connections) {
        Folder folder;
        folder.fmus({"a", "b"})
            .write("SystemStructure.ssd",
                   ssd("<ssd:Elements>" + component("a", "<ssd:Connectors>" + inside + "</ssd:Connectors>") +
                       component("b") + "</ssd:Elements><ssd:Connections>" + connections + "</ssd:Connections>"));
        Result result;
        const auto description = read(folder, result.diagnostics);
        const UnitInfo a = sender(), b = receiver();
        const std::vector<const UnitInfo*> infos{&a, &b};
        result.plan = master::build::resolve(description, infos, {}, result.diagnostics);
        return result;
    };
    CHECK(code_of(declared(connector("y", "output", "<ssc:Integer/>"), connection("a.y", "b.u"))) == "type-mismatch");
    CHECK(code_of(declared(connector("y", "output", "<ssc:Real/><ssc:Dimension size=\"2\"/>"),
                           connection("a.y", "b.u"))) == "array-size");
    CHECK(code_of(declared(connector("y", "output", "<ssc:Float64/>"), connection("a.y", "b.u"))).empty());
    const Result unused = declared(connector("z", "output"), connection("a.y", "b.u"));
    CHECK_FALSE(unused.diagnostics.has_errors());
    CHECK(count(unused.diagnostics, Severity::warning) == 1);
}

TEST_CASE("a component without an implementation cannot be run, but the rest can be checked") {
    Folder folder;
    folder.fmus({"a"}).write("SystemStructure.ssd", ssd("<ssd:Elements>" + component("a") +
                                                        "<ssd:Component name=\"b\"/></ssd:Elements><ssd:Connections>" +
                                                        connection("a.y", "b.u") + "</ssd:Connections>"));
    Diagnostics diagnostics;
    const auto description = read(folder, diagnostics);
    const UnitInfo a = sender();
    const std::vector<const UnitInfo*> infos{&a, nullptr};
    (void)master::build::resolve(description, infos, {.set = {}, .to_run = false}, diagnostics);
    CHECK_FALSE(diagnostics.has_errors());
    (void)master::build::resolve(description, infos, {}, diagnostics);
    CHECK(find(diagnostics, "no-implementation"));
}

TEST_CASE("the order of units names every component once") {
    const auto ordered = [](const std::string& order) {
        return joined(sender(), receiver(), connection("a.y", "b.u"), "",
                      "<ssd:DefaultExperiment startTime=\"0.5\" stopTime=\"2\"><ssd:Annotations><ssc:Annotation "
                      "type=\"io.tandem.cosim\"><t:Master order=\"" +
                          order + "\"/></ssc:Annotation></ssd:Annotations></ssd:DefaultExperiment>");
    };
    const Result result = ordered("b a");
    CHECK(result.plan.order == std::vector<std::uint32_t>{1, 0});
    CHECK(code_of(ordered("b c")) == "unknown-name");
    CHECK(code_of(ordered("b b")) == "bad-value");
    CHECK(code_of(ordered("b")) == "bad-value");
}
