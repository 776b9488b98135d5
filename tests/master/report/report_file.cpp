#include "master/report/report_file.hpp"

#include "master/base/error.hpp"
#include "master/report/machine_picture.hpp"
#include "master/report/observer.hpp"
#include "master/report/pictures.hpp"
#include "master/report/wall_picture.hpp"
#include "tests/support/scratch.hpp"

#include <catch2/catch.hpp>
#include <cmath>

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
        "factor='1e-3'/><Machine title='Side' machine='k' poses='k.p' link='frame' moments='4'/>"
        "<Wall title='Wall' heights='w.h' length='w.length' thickness='0.2' base='-1'/>"
        "<Goal label='done' signal='a.done' is='true'/><Goal label='high' signal='a.x' min='2'/>",
        diagnostics);
    CHECK(diagnostics.findings().empty());
    REQUIRE(wishes.plots.size() == 1);
    CHECK(wishes.plots[0].patterns == std::vector<std::string>{"a.x", "b.*"});
    REQUIRE(wishes.facts.size() == 1);
    CHECK(wishes.facts[0].take == report::WishedFact::Take::change);
    REQUIRE(wishes.machines.size() == 1);
    CHECK(wishes.machines[0].machine.component == "k");
    CHECK(wishes.machines[0].moments == 4);
    REQUIRE(wishes.walls.size() == 1);
    CHECK(wishes.walls[0].length.signal.name == "w.length");
    CHECK(wishes.walls[0].base.signal.name.empty());
    CHECK(wishes.walls[0].base.number == -1);
    REQUIRE(wishes.goals.size() == 2);
    CHECK(wishes.goals[0].smallest == 1);
    CHECK(wishes.goals[0].largest == 1);
    CHECK(wishes.goals[1].smallest == 2);
    CHECK(std::isinf(wishes.goals[1].largest));
}

TEST_CASE("a report file with a mistake is refused with its line") {
    for (const char* body :
         {"<Fact label='x' signal='a.x' take='lats'/>", "<Plot title='x'/>",
          "<Machine title='x' machine='k' poses='p' link='l' moments='0'/>", "<Machine title='x' poses='p' link='l'/>",
          "<Machine title='x' machine='k' file='f' poses='p' link='l'/>", "<Goal label='x' signal='a.x'/>",
          "<Goal label='x' signal='a.x' is='tru'/>", "<Goal label='x' signal='a.x' is='1' min='1'/>",
          "<Wall title='x' heights='h' length='1x' thickness='1'/>",
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

TEST_CASE("a machine file that is not there leaves the picture out, with a warning that names its line") {
    base::Diagnostics diagnostics;
    const auto wishes = read("<Machine title='x' file='none.urdf' poses='p' link='l'/>", diagnostics);
    diagnostics.throw_if_errors();
    REQUIRE(diagnostics.findings().size() == 1);
    CHECK(diagnostics.findings()[0].severity == base::Severity::warning);
    CHECK(diagnostics.findings()[0].where.ends_with("report.xml:1"));
    CHECK(diagnostics.findings()[0].text.find("none.urdf") != std::string::npos);
    CHECK_FALSE(wishes.machines[0].machine.machine);
}

namespace {

/// A run in which the machine stands at azimuth `here` of a ring of 10 m and finds the edge of a wall of 101 columns.
struct EdgeRun {
    static constexpr std::size_t along = 101, bins = 10;

    report::ReportFile wishes;
    double start = 0, base = 0;
    core::Signals signals;

    static build::SignalRequest request(const char* name, std::size_t index, std::vector<std::uint64_t> dimensions) {
        return {
            .name = name,
            .found = {{.first = {.index = static_cast<std::uint32_t>(index)}, .dimensions = std::move(dimensions)}}};
    }
    EdgeRun(double here, double wall_start, double wall_base) : start(wall_start), base(wall_base) {
        report::CloudPicture cloud;
        cloud.machine.machine.emplace();
        cloud.machine.machine->links.resize(1);
        cloud.machine.machine->links[0].name = cloud.frame = "frame";
        signals.outputs.reals = {wall_start, wall_base, 10 * std::cos(here), 10 * std::sin(here), 0, 0, 0, 0, 1};
        auto& reals = signals.outputs.reals;
        cloud.truth_start = {.signal = request("wall.start", 0, {})};
        cloud.truth_base = {.signal = request("wall.base", 1, {})};
        cloud.poses = request("poses", 2, {1, 7});
        cloud.truth = request("heights", reals.size(), {along, 1});
        reals.resize(reals.size() + along, 3);
        cloud.edge = request("edge", reals.size(), {bins});
        reals.resize(reals.size() + bins, 3 + wall_base + 0.01);
        reals.back() += 0.2;
        cloud.valid = request("valid", reals.size(), {bins});
        reals.resize(reals.size() + bins, 1);
        for (std::size_t i = 0; i < 5; ++i) reals[reals.size() - bins + i] = 0;
        cloud.edge_start = {.number = 0};
        cloud.edge_span = {.number = 0.2};
        cloud.truth_span = {.number = 0.2};
        wishes.clouds.push_back(std::move(cloud));
    }
    [[nodiscard]] std::string error() {
        report::Observer observer({base::Time{0}, base::Time{10}, base::Timebase{10}});
        for (const build::SignalRequest* array : wishes.arrays()) observer.picture(*array);
        for (const build::SignalRequest* value : wishes.values()) observer.take_last(*value);
        for (std::int64_t tick = 0; tick <= 10; ++tick) observer.after_step(base::Time{tick}, signals);
        observer.finish();
        const auto facts = report::edge_error_facts_of(wishes, observer);
        return facts.empty() ? "none" : facts[0].second;
    }
};

}  // namespace

TEST_CASE("the error of an edge is that against the wall where its unit says it stands, all around the ring") {
    const std::string expected =
        "median 10 mm, 95 % within 210 mm, worst decile 210 to 210 mm, valid at 50 % of the azimuths";
    CHECK(EdgeRun(0, 0, -1).error() == expected);
    CHECK(EdgeRun(0, 0, -1.3).error() == expected);
    CHECK(EdgeRun(1, 1, -1).error() == expected);
    CHECK(EdgeRun(3.1, 3.1, -1).error() == expected);  // over the azimuth pi, where atan2 jumps
    // A wall that begins 0.1 rad ahead: only half of the azimuths lie on it, and all of those are valid.
    CHECK(EdgeRun(0, 0.1, -1).error() ==
          "median 10 mm, 95 % within 210 mm, worst decile 210 to 210 mm, valid at 100 % of the azimuths");
    CHECK(EdgeRun(0, 1, -1).error() == "none");
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
    const report::WallSize wall{.length = 2, .thickness = 0.2};
    const std::vector<double> heights{1, 1, 1, 0.5, 0.5, 0.5};
    const std::string view = report::wall_view(wall, heights, 3, 1);
    CHECK(view.find("class=\"face\"") != std::string::npos);
    CHECK(view.find("nan") == std::string::npos);
    CHECK(report::wall_view(wall, {}, 3, 1).empty());
}
