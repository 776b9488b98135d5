#include "master/base/error.hpp"
#include "tests/master/ssp/support.hpp"

using namespace tests::ssp;
using master::base::Diagnostics;
using master::base::Error;
using master::base::Fraction;
using master::base::Severity;

namespace {

/// The Error that reading throws.
Error thrown(const std::filesystem::path& system, const std::string& variant = {}) {
    Diagnostics diagnostics;
    try {
        (void)master::ssp::read(system, {.variant = variant}, diagnostics);
    } catch (const Error& error) {
        return error;
    }
    FAIL("nothing was thrown");
    return {"", "", ""};
}

const std::string two_components =
    "<ssd:Elements>" +
    component("a", "<ssd:Connectors>" + connector("y", "output", "<ssc:Real unit=\"m\"/>") + "</ssd:Connectors>") +
    component("b", "<ssd:Connectors>" + connector("u", "input", "<ssc:Real/>") + "</ssd:Connectors>") +
    "</ssd:Elements><ssd:Connections>" + connection("b.u", "a.y") + "</ssd:Connections>";

}  // namespace

TEST_CASE("a connection runs from the output to the input, whichever end is called start") {
    Folder folder;
    folder.fmus({"a", "b"}).write("SystemStructure.ssd", ssd(two_components));
    Diagnostics diagnostics;
    const auto description = read(folder, diagnostics);
    INFO(all(diagnostics));
    REQUIRE(diagnostics.findings().empty());
    REQUIRE(description.components.size() == 2);
    CHECK(description.name == "demo");
    CHECK(description.components[0].source.filename() == "a.fmu");
    REQUIRE(description.connections.size() == 1);
    CHECK(description.connections[0].from.component == 0);
    CHECK(description.connections[0].from.connector == "y");
    CHECK(description.connections[0].to.component == 1);
    CHECK(description.connections[0].oriented);
}

TEST_CASE("elements are told apart by namespace, so that the prefix is free") {
    Folder folder;
    folder.fmus({"a"}).write(
        "SystemStructure.ssd",
        R"(<SystemStructureDescription xmlns="http://ssp-standard.org/SSP1/SystemStructureDescription"
 xmlns:q="http://ssp-standard.org/SSP1/SystemStructureCommon" version="1.0" name="plain"><System name="root"><Elements>
 <Component name="a" source="resources/a.fmu"><Connectors><Connector name="y" kind="output"><q:Real unit="m"/></Connector></Connectors></Component>
 </Elements></System><Units><q:Unit name="m"><q:BaseUnit m="1"/></q:Unit></Units></SystemStructureDescription>)");
    Diagnostics diagnostics;
    const auto description = read(folder, diagnostics);
    INFO(all(diagnostics));
    CHECK(diagnostics.findings().empty());
    REQUIRE(description.components.size() == 1);
    REQUIRE(description.components[0].connectors.size() == 1);
    CHECK(description.components[0].connectors[0].type == "Real");
    REQUIRE(description.components[0].connectors[0].unit);
    CHECK(description.components[0].connectors[0].unit->exponents == std::array<int, 8>{0, 1, 0, 0, 0, 0, 0, 0});
}

