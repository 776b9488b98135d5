#include "master/base/error.hpp"
#include "master/fmi/description/model_description.hpp"
#include "master/fmi/description/read_description.hpp"
#include "tests/master/fmi/description/samples.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

using namespace master;
using namespace master::fmi;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;
using tests::finding;
using tests::fmi2_sample;
using tests::fmi3_sample;
using tests::variable;
using tests::with;

namespace {

/// The error with that code, "file:line: text".
std::string error(const std::string& xml, std::string_view code) {
    base::Diagnostics diagnostics;
    static_cast<void>(fmi::parse_model_description(xml, "md.xml", diagnostics));
    CHECK(diagnostics.has_errors());
    return finding(diagnostics, base::Severity::error, code);
}

struct Noted {
    std::string text;
    fmi::ModelDescription description;
};

/// The note with that code; nothing else may be wrong, and a strict reader must refuse.
Noted note(const std::string& xml, std::string_view code) {
    base::Diagnostics diagnostics;
    fmi::ModelDescription description = fmi::parse_model_description(xml, "md.xml", diagnostics);
    for (const base::Finding& finding : diagnostics.findings()) UNSCOPED_INFO(finding.where << ": " << finding.text);
    CHECK_FALSE(diagnostics.has_errors());
    base::Diagnostics strict;
    strict.strict = true;
    static_cast<void>(fmi::parse_model_description(xml, "md.xml", strict));
    CHECK(strict.has_errors());
    return {finding(diagnostics, base::Severity::note, code), std::move(description)};
}

/// What ends the reading at once.
std::string thrown(const std::string& xml) {
    base::Diagnostics diagnostics;
    try {
        static_cast<void>(fmi::parse_model_description(xml, "md.xml", diagnostics));
    } catch (const base::Error& error) {
        CHECK(error.exit() == base::Exit::bad_input);
        return error.where() + ": " + error.what();
    }
    return {};
}

}  // namespace

TEST_CASE("what is no model description is refused at once, with its line") {
    CHECK_THAT(thrown(with(fmi2_sample, "<LogCategories>", "<LogCategories")),
               StartsWith("md.xml:17: not well-formed XML"));
    CHECK_THAT(thrown(""), StartsWith("md.xml:1: not well-formed XML"));
    CHECK(thrown("<?xml version=\"1.0\"?>\n<SystemStructure/>") ==
          "md.xml:2: the root element is 'SystemStructure'; expected 'fmiModelDescription'");
    CHECK_THAT(thrown(with(fmi2_sample, "\"2.0\"", "\"1.0\"")), StartsWith("md.xml:2: is an FMI 1.0 unit"));
    CHECK_THAT(thrown(with(fmi2_sample, "\"2.0\"", "\"4.0\"")), Contains("'4.0'; expected 2.0 or 3.0"));
    CHECK_THAT(thrown(with(fmi2_sample, "fmiVersion=\"2.0\"", "")), Contains("has no fmiVersion"));
    CHECK_THAT(thrown(std::string("\xFF\xFE<\0", 4)), Contains("not well-formed"));
}

TEST_CASE("a line number counts lines also behind a byte-order mark and in Latin-1") {
    const std::string broken = with(fmi2_sample, "guid=\"{a-b}\"", "");
    CHECK_THAT(error("\xEF\xBB\xBF" + broken, "missing-attribute"), StartsWith("md.xml:2: has no guid"));
    std::string latin = with(with(fmi2_sample, "UTF-8", "iso-8859-1"), "index=\"10\"", "index=\"11\"");
    latin = with(latin, "Größe", std::string(2000, '\xF6'));
    CHECK_THAT(error(latin, "dangling-reference"), StartsWith("md.xml:32: "));
}

