#include "master/report/report.hpp"

#include "tests/support/scratch.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <pugixml.hpp>

using namespace master;
using report::Plot;

namespace {

constexpr double pi = 3.14159265358979323846;

results::Table long_table(std::size_t rows) {
    results::Table table;
    table.source = "results";
    std::vector<double> level;
    std::vector<double> pressure;
    std::vector<double> open;
    for (std::size_t i = 0; i < rows; ++i) {
        const double t = 10.0 * static_cast<double>(i) / static_cast<double>(rows - 1);
        table.time.push_back(t);
        level.push_back(1.5 * std::exp(-0.3 * t) * std::cos(2 * pi * t));
        pressure.push_back(2.1e7 + 3e6 * std::sin(2 * pi * 0.3 * t));
        open.push_back(std::fmod(t, 4) < 2 ? 1 : 0);
    }
    table.columns = {{"plant.tank.level", "m", level},
                     {"plant.tank.pressure", "Pa", pressure},
                     {"valve.open", "", open},
                     {"plant.tank.name", "", std::vector<std::string>(rows, "x")}};
    return table;
}

}  // namespace

TEST_CASE("ticks are round numbers inside the range") {
    const report::Ticks ticks = report::ticks_for(0, 10, 8);
    CHECK(ticks.first == 0);
    CHECK(ticks.step == 1);
    CHECK(ticks.count == 11);
    const report::Ticks small = report::ticks_for(-0.013, 0.029, 5);
    CHECK(small.step == Approx(0.01));
    CHECK(small.first == Approx(-0.01));
    CHECK(small.count == 4);
}

TEST_CASE("signals are grouped by component, then by unit; text is not drawn") {
    const std::vector<std::string> components{"plant.tank", "valve"};
    const auto groups = report::plots_of(long_table(100), components, 50);
    REQUIRE(groups.size() == 2);
    CHECK(groups[0].title == "plant.tank");
    REQUIRE(groups[0].plots.size() == 2);
    CHECK(groups[0].plots[1].unit == "Pa");
    CHECK(groups[0].plots[1].series[0].label == "pressure");
    CHECK_FALSE(groups[0].plots[0].series[0].held);
    CHECK(groups[1].plots[0].series[0].held);
    CHECK(report::plots_of(long_table(100), components, 2)[0].plots.size() == 1);
}

TEST_CASE("columns of a result are shown in the units that people want to see; what was not recorded is left out") {
    results::Table table = results::parse_csv("time,a.x,a.y,a.p\n0,1,2e5,7\n1,1,3e5,7\n", "in.csv");
    const std::vector<results::Column> columns{
        {.name = "a.x", .unit = "m"},
        {.name = "a.y", .unit = "Pa", .description = {}, .signal = {}, .fixed = false, .shown = {"bar", 1e-5, 0}}};
    report::show_units(table, columns);
    REQUIRE(table.names() == std::vector<std::string>{"a.x", "a.y"});
    CHECK(table.columns[0].unit == "m");
    CHECK(table.columns[1].unit == "bar");
    CHECK(std::get<std::vector<double>>(table.columns[1].values)[1] == Approx(3));

    const auto constants = report::take_constants(table);
    REQUIRE(constants.size() == 1);
    CHECK(constants[0].name == "a.x");
    CHECK(constants[0].value == "1");
    CHECK(constants[0].unit == "m");
    CHECK(table.names() == std::vector<std::string>{"a.y"});
}

TEST_CASE("a plot of a million points stays small and keeps its spikes") {
    results::Table table = long_table(1'000'000);
    auto& level = std::get<std::vector<double>>(table.columns[0].values);
    level[500'123] = 40;
    const Plot plot{"m", {{"level", table.time, level, false}}};
    const std::string text = report::svg(plot);
    CHECK(text.size() < 100'000);
    pugi::xml_document document;
    REQUIRE(document.load_string(text.c_str()));
    // The spike is the highest value: it is drawn just below the top of the diagram.
    const std::string d = document.child("svg").find_child_by_attribute("class", "line line0").attribute("d").value();
    CHECK(d.find("L292.5 27.8") != std::string::npos);
}

TEST_CASE("gaps, constants and empty signals are drawn without nonsense") {
    const double nan = std::nan("");
    for (const Plot& plot : {Plot{"", {{"gap", {0, 1, 2, 3}, {1, nan, INFINITY, 2}, false}}},
                             Plot{"", {{"constant", {0, 1}, {5, 5}, false}}}, Plot{"", {{"empty", {}, {}, false}}},
                             Plot{"", {{"one point", {1}, {1e-300}, true}}}}) {
        const std::string text = report::svg(plot);
        CHECK(text.find("nan") == std::string::npos);
        CHECK(text.find("inf") == std::string::npos);
    }
}

TEST_CASE("a report is one page without links, and texts cannot break out of it") {
    const tests::Scratch scratch;
    report::ReportData data;
    data.title = "tank <script>alert(1)</script>";
    data.summary = {{"algorithm", "jacobi & \"more\""}};
    data.findings = {{base::Severity::warning, "x", "tank.ssd:3", "something <b>odd</b>"}};
    data.units = {{"tank", "Tank", "FMI 3.0 co-simulation", "1 ms", 1000, 0.5}};
    data.plots = report::plots_of(long_table(1000), {}, 50);
    data.parameters = {{"tank.area", "0.1", "m2", "values.ssv:7"}};
    data.reproducibility = {{"tank.fmu", "00ff"}};
    const auto file = scratch.folder() / "deep" / "report.html";
    report::write_report(file, data);
    const std::string page = tests::content_of(file);
    CHECK(page.find("<script") == std::string::npos);
    CHECK(page.find("<b>odd") == std::string::npos);
    CHECK(page.find("http") == std::string::npos);
    CHECK(page.find("url(") == std::string::npos);
    CHECK(page.find("values.ssv:7") != std::string::npos);
    CHECK(std::distance(std::filesystem::directory_iterator(file.parent_path()), {}) == 1);
}

TEST_CASE("marks of direction in names are spelt out: they would mirror the numbers beside them") {
    const std::string name = "boom\xe2\x80\xae.angle";
    report::ReportData data;
    data.title = data.subtitle = name;
    data.summary = {{name, name}};
    data.findings = {{base::Severity::warning, "x", name, name}};
    data.units = {{name, name, name, name, 1000, 0.5}};
    data.parameters = {{.name = name, .value = name, .unit = name, .origin = name, .standard = "1"}};
    data.plots = {{name, {Plot{name, {{name, {0, 1}, {1, 2}, false}}}}}};
    const std::string page = report::html(data);
    CHECK(page.find("\xe2\x80\xae") == std::string::npos);
    CHECK(page.find("boom\\u202e.angle") != std::string::npos);
}

TEST_CASE("the report has a table of step responses, where there are any") {
    report::ReportData data;
    CHECK(report::html(data).find("Step responses") == std::string::npos);
    report::StepResponse step{.label = "boom", .cause = "target", .t = 1, .from = 250, .to = 290, .unit = "mm"};
    step.metrics = {.rise_time = 0.5, .overshoot = 0.021, .steady_error = -0.2, .absolute_error = 19.4};
    step.peak_pressure = 9.2e6;
    data.steps.push_back(step);
    const std::string page = report::html(data);
    for (const char* text : {"Step responses", "boom", "290 mm", "0.5 s", "2.1 %", "-0.2 mm", "19.4 mm s", "9.2 MPa"})
        CHECK(page.find(text) != std::string::npos);
}