TEST_CASE("what is to be understood of an enumeration is written down once") {
    const auto remarks = [](const std::string& items, const std::string& more = "") {
        Folder folder;
        folder.write("SystemStructure.ssd", ssd(R"(<ssd:Connectors>
<ssd:Connector name="mode" kind="input"><ssc:Enumeration name="Mode"/></ssd:Connector></ssd:Connectors>)",
                                                "\n<ssd:Enumerations>\n<ssc:Enumeration name=\"Mode\">" + items +
                                                    "</ssc:Enumeration>" + more + "</ssd:Enumerations>"));
        Diagnostics diagnostics;
        (void)read(folder, diagnostics);
        return diagnostics;
    };
    const std::string off = R"(<ssc:Item name="off" value="0"/>)", on = R"(<ssc:Item name="on" value="1"/>)";
    CHECK(remarks(off + on).findings().empty());
    const auto said = [&](const std::string& items, const std::string& more, const std::string& code) {
        const Diagnostics diagnostics = remarks(items, more);
        INFO(all(diagnostics));
        REQUIRE(count(diagnostics, Severity::error) == 1);
        const auto* finding = find(diagnostics, code);
        REQUIRE(finding);
        CHECK(contains(finding->where, "SystemStructure.ssd:"));
        return finding->text;
    };
    CHECK(said(off + "\n" + R"(<ssc:Item name="off" value="1"/>)", "", "duplicate-name") ==
          "enumeration 'Mode' has two items 'off'");
    CHECK(said(off + "\n" + R"(<ssc:Item name="on" value="0"/>)", "", "bad-value") ==
          "items 'off' and 'on' of enumeration 'Mode' both have the value 0, expected one of its own for each");
    CHECK(said(off + on, R"(<ssc:Enumeration name="Mode">)" + off + "</ssc:Enumeration>", "duplicate-name") ==
          "Enumeration 'Mode' is defined twice, and differently");
    CHECK_FALSE(remarks(off + on, R"(<ssc:Enumeration name="Mode">)" + off + on + "</ssc:Enumeration>").has_errors());
}

TEST_CASE("an enumeration that no file defines is an error with the closest name") {
    Folder folder;
    folder.write(
        "SystemStructure.ssd",
        ssd("<ssd:Connectors>\n" + connector("mode", "input", "<ssc:Enumeration name=\"Mod\"/>") + "</ssd:Connectors>",
            "<ssd:Enumerations><ssc:Enumeration name=\"Mode\"><ssc:Item name=\"off\" value=\"0\"/>"
            "</ssc:Enumeration></ssd:Enumerations>"));
    Diagnostics diagnostics;
    (void)read(folder, diagnostics);
    const auto* finding = find(diagnostics, "unknown-name");
    REQUIRE(finding);
    CHECK(contains(finding->text, "enumeration 'Mod' is not defined in this file, closest match 'Mode'"));
    CHECK(contains(finding->where, "SystemStructure.ssd:8"));
}

TEST_CASE("no promise of a connector is lost without a word") {
    const auto read_promise = [](const std::string& annotations, Diagnostics& diagnostics) {
        Folder folder;
        folder.write(
            "SystemStructure.ssd",
            ssd("<ssd:Connectors>\n" + connector("u", "input", "<ssc:Real/>" + annotations) + "</ssd:Connectors>"));
        return read(folder, diagnostics);
    };
    const std::string begin = R"(<ssc:Annotation type="io.tandem.cosim">)", end = "</ssc:Annotation>";
    const std::string low = R"(<t:Contract min="0"/>)", high = R"(<t:Contract max="1"/>)";
    for (const std::string space : {"ssd", "ssc", "ssb"}) {
        INFO(space);
        Diagnostics diagnostics;
        const auto description = read_promise(
            "<" + space + ":Annotations>" + begin + low + end + "</" + space + ":Annotations>", diagnostics);
        REQUIRE(description.boundary.size() == 1);
        REQUIRE(description.boundary[0].contract);
        CHECK(description.boundary[0].contract->minimum == 0);
    }
    Diagnostics twice;
    (void)read_promise("<ssd:Annotations>" + begin + low + end + begin + high + end + "</ssd:Annotations>", twice);
    REQUIRE(find(twice, "duplicate-name"));
    CHECK(contains(find(twice, "duplicate-name")->text, "a second Contract of 'u'"));
    Diagnostics together;
    (void)read_promise("<ssd:Annotations>" + begin + low + high + end + "</ssd:Annotations>", together);
    REQUIRE(find(together, "bad-value"));
    CHECK(contains(find(together, "bad-value")->text, "holds 't:Contract' as well, expected one element"));
}

TEST_CASE("malformed XML is reported with file and line") {
    Folder folder;
    folder.write("SystemStructure.ssd", "<a>\n<b>\n</a>\n");
    const Error error = thrown(folder.path());
    CHECK(error.code() == "malformed-xml");
    CHECK(error.exit() == master::base::Exit::bad_input);
    CHECK(contains(error.where(), "SystemStructure.ssd:3"));
}