TEST_CASE("dangling references are errors that name what refers to them") {
    CHECK(error(with(fmi2_sample, "index=\"10\"", "index=\"11\""), "dangling-reference") ==
          "md.xml:32: Outputs refers to '11'; expected an index from 1 to 10");
    CHECK(error(with(fmi2_sample, "dependencies=\"1 3\"", "dependencies=\"1 0\""), "dangling-reference") ==
          "md.xml:32: 'y' depends on '0'; expected an index from 1 to 10");
    CHECK_THAT(error(with(fmi2_sample, "dependencies=\"1 3\"", "dependencies=\"1 x\""), "dangling-reference"),
               Contains("'y' depends on 'x'"));
    CHECK_THAT(error(with(fmi2_sample, "derivative=\"1\"", "derivative=\"77\""), "dangling-reference"),
               StartsWith("md.xml:21: variable 'der(x)' is the derivative of '77'"));
    CHECK(error(with(fmi3_sample, "<Output valueReference=\"5\"", "<Output valueReference=\"99\""),
                "dangling-reference") ==
          "md.xml:44: Output refers to '99'; expected the value reference of a variable");
    CHECK_THAT(error(with(fmi3_sample, "derivative=\"14\"", "derivative=\"99\""), "dangling-reference"),
               Contains("'der(q)' is the derivative of '99'"));
    CHECK_THAT(error(with(fmi3_sample, "clocks=\"20 21\"", "clocks=\"20 99\""), "dangling-reference"),
               Contains("'f' belongs to the clock '99'"));
    CHECK_THAT(error(with(fmi3_sample, "clocks=\"20 21\"", "clocks=\"20 14\""), "dangling-reference"),
               Contains("'q' as its clock, which is Float64; expected Clock"));
    CHECK_THAT(error(with(fmi3_sample, "<Dimension valueReference=\"1\"/>", "<Dimension valueReference=\"99\"/>"),
                     "dangling-reference"),
               StartsWith("md.xml:19: a dimension of 'A' refers to '99'"));
}

TEST_CASE("dimensions must be known before initialisation") {
    CHECK_THAT(error(with(fmi3_sample, "<Dimension valueReference=\"1\"/>", "<Dimension valueReference=\"14\"/>"),
                     "bad-value"),
               Contains("refers to 'q'; expected a structural parameter"));
    CHECK_THAT(error(with(fmi3_sample, "<Dimension start=\"4\"/>", "<Dimension/>"), "bad-value"),
               Contains("expected either start"));
    CHECK_THAT(error(with(fmi3_sample, "<Dimension start=\"4\"/>", "<Dimension start=\"-4\"/>"), "bad-value"),
               Contains("whole number"));
    CHECK_THAT(
        error(with(fmi3_sample, "<Dimension start=\"4\"/>", "<Dimension start=\"4000000000000\"/>"), "array-size"),
        Contains("'u' has more than"));
}

TEST_CASE("unknown types are errors with the closest match") {
    CHECK_THAT(error(with(fmi2_sample, "<Boolean start=\"true\"/>", "<Bolean start=\"true\"/>"), "unknown-name"),
               StartsWith("md.xml:26: ") && Contains("'Bolean'") && Contains("closest match 'Boolean'"));
    CHECK_THAT(error(with(fmi2_sample, "<Boolean start=\"true\"/>", ""), "unknown-name"), Contains("has no type"));
    CHECK_THAT(error(with(fmi3_sample, "<Float32 ", "<Flaot32 "), "unknown-name"), Contains("closest match 'Float32'"));
    CHECK_THAT(error(with(fmi2_sample, "declaredType=\"Pressure\"", "declaredType=\"Presure\""), "unknown-name"),
               Contains("'supply'") && Contains("closest match 'Pressure'"));
}

TEST_CASE("duplicate names are errors, FMI 3 alias names included") {
    CHECK_THAT(error(with(fmi2_sample, "name=\"z\"", "name=\"x\""), "duplicate-name"),
               StartsWith("md.xml:29: the name 'x' is used twice; first at md.xml:20"));
    CHECK_THAT(error(with(fmi3_sample, "name=\"u_alias\"", "name=\"q\""), "duplicate-name"), Contains("'q'"));
}

TEST_CASE("duplicate value references are errors in FMI 3") {
    CHECK_THAT(error(with(fmi3_sample, "valueReference=\"7\"", "valueReference=\"6\""), "duplicate-reference"),
               Contains("'u16' has the valueReference 6 of 'i8'"));
}

