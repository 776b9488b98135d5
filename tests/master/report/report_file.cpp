#include "master/report/report_file.hpp"

#include "master/base/error.hpp"
#include "master/report/machine_picture.hpp"
#include "master/report/observer.hpp"
#include "master/report/wall_picture.hpp"
#include "tests/support/scratch.hpp"

#include <catch2/catch.hpp>

using namespace master;

namespace {

report::ReportFile read(const std::string& body, base::Diagnostics& diagnostics) {
    const tests::Scratch scratch;
    const auto file = scratch.write("report.xml", "<Report xmlns='urn:tandem:report:1'>" + body + "</Report>");
    return report::read_report_file(file, diagnostics);
}

}  // namespace

TEST_CASE("a report file names plots, facts and pictures") {
    base::Diagnostics diagnostics;
    const auto wishes = read(
        "<Plot title='Positions' signals='a.x b.*'/><Fact label='Energy' signal='a.e' take='change' unit='kJ' "
        "factor='1e-3'/><Machine title='Side' file='m.urdf' poses='k.p' link='frame' moments='4'/>"
        "<Wall title='Wall' heights='w.h' length='12' thickness='0.2' base='-1'/>",
        diagnostics);
    CHECK(diagnostics.findings().empty());
    REQUIRE(wishes.plots.size() == 1);
    CHECK(wishes.plots[0].patterns == std::vector<std::string>{"a.x", "b.*"});
    REQUIRE(wishes.facts.size() == 1);
    CHECK(wishes.facts[0].take == report::WishedFact::Take::change);
    REQUIRE(wishes.machines.size() == 1);
    CHECK(wishes.machines[0].file.filename() == "m.urdf");
    CHECK(wishes.machines[0].moments == 4);
    REQUIRE(wishes.walls.size() == 1);
    CHECK(wishes.walls[0].base == -1);
}

TEST_CASE("a report file with a mistake is refused with its line") {
    for (const char* body : {"<Fact label='x' signal='a.x' take='lats'/>", "<Plot title='x'/>",
                             "<Machine title='x' file='f' poses='p' link='l' moments='0'/>",
                             "<Wall title='x' heights='h' length='-1' thickness='1'/>"}) {
        base::Diagnostics diagnostics;
        static_cast<void>(read(body, diagnostics));
        INFO(body);
        CHECK_THROWS_AS(diagnostics.throw_if_errors(), base::Error);
        CHECK(diagnostics.findings().front().where.ends_with("report.xml:1"));
    }
}

TEST_CASE("an observer keeps last, extreme, mean and integral values, and evenly spaced pictures") {
    using Take = report::WishedFact::Take;
    report::Observer observer({base::Time{0}, base::Time{100}, base::Timebase{10}});
    const auto request = [](const char* name, const build::LocatedSignal& signal) {
        return build::SignalRequest{.name = name, .found = {signal}};
    };
    const auto scalar = request("x", {.first = {.index = 0}, .dimensions = {}});
    const auto array = request("p", {.first = {.index = 1}, .dimensions = {2}});
    const auto text = request("s", {.first = {.type = core::Type::string}, .dimensions = {}});
    const std::vector<Take> takes{Take::last, Take::largest, Take::smallest, Take::mean, Take::integral, Take::change};
    for (const Take take : takes) observer.watch({.label = "x", .signal = scalar, .unit = {}, .take = take});
    observer.watch({.label = "not there", .signal = {.name = "z"}, .unit = {}});
    observer.watch({.label = "no number", .signal = text, .unit = {}});
    observer.picture(array);
    core::Signals signals;
    signals.outputs.reals = {0, 0, 0};
    for (std::int64_t tick = 0; tick <= 100; ++tick) {
        const double t = static_cast<double>(tick) / 10;
        signals.outputs.reals = {1 + t * (10 - t), t, -t};
        observer.after_step(base::Time{tick}, signals);
    }
    observer.finish();
    const auto facts = observer.facts();
    REQUIRE(facts.size() == takes.size());
    CHECK(facts[0].value == Approx(1));
    CHECK(facts[1].value == Approx(26));
    CHECK(facts[2].value == Approx(1));
    // The integral of 1 + t (10 - t) over 10 s is 10 + 1000/6; trapezoids of 0.1 s fall short by 10 h^2 / 6.
    CHECK(facts[4].value == Approx(10 + 1000.0 / 6 - 0.1 / 6));
    CHECK(facts[3].value == Approx(facts[4].value / 10));
    CHECK(facts[5].value == Approx(0).margin(1e-12));
    CHECK(observer.pictures(scalar, 3).empty());
    const auto pictures = observer.pictures(array, 3);
    REQUIRE(pictures.size() == 3);
    CHECK(pictures[0].t == 0);
    CHECK(pictures[2].t == 10);
    CHECK(pictures[1].t == Approx(5).margin(0.3));
    CHECK(pictures[2].values == std::vector<double>{10, -10});
}

TEST_CASE("a side view shows the outline of each body in the frame of the chosen link, and the wall ahead") {
    interfaces::machine_file::Machine machine;
    machine.links.resize(2);
    machine.links[1].bodies.push_back({.shape = interfaces::machine_file::Box{{2, 1, 1}}});
    // The machine stands at x = 100; its box is 5 m ahead and 1 m up.
    const std::vector<double> poses{100, 0, 0, 0, 0, 0, 1, 105, 0, 1, 0, 0, 0, 1};
    std::vector<report::MachineMoment> moments{{.poses = poses, .wall_top = {}}};
    const auto views = report::side_views(machine, 0, moments);
    REQUIRE(views.size() == 1);
    // 2 m and two margins of 0.3 m are 360 wide: the box begins at 0.3 m.
    CHECK(views[0].find("M41.5 ") != std::string::npos);
    CHECK(views[0].find("nan") == std::string::npos);
    CHECK(views[0].find("class=\"wall\"") == std::string::npos);

    // A wall from 6 m ahead of the machine on: 0.8 m of it are shown beyond the box, which ends there.
    for (const double x : {106.0, 106.5, 107.0}) moments[0].wall_top.emplace_back(x, 0, 2);
    const auto walled = report::side_views(machine, 0, moments, -1);
    // 2 m of the box, 0.5 m of the wall and two margins are 360 wide: the wall begins at 2.3 m.
    CHECK(walled[0].find("class=\"wall\" d=\"M267.1 ") != std::string::npos);
}

TEST_CASE("a wall is drawn with its height, and one without columns not at all") {
    const report::WallPicture wall{.title = {}, .heights = {}, .length = 2, .thickness = 0.2, .base = 0};
    const std::vector<double> heights{1, 1, 1, 0.5, 0.5, 0.5};
    const std::string view = report::wall_view(wall, heights, 3, 1);
    CHECK(view.find("class=\"face\"") != std::string::npos);
    CHECK(view.find("nan") == std::string::npos);
    CHECK(report::wall_view(wall, {}, 3, 1).empty());
}