TEST_CASE("a wrong root element is named together with the expected one") {
    Folder folder;
    folder.write("SystemStructure.ssd", "<fmiModelDescription/>");
    const Error error = thrown(folder.path());
    CHECK(error.code() == "wrong-root");
    CHECK(contains(error.what(), "fmiModelDescription"));
    CHECK(contains(error.what(), "SystemStructureDescription"));
}

TEST_CASE("a system that does not exist, and one without a description, are refused") {
    Folder folder;
    CHECK(thrown(folder.path("nothing")).code() == "missing-file");
    CHECK(thrown(folder.path()).code() == "missing-file");
    folder.write("system.txt", "x");
    CHECK(thrown(folder.path("system.txt")).code() == "bad-system");
}

TEST_CASE("a missing FMU is an error with the closest file name, and its connections stay known") {
    Folder folder;
    folder.fmus({"aa", "b"}).write("SystemStructure.ssd", ssd(two_components));
    Diagnostics diagnostics;
    (void)read(folder, diagnostics);
    INFO(all(diagnostics));
    REQUIRE(count(diagnostics, Severity::error) == 1);
    const auto* finding = find(diagnostics, "missing-file");
    REQUIRE(finding);
    CHECK(contains(finding->text, "closest match 'aa.fmu'"));
    CHECK(contains(finding->where, "SystemStructure.ssd:"));
}

TEST_CASE("sources are percent-decoded and may lead out of a folder") {
    Folder folder;
    folder.write("other/with space.fmu", "fmu")
        .write("system/SystemStructure.ssd",
               ssd("<ssd:Elements><ssd:Component name=\"a\" source=\"../other/with%20space.fmu\"/></ssd:Elements>"));
    Diagnostics diagnostics;
    const auto description = master::ssp::read(folder.path("system/SystemStructure.ssd"), {}, diagnostics);
    INFO(all(diagnostics));
    CHECK_FALSE(diagnostics.has_errors());
    CHECK(std::filesystem::equivalent(description.components.at(0).source, folder.path("other/with space.fmu")));
}

TEST_CASE("a source that is a folder or an address on the web is refused") {
    Folder folder;
    folder.fmus({"a"});
    for (const std::string source : {"resources", "https://example.org/a.fmu"}) {
        folder.write("SystemStructure.ssd",
                     ssd("<ssd:Elements><ssd:Component name=\"a\" source=\"" + source + "\"/></ssd:Elements>"));
        Diagnostics diagnostics;
        (void)read(folder, diagnostics);
        CHECK(find(diagnostics, "bad-source"));
    }
}

TEST_CASE("an unknown element in a connection is an error with the closest name") {
    Folder folder;
    folder.fmus({"hydraulics", "b"})
        .write("SystemStructure.ssd",
               ssd("<ssd:Elements>" + component("hydraulics") + component("b") +
                   "</ssd:Elements>\n<ssd:Connections>\n" + connection("hydralics.y", "b.u") + "</ssd:Connections>"));
    Diagnostics diagnostics;
    (void)read(folder, diagnostics);
    const auto* finding = find(diagnostics, "unknown-name");
    REQUIRE(finding);
    CHECK(contains(finding->text, "closest match 'hydraulics'"));
    CHECK(contains(finding->where, "SystemStructure.ssd:11"));
}

TEST_CASE("a variant is another description beside the default one") {
    Folder folder;
    folder.fmus({"a"})
        .write("SystemStructure.ssd", ssd(""))
        .write("Cold.ssd", ssd("<ssd:Elements>" + component("a") + "</ssd:Elements>"));
    Diagnostics diagnostics;
    CHECK(master::ssp::read(folder.path(), {.variant = "Cold"}, diagnostics).components.size() == 1);
    CHECK(master::ssp::read(folder.path(), {}, diagnostics).components.empty());
    const Error error = thrown(folder.path(), "../Cold");
    CHECK(contains(error.what(), "Cold.ssd SystemStructure.ssd"));
}