TEST_CASE("pairs of causality and variability that cannot be run are errors") {
    CHECK_THAT(error(with(fmi2_sample, "causality=\"input\" variability=\"discrete\"",
                          "causality=\"input\" variability=\"constant\""),
                     "causality-variability"),
               Contains("input and variability constant") && Contains("expected discrete or continuous"));
    CHECK_THAT(error(with(fmi3_sample, "causality=\"parameter\" variability=\"tunable\"",
                          "causality=\"parameter\" variability=\"continuous\""),
                     "causality-variability"),
               Contains("expected fixed or tunable"));
}

TEST_CASE("unknown words are errors with the closest match") {
    CHECK_THAT(error(with(fmi2_sample, "causality=\"input\"", "causality=\"inptu\""), "bad-value"),
               Contains("closest match 'input'"));
    CHECK_THAT(error(with(fmi2_sample, "initial=\"exact\"", "initial=\"exakt\""), "bad-value"),
               Contains("closest match 'exact'"));
    CHECK_THAT(error(with(fmi2_sample, "canInterpolateInputs=\"true\"", "canInterpolateInputs=\"yes\""), "bad-value"),
               Contains("'yes'; expected true or false"));
    CHECK_THAT(error(with(fmi2_sample, "valueReference=\"9\"", "valueReference=\"-9\""), "bad-value"),
               Contains("'-9'; expected a whole number"));
    CHECK_THAT(error(with(fmi2_sample, "valueReference=\"9\"", ""), "bad-value"), Contains("'a[1,2]'"));
}

TEST_CASE("start values must be of their type and fit its width") {
    CHECK_THAT(error(with(fmi2_sample, "start=\"1.5\"", "start=\"1,5\""), "bad-value"),
               StartsWith("md.xml:20: ") && Contains("'1,5'; expected a value of type Real"));
    CHECK_THAT(error(with(fmi2_sample, "start=\"-7\"", "start=\"3000000000\""), "bad-value"), Contains("Integer"));
    CHECK_THAT(error(with(fmi3_sample, "start=\"-128\"", "start=\"-129\""), "bad-value"), Contains("Int8"));
    CHECK_THAT(error(with(fmi3_sample, "start=\"65535\"", "start=\"65536\""), "bad-value"), Contains("UInt16"));
    CHECK_THAT(error(with(fmi3_sample, "start=\"65535\"", "start=\"1 2\""), "bad-value"), Contains("2 start values"));
    CHECK_THAT(error(with(fmi3_sample, "start=\"65535\"", "start=\"\""), "bad-value"), Contains("0 start values"));
    CHECK_THAT(error(with(fmi3_sample, "00fFa1", "00fFa"), "bad-value"), Contains("Binary"));
    CHECK_THAT(error(with(fmi3_sample, "start=\"true 0\"", "start=\"true no\""), "bad-value"), Contains("'no'"));
}

TEST_CASE("without identifier, token or interface nothing can be loaded") {
    CHECK_THAT(error(with(fmi2_sample, "modelIdentifier=\"boom\"", ""), "missing-attribute"),
               StartsWith("md.xml:4: CoSimulation has no modelIdentifier"));
    CHECK_THAT(error(with(fmi2_sample, "modelIdentifier=\"boom\"", "modelIdentifier=\"../boom\""), "bad-identifier"),
               Contains("no file name"));
    CHECK_THAT(error(with(fmi3_sample, "instantiationToken=\"{t}\"", ""), "missing-attribute"),
               StartsWith("md.xml:2: has no instantiationToken"));
    CHECK_THAT(error(R"(<fmiModelDescription fmiVersion="2.0" guid="g"/>)", "no-interface"),
               Contains("expected an element CoSimulation or ModelExchange"));
}

TEST_CASE("clocks must say when they tick") {
    CHECK_THAT(error(with(fmi3_sample, "intervalVariability=\"triggered\"", ""), "clock-interval"),
               Contains("'out' has no intervalVariability"));
    CHECK_THAT(error(with(fmi3_sample, "intervalVariability=\"triggered\"", "intervalVariability=\"constant\""),
                     "clock-interval"),
               Contains("'out' is constant; expected a positive"));
    CHECK_THAT(error(with(fmi3_sample, "intervalDecimal=\"0.0333333\"", "intervalDecimal=\"soon\""), "bad-value"),
               Contains("'third'"));
    CHECK_THAT(error(with(fmi3_sample, "resolution=\"1000\"", "resolution=\"0\""), "bad-value"), Contains("'ten'"));
}

