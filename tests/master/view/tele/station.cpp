#include "master/view/tele/station.hpp"

#include "master/base/error.hpp"
#include "tests/support/scratch.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

namespace {

using master::base::Diagnostics;
using master::view::StationScene;

/// What a station file with these elements is refused with; empty: it is taken.
std::string station_refusal(const std::string& elements) {
    const tests::Scratch scratch;
    const auto file = scratch.write("station.xml", R"(<View xmlns="urn:tandem:view:1">)" + elements + "</View>");
    Diagnostics diagnostics;
    try {
        (void)master::view::read_station(file, diagnostics);
        diagnostics.throw_if_errors();
        return "";
    } catch (const master::base::Error& error) {
        return error.what();
    }
}

}  // namespace

TEST_CASE("the excavator's station knows sizes, cameras and levers, and no signal") {
    const auto file = std::filesystem::path(TANDEM_TEST_DATA).parent_path() / "config/excavator/station.xml";
    Diagnostics diagnostics;
    const StationScene scene = master::view::read_station(file, diagnostics);
    CHECK(diagnostics.findings().empty());
    const auto system = nlohmann::json::parse(scene.catalogue.json);
    CHECK(system["mode"] == "tele");
    CHECK(system["signals"].empty());
    CHECK(system["arrays"].empty());
    const auto& view = system["view"];
    CHECK(view["machines"][0]["urdf"] == "files/demolition_excavator.urdf");
    CHECK(view["wall"]["thickness"] == 0.18);
    CHECK(view["cameras"].size() == 4);
    CHECK(view["operator"]["patterns"].size() == 2);
    CHECK(scene.axes == std::vector<std::size_t>{0, 1, 2, 3, 4, 5, 6, 7});
    REQUIRE(scene.catalogue.files.size() == 1);
    CHECK(scene.catalogue.files[0].second.find("<robot") != std::string::npos);
}

TEST_CASE("a station that would need a system is refused") {
    CHECK(station_refusal("").empty());
    CHECK(station_refusal(R"(<Machine name="a" machine="kinematics"/>)").find("component 'kinematics'") !=
          std::string::npos);
    CHECK(station_refusal(R"(<Wall radius="wall.radius"/>)").find("'wall.radius' is a signal") != std::string::npos);
    CHECK(station_refusal(R"(<Wall heights="wall.heights" radius="3"/>)").find("'wall.heights'") != std::string::npos);
    CHECK(station_refusal(R"(<Operator><Axis name="bom" input="x"/></Operator>)").find("closest match 'boom'") !=
          std::string::npos);
}

TEST_CASE("a machine whose file is missing is told and not shown") {
    const tests::Scratch scratch;
    const auto file =
        scratch.write("station.xml", R"(<View xmlns="urn:tandem:view:1"><Machine name="a" file="none.urdf"/></View>)");
    Diagnostics diagnostics;
    const StationScene scene = master::view::read_station(file, diagnostics);
    CHECK(scene.catalogue.files.empty());
    REQUIRE(diagnostics.findings().size() == 1);
    CHECK(diagnostics.findings()[0].text.find("none.urdf") != std::string::npos);
}