TEST_CASE("every thing that is not honoured is reported once, at its first place") {
    Folder folder;
    const std::string annotated =
        "<ssd:Annotations><ssc:Annotation type=\"com.example\"><x/></ssc:Annotation></ssd:Annotations>";
    folder.fmus({"a", "b"})
        .write("SystemStructure.ssd",
               ssd("<ssd:Elements>" + component("a", "<ssd:Extra/>" + annotated) + component("b", annotated) +
                   "</ssd:Elements><ssd:SystemGeometry x1=\"0\" y1=\"0\" x2=\"1\" y2=\"1\"/>"));
    Diagnostics diagnostics;
    (void)read(folder, diagnostics);
    INFO(all(diagnostics));
    CHECK(count(diagnostics, Severity::note) == 2);
    CHECK_FALSE(diagnostics.has_errors());

    Diagnostics strict;
    strict.strict = true;
    (void)read(folder, strict);
    CHECK(count(strict, Severity::error) == 2);
}

TEST_CASE("our annotations give exact steps, holds and the algorithm") {
    Folder folder;
    const std::string rate =
        "<ssd:Annotations><ssc:Annotation type=\"io.tandem.cosim\"><t:Component><t:Rate "
        "step=\"1/30\"/></t:Component></ssc:Annotation></ssd:Annotations>";
    const std::string hold =
        "<ssd:Annotations><ssc:Annotation type=\"io.tandem.cosim\"><t:Coupling "
        "hold=\"linear\"/></ssc:Annotation></ssd:Annotations>";
    folder.fmus({"a", "b"})
        .write("SystemStructure.ssd",
               ssd("<ssd:Elements>" + component("a", rate) + component("b") + "</ssd:Elements><ssd:Connections>" +
                       connection("a.y", "b.u", "", hold) + "</ssd:Connections>",
                   "<ssd:DefaultExperiment startTime=\"0\" stopTime=\"20.5\"><ssd:Annotations><ssc:Annotation "
                   "type=\"io.tandem.cosim\">"
                   "<t:Master algorithm=\"gauss-seidel\" step=\"0.001\" order=\"b a\" "
                   "tolerance=\"1e-6\"/></ssc:Annotation></ssd:Annotations></ssd:DefaultExperiment>"));
    Diagnostics diagnostics;
    const auto description = read(folder, diagnostics);
    INFO(all(diagnostics));
    CHECK(diagnostics.findings().empty());
    CHECK(description.components[0].step == Fraction{1, 30});
    CHECK(description.step == Fraction{1, 1000});
    CHECK(description.algorithm == "gauss-seidel");
    CHECK(description.order == std::vector<std::string>{"b", "a"});
    CHECK(description.stop == "20.5");
    CHECK(description.tolerance == 1e-6);
    REQUIRE(description.connections.size() == 1);
    CHECK(description.connections[0].hold == master::core::Hold::linear);
    CHECK_FALSE(description.connections[0].oriented);
}

TEST_CASE("a mistake in one of our annotations is an error, never ignored") {
    const auto error_of = [](const std::string& content) {
        Folder folder;
        folder.fmus({"a"}).write("SystemStructure.ssd",
                                 ssd("<ssd:Elements>" +
                                     component("a", "<ssd:Annotations><ssc:Annotation type=\"io.tandem.cosim\">" +
                                                        content + "</ssc:Annotation></ssd:Annotations>") +
                                     "</ssd:Elements>"));
        Diagnostics diagnostics;
        (void)read(folder, diagnostics);
        REQUIRE(diagnostics.has_errors());
        return diagnostics.findings().front().code;
    };
    CHECK(error_of("<t:Component><t:Rate step=\"fast\"/></t:Component>") == "bad-value");
    CHECK(error_of("<t:Component><t:Rate step=\"-1\"/></t:Component>") == "bad-value");
    CHECK(error_of("<t:Component><t:Rate/></t:Component>") == "missing-attribute");
    CHECK(error_of("<t:Coupling hold=\"linear\"/>") == "bad-value");
}

