// What other tools write beside the rules: read as it is meant, and said once.
#include "tests/master/ssp/support.hpp"

namespace {

using master::base::Diagnostics;
using master::base::Fraction;
using tests::ssp::component;
using tests::ssp::Folder;
using tests::ssp::read;
using tests::ssp::ssd;

bool says(const Diagnostics& diagnostics, const std::string& part) {
    return std::ranges::any_of(diagnostics.findings(),
                               [&](const auto& finding) { return finding.text.find(part) != std::string::npos; });
}

}  // namespace

TEST_CASE("units in the namespace of their parent are read, with a remark") {
    Folder folder;
    folder.fmus({"a"}).write("SystemStructure.ssd",
                             ssd("<ssd:Connectors><ssd:Connector name=\"p\" kind=\"input\"><ssc:Real "
                                 "unit=\"bar\"/></ssd:Connector></ssd:Connectors><ssd:Elements>" +
                                     component("a") + "</ssd:Elements>",
                                 "<ssd:Units><ssd:Unit name=\"bar\"><ssd:BaseUnit kg=\"1\" m=\"-1\" s=\"-2\" "
                                 "factor=\"100000\"/></ssd:Unit></ssd:Units>"));
    Diagnostics diagnostics;
    const auto description = read(folder, diagnostics);
    REQUIRE(description.boundary.at(0).unit);
    CHECK(description.boundary.at(0).unit->factor == 100000);
    CHECK(says(diagnostics, "'ssd:Unit' is not in the namespace of SystemStructureCommon"));
}

TEST_CASE("an implementation spelt in another case is read, with a remark") {
    Folder folder;
    folder.fmus({"a"}).write("SystemStructure.ssd",
                             ssd("<ssd:Elements><ssd:Component name=\"a\" implementation="
                                 "\"modelexchange\" source=\"resources/a.fmu\"/></ssd:Elements>"));
    Diagnostics diagnostics;
    CHECK(read(folder, diagnostics).components.at(0).implementation == "ModelExchange");
    CHECK(says(diagnostics, "implementation 'modelexchange' is read as 'ModelExchange'"));
}

TEST_CASE("the step of a nested system of OMSimulator holds for its components") {
    const std::string step =
        "<ssd:Annotations><ssc:Annotation type=\"org.openmodelica\"><oms:Annotations xmlns:oms=\"urn:x\">"
        "<oms:SimulationInformation><oms:FixedStepMaster stepSize=\"0.002\"/></oms:SimulationInformation>"
        "</oms:Annotations></ssc:Annotation></ssd:Annotations>";
    Folder folder;
    folder.fmus({"a", "b"})
        .write("SystemStructure.ssd",
               ssd("<ssd:Elements>" + component("a") + "<ssd:System name=\"inner\"><ssd:Elements>" + component("b") +
                   "</ssd:Elements>" + step + "</ssd:System></ssd:Elements>"));
    Diagnostics diagnostics;
    const auto description = read(folder, diagnostics);
    CHECK_FALSE(description.components.at(0).step);
    CHECK(description.components.at(1).step == Fraction{1, 500});
    CHECK(says(diagnostics, "step 0.002 s is taken from OMSimulator"));
    CHECK_FALSE(says(diagnostics, "are not honoured"));
}

TEST_CASE("a unit that another master would run elsewhere runs here, with a remark") {
    Folder folder;
    folder.fmus({"a"}).write("SystemStructure.ssd",
                             ssd("<ssd:Elements><ssd:Component name=\"a\" source=\"proxyfmu://localhost?file=resources/"
                                 "a.fmu\"/></ssd:Elements>"));
    Diagnostics diagnostics;
    CHECK(read(folder, diagnostics).components.at(0).source.filename() == "a.fmu");
    CHECK_FALSE(diagnostics.has_errors());
    CHECK(says(diagnostics, "asks for another process"));
}

TEST_CASE("a customary prefix that is not declared means what the standard means") {
    Folder folder;
    folder.fmus({"a"});
    folder.write("values.ssv",
                 "<ssv:ParameterSet version=\"1.0\" name=\"v\"><ssv:Parameters><ssv:Parameter name=\"k\"><ssv:Real "
                 "value=\"3\"/></ssv:Parameter></ssv:Parameters></ssv:ParameterSet>");
    folder.write("SystemStructure.ssd",
                 ssd("<ssd:Elements>" +
                     component("a",
                               "<ssd:ParameterBindings><ssd:ParameterBinding source=\"values.ssv\"/>"
                               "</ssd:ParameterBindings>") +
                     "</ssd:Elements>"));
    Diagnostics diagnostics;
    CHECK(read(folder, diagnostics).components.at(0).parameters.at(0).name == "k");
    CHECK_FALSE(diagnostics.has_errors());
    CHECK(says(diagnostics, "prefix 'ssv' is not declared"));
}