TEST_CASE("a derivative need not name its state: an integrator needs their number only") {
    const std::string xml = with(fmi2_sample, " derivative=\"1\"", "");
    CHECK_THAT(note(xml, "missing-state").text, Contains("'der(x)' is listed as a derivative"));
}

TEST_CASE("a list as the start of one element is left to the unit") {
    CHECK_THAT(note(with(fmi2_sample, "start=\"1.5\"", "start=\"[0, 0]\""), "bad-value").text,
               Contains("'[0,'; expected a value of type Real; the unit keeps its own"));
}

TEST_CASE("deviations that do no harm are notes, and errors when strict") {
    CHECK_THAT(note(with(fmi2_sample, "causality=\"parameter\" variability=\"fixed\"",
                         "causality=\"parameter\" variability=\"constant\""),
                    "causality-variability")
                   .text,
               StartsWith("md.xml:25: variable 'a[1,2]' has causality parameter and variability constant"));
    CHECK_THAT(
        note(with(fmi2_sample, "variability=\"continuous\"><Real/>", "variability=\"continuous\"><Real start=\"0\"/>"),
             "start-not-allowed")
            .text,
        Contains("'time' is independent"));
    CHECK_THAT(note(with(fmi2_sample, "stopTime=\"10\"", "stopTime=\"-1\""), "stop-before-start").text,
               StartsWith("md.xml:18: stopTime -1"));
    CHECK_THAT(note(with(fmi2_sample, "stepSize=\"0.0333333\"", "stepSize=\"0\""), "bad-value").text,
               Contains("stepSize"));
    CHECK_THAT(note(with(fmi2_sample, "unit=\"m\"", "unit=\"metre\""), "unit-undefined").text,
               Contains("unit 'metre' of 'x'"));
    CHECK_THAT(note(with(fmi2_sample, " start=\"210\"", ""), "missing-start").text, Contains("'supply'"));
    CHECK_THAT(note(with(fmi2_sample, "start=\"210\"", "start=\"351\""), "limits").text, Contains("outside"));
    CHECK_THAT(note(with(fmi2_sample, "start=\"3\"", "start=\"1\""), "enumeration-item").text, Contains("'mode'"));
    CHECK_THAT(note(with(fmi3_sample, "name=\"second\" value", "name=\"first\" value"), "enumeration-item").text,
               Contains("item 'first' = 2 of enumeration 'Gear' has the name or the value of another"));
    CHECK_THAT(note(with(fmi2_sample, "name=\"off\" value=\"0\"", "name=\"off\" value=\"3\""), "enumeration-item").text,
               Contains("item 'on' = 3 of enumeration 'Mode' has the name or the value of another"));
    CHECK_THAT(note(with(fmi2_sample, "nominal=\"100\"", "nominal=\"0\""), "bad-value").text, Contains("nominal"));
    CHECK_THAT(note(with(fmi2_sample, "declaredType=\"Pressure\"", "declaredType=\"Mode\""), "type-mismatch").text,
               Contains("'supply' is Real"));
    CHECK_THAT(note(with(fmi2_sample, "variability=\"fixed\"><Integer", "><Integer"), "missing-variability").text,
               Contains("fixed is assumed"));
    CHECK_THAT(note(with(fmi3_sample, "start=\"1 2 3 4 5 6\"", "start=\"1 2\""), "start-count").text,
               Contains("'A' has 2 start values; expected 6 or 1"));
}

TEST_CASE("a start value without initial makes the variable settable before initialisation only") {
    const Noted noted = note(with(fmi2_sample, " initial=\"exact\"", ""), "missing-initial");
    CHECK_THAT(noted.text, Contains("'x' has a start value but no initial"));
    CHECK(variable(noted.description, "x").initial == core::Initial::approx);
    CHECK(variable(noted.description, "x").start.has_value());
}

TEST_CASE("a calculated variable keeps no start value") {
    const Noted noted = note(with(fmi2_sample, "initial=\"exact\"", "initial=\"calculated\""), "start-not-allowed");
    CHECK_FALSE(variable(noted.description, "x").start.has_value());
}