TEST_CASE("step sizes of other masters are taken with a note, ours win") {
    const std::string openmodelica =
        "<ssd:Annotations><ssc:Annotation type=\"org.openmodelica\"><oms:Annotations "
        "xmlns:oms=\"urn:x\"><oms:SimulationInformation>"
        "<oms:FixedStepMaster description=\"oms-ma\" stepSize=\"0.0333333\" "
        "relativeTolerance=\"0.000100\"/></oms:SimulationInformation></oms:Annotations></ssc:Annotation></"
        "ssd:Annotations>";
    const std::string platform =
        "<ssd:DefaultExperiment><ssd:Annotations><ssc:Annotation type=\"com.opensimulationplatform\"><osp:Algorithm "
        "xmlns:osp=\"urn:y\"><osp:FixedStepAlgorithm "
        "baseStepSize=\"1e-4\"/></osp:Algorithm></ssc:Annotation></ssd:Annotations></ssd:DefaultExperiment>";
    const std::string ours =
        "<ssd:DefaultExperiment><ssd:Annotations><ssc:Annotation type=\"io.tandem.cosim\"><t:Master "
        "step=\"0.01\"/></ssc:Annotation></ssd:Annotations></ssd:DefaultExperiment>";
    Folder folder;
    Diagnostics diagnostics;
    folder.write("SystemStructure.ssd", ssd(openmodelica));
    auto description = read(folder, diagnostics);
    CHECK(description.step == Fraction{1, 30});
    CHECK(description.tolerance == 1e-4);
    CHECK(find(diagnostics, "foreign-annotation"));
    CHECK(contains(description.step_origin, "OMSimulator"));

    folder.write("SystemStructure.ssd", ssd("", platform));
    CHECK(read(folder, diagnostics).step == Fraction{1, 10000});
    folder.write("SystemStructure.ssd", ssd(openmodelica, ours));
    CHECK(read(folder, diagnostics).step == Fraction{1, 100});

    folder.fmus({"a"}).write(
        "SystemStructure.ssd",
        ssd("<ssd:Elements>" +
            component("a",
                      "<ssd:Annotations><ssc:Annotation type=\"com.opensimulationplatform\"><osp:StepSizeHint "
                      "xmlns:osp=\"urn:y\" value=\"0.02\"/></ssc:Annotation></ssd:Annotations>") +
            "</ssd:Elements>"));
    CHECK(read(folder, diagnostics).components.at(0).step == Fraction{1, 50});
    CHECK_FALSE(diagnostics.has_errors());
}

TEST_CASE("component types choose tables, systems and interfaces without an implementation") {
    Folder folder;
    folder.write("drive.csv", "time,u\n0,1\n").fmus({"a"});
    folder.write("SystemStructure.ssd", ssd("<ssd:Elements><ssd:Component name=\"drive\" type=\"text/csv\" "
                                            "source=\"drive.csv\"/><ssd:Component name=\"open\"/>" +
                                            component("a") + "</ssd:Elements>"));
    Diagnostics diagnostics;
    const auto description = read(folder, diagnostics);
    CHECK_FALSE(diagnostics.has_errors());
    CHECK(description.components.at(0).kind == master::ssp::ComponentKind::table);
    CHECK(description.components.at(1).kind == master::ssp::ComponentKind::interface_only);
    CHECK(description.components.at(2).kind == master::ssp::ComponentKind::fmu);

    folder.write(
        "SystemStructure.ssd",
        ssd("<ssd:Elements><ssd:Component name=\"drive\" type=\"text/plain\" source=\"drive.csv\"/></ssd:Elements>"));
    (void)read(folder, diagnostics);
    CHECK(find(diagnostics, "bad-value"));
}

TEST_CASE("two elements or two connectors of one name are refused") {
    Folder folder;
    folder.fmus({"a"}).write("SystemStructure.ssd", ssd("<ssd:Connectors>" + connector("x", "input") +
                                                        connector("x", "output") + "</ssd:Connectors><ssd:Elements>" +
                                                        component("a") + component("a") + "</ssd:Elements>"));
    Diagnostics diagnostics;
    (void)read(folder, diagnostics);
    CHECK(count(diagnostics, Severity::error) == 2);
    CHECK(find(diagnostics, "duplicate-name"));
}

TEST_CASE("a single FMU is a system of one") {
    const auto description = master::ssp::describe_fmu("some/where/Dahlquist.fmu", "cs");
    REQUIRE(description.components.size() == 1);
    CHECK(description.name == "Dahlquist");
    CHECK(description.components[0].name == "Dahlquist");
    CHECK(description.components[0].implementation == "cs");
    CHECK(description.components[0].source == "some/where/Dahlquist.fmu");
}
