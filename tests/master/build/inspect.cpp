#include "master/build/inspect.hpp"

#include "master/base/json.hpp"
#include "master/fmi/description/read_description.hpp"
#include "master/fmi/library/refusals.hpp"
#include "tests/master/fmi/description/samples.hpp"
#include "tests/support/zip_writer.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace master;
using Catch::Matchers::Contains;

namespace {

fmi::ModelDescription parse(std::string_view xml) {
    base::Diagnostics diagnostics;
    return fmi::parse_model_description(xml, "md.xml", diagnostics);
}

}  // namespace

TEST_CASE("inspect shows interfaces, platforms, experiment and variables; dependencies on request") {
    const std::string own(fmi::platform_folder(fmi::Version::fmi2));
    const std::string text =
        build::inspect_text(parse(tests::fmi2_sample), {{"win64", {"boom.dll"}, false}, {own, {"boom.so"}, true}});
    CHECK_THAT(text, Contains("FMI 2.0, made by Tool 1"));
    CHECK_THAT(text,
               Contains("co-simulation (boom): variable step, input derivatives, output derivatives, save state"));
    CHECK_THAT(text, Contains("platforms: win64 (boom.dll), " + own + " (boom.so); runs on this one, " + own));
    CHECK_THAT(text, Contains("experiment: start 0, stop 10, step 0.0333333, tolerance 1e-06"));
    CHECK_THAT(text, Contains("  supply     Real         input        continuous   bar   210"));
    CHECK_THAT(text, Contains("  Größe 'q'  Boolean      input        discrete           true"));
    CHECK_THAT(text, !Contains("<-"));
    const std::string dependencies = build::dependencies_text(parse(tests::fmi2_sample));
    CHECK_THAT(dependencies, Contains("    y <- x, supply\n    z <- nothing\n"));
    CHECK_THAT(dependencies, Contains("    der(x) <- everything\n"));
    CHECK_THAT(build::inspect_text(parse(tests::fmi2_sample), {}), Contains("platforms: none; nothing for this one"));
}

TEST_CASE("inspect shows arrays with the parameters that size them") {
    const std::string text = build::inspect_text(parse(tests::fmi3_sample), {});
    CHECK_THAT(text, Contains("n=2 x m=3"));
    CHECK_THAT(text, Contains("scheduled execution: not supported"));
}

TEST_CASE("the JSON of inspect is a document with the same facts") {
    const std::vector<build::PlatformBinaries> platforms{{"x86_64-linux", {"arm.so"}, true}};
    const base::Json json = base::parse_json(build::inspect_json(parse(tests::fmi3_sample), platforms), "x");
    CHECK(json.at("model") == "Arm");
    CHECK(json.at("fmiVersion") == "3.0.1");
    CHECK(json.at("interfaces").at(0).at("capabilities").at("event mode") == true);
    CHECK(json.at("platforms").at(0).at("here") == true);
    const base::Json& variables = json.at("variables");
    REQUIRE(variables.size() == 23);
    CHECK(variables[3].at("dimensions").size() == 2);
    CHECK(variables[3].at("start").at(5) == 6.0);
    CHECK(variables[9].at("start").dump() == "18446744073709551615");
    CHECK(variables[10].at("start").at(1) == false);
    CHECK(variables[12].at("start") == "00ffa1");
    const base::Json& outputs = json.at("outputs");
    CHECK(outputs[1].at("dependencies").is_null());
    CHECK(outputs[0].at("dependencies") == base::Json::array());
    CHECK(outputs[2].at("dependencies").at(0) == "q");
    const base::Json refusal = base::parse_json(build::inspect_json(base::Error("zip", "x.fmu", "no archive")), "x");
    CHECK(refusal.at("runs") == false);
    CHECK(refusal.at("code") == "zip");
}

TEST_CASE("the platforms of an unpacked FMU are its folders under binaries") {
    const base::TemporaryFolder folder("tandem-test-");
    const std::string own(fmi::platform_folder(fmi::Version::fmi3));
    CHECK(build::platforms_in(folder.path(), fmi::Version::fmi3).empty());
    std::filesystem::create_directories(folder.path() / "binaries" / own);
    std::filesystem::create_directories(folder.path() / "binaries" / "a-windows");
    tests::write_file(folder.path() / "binaries" / own / "arm.so", "");
    tests::write_file(folder.path() / "binaries" / own / "notes.txt", "");
    const std::vector<build::PlatformBinaries> platforms = build::platforms_in(folder.path(), fmi::Version::fmi3);
    REQUIRE(platforms.size() == 2);
    CHECK_FALSE(platforms[0].here);
    CHECK(platforms[1].here);
    CHECK(platforms[1].libraries == std::vector<std::string>{"arm.so"});
}

TEST_CASE("a parameter set has every parameter with value, unit and enumeration") {
    CHECK(build::parameter_set(
              parse(tests::with(tests::fmi2_sample, "name=\"mode\"", "name=\"mode &lt; &quot;x&quot;\""))) ==
          R"(<?xml version="1.0" encoding="UTF-8"?>
<ssv:ParameterSet xmlns:ssv="http://ssp-standard.org/SSP1/SystemStructureParameterValues"
    xmlns:ssc="http://ssp-standard.org/SSP1/SystemStructureCommon" version="1.0" name="Boom">
  <ssv:Parameters>
    <ssv:Parameter name="mode &lt; &quot;x&quot;"><ssv:Enumeration value="on" name="Mode"/></ssv:Parameter>
    <ssv:Parameter name="a[1,2]"><ssv:Integer value="-7"/></ssv:Parameter>
    <ssv:Parameter name="file"><ssv:String value="a &amp; b"/></ssv:Parameter>
  </ssv:Parameters>
  <ssv:Enumerations>
    <ssc:Enumeration name="Mode">
      <ssc:Item name="off" value="0"/>
      <ssc:Item name="on" value="3"/>
    </ssc:Enumeration>
  </ssv:Enumerations>
</ssv:ParameterSet>
)");
    const std::string with_unit = build::parameter_set(parse(tests::with(
        tests::fmi2_sample, "causality=\"input\"><Real", "causality=\"parameter\" variability=\"fixed\"><Real")));
    CHECK_THAT(with_unit,
               Contains("<ssv:Parameter name=\"supply\"><ssv:Real value=\"210\" unit=\"bar\"/></ssv:Parameter>"));
    CHECK_THAT(with_unit,
               Contains("<ssc:Unit name=\"bar\"><ssc:BaseUnit kg=\"1\" m=\"-1\" s=\"-2\" factor=\"1e+05\"/>"));
}

TEST_CASE("a parameter set becomes version 2.0 where arrays need it") {
    const std::string text = build::parameter_set(parse(tests::fmi3_sample));
    CHECK_THAT(text, Contains("version=\"2.0\""));
    CHECK_THAT(text, Contains("<ssv:Parameter name=\"A\"><ssv:Real value=\"1 2 3 4 5 6\"/></ssv:Parameter>"));
    CHECK_THAT(text, Contains("<ssv:String><ssv:Value value=\"a b\"/><ssv:Value value=\"&lt;c&gt;\"/></ssv:String>"));
    CHECK_THAT(text, Contains("<ssv:Parameter name=\"n\"><ssv:Integer value=\"2\"/></ssv:Parameter>"));
}