TEST_CASE("a missing DefaultExperiment is fine") {
    base::Diagnostics diagnostics;
    const std::string xml = with(fmi3_sample, "<DefaultExperiment stepSize=\"1e-3\"/>", "");
    CHECK(fmi::parse_model_description(xml, "md.xml", diagnostics).info.experiment.step.empty());
    CHECK(diagnostics.findings().empty());
}

TEST_CASE("without a model structure every output depends on everything") {
    std::string xml(fmi2_sample);
    const std::size_t begin = xml.find("<ModelStructure>");
    const std::size_t end = xml.find("</ModelStructure>");
    const std::string missing = xml.substr(0, begin) + xml.substr(end + 17);
    const std::string empty = xml.substr(0, begin + 16) + xml.substr(end);
    for (const std::string& text : {missing, empty}) {
        const Noted noted = note(text, "no-model-structure");
        CHECK_THAT(noted.text, Contains("every output is taken as dependent on every input"));
        CHECK_FALSE(noted.description.info.has_model_structure);
        REQUIRE(noted.description.info.outputs.size() == 2);
        CHECK_FALSE(noted.description.info.outputs[0].dependencies.has_value());
        CHECK(noted.description.info.initial_unknowns.size() == 2);
    }
}

TEST_CASE("an output that the model structure forgets depends on everything, with a note") {
    const Noted noted = note(with(fmi2_sample, "<Unknown index=\"10\" dependencies=\"\"/>", ""), "model-structure");
    CHECK_THAT(noted.text, Contains("'z' is missing in Outputs"));
    REQUIRE(noted.description.info.outputs.size() == 2);
    CHECK_FALSE(noted.description.info.outputs[1].dependencies.has_value());
}

TEST_CASE("one rule broken very often is told a few times and then counted") {
    std::string xml =
        R"(<fmiModelDescription fmiVersion="2.0" modelName="m" guid="g"><CoSimulation modelIdentifier="m"/><ModelVariables>)";
    for (int i = 0; i < 1000; ++i) {
        const std::string number = std::to_string(i);
        xml += "\n<ScalarVariable name=\"u" + number + "\" valueReference=\"" + number +
               "\" causality=\"input\"><Real/></ScalarVariable>";
    }
    xml += "</ModelVariables><ModelStructure/></fmiModelDescription>";
    base::Diagnostics diagnostics;
    static_cast<void>(fmi::parse_model_description(xml, "md.xml", diagnostics));
    CHECK(diagnostics.findings().size() == 6);
    CHECK(diagnostics.findings().back().text == "995 more of this kind");
}

TEST_CASE("an error is not hidden behind many notes of the same kind") {
    std::string xml =
        R"(<fmiModelDescription fmiVersion="2.0" modelName="m" guid="g"><CoSimulation modelIdentifier="m"/><ModelVariables>)";
    for (int i = 0; i < 10; ++i) {
        const std::string number = std::to_string(i);
        xml += "<ScalarVariable name=\"x" + number + "\" valueReference=\"" + number +
               "\"><Real nominal=\"0\"/></ScalarVariable>";
    }
    xml += R"(<ScalarVariable name="y" valueReference="10" causality="otput"><Real/></ScalarVariable>)";
    xml += "</ModelVariables><ModelStructure/></fmiModelDescription>";
    CHECK_THAT(error(xml, "bad-value"), Contains("'otput'"));
}

TEST_CASE("a later or unfinished version of FMI is read as the one it follows, with a note") {
    for (const char* written : {"2.1", "2.0-rc1"}) {
        base::Diagnostics diagnostics;
        const auto d = fmi::parse_model_description(
            with(fmi2_sample, "fmiVersion=\"2.0\"", std::string("fmiVersion=\"") + written + "\""), "x.xml",
            diagnostics);
        CHECK(d.version == fmi::Version::fmi2);
        const auto note = std::ranges::find(diagnostics.findings(), "fmi-version", &base::Finding::code);
        REQUIRE(note != diagnostics.findings().end());
        CHECK_THAT(note->text, Contains(written) && Contains("read as 2.0"));
    }
}
