#include "master/report/report_file.hpp"

#include "master/base/error.hpp"
#include "master/base/patterns.hpp"
#include "master/base/time.hpp"
#include "master/base/xml/page.hpp"
#include "master/base/xml/values.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace master::report {
namespace {

using base::Page;
using base::Space;

constexpr std::array<std::pair<std::string_view, WishedFact::Take>, 6> takes{{{"last", WishedFact::Take::last},
                                                                              {"max", WishedFact::Take::largest},
                                                                              {"min", WishedFact::Take::smallest},
                                                                              {"mean", WishedFact::Take::mean},
                                                                              {"integral", WishedFact::Take::integral},
                                                                              {"change", WishedFact::Take::change}}};

build::SignalRequest observed(const std::string& name) {
    return {.use = build::SignalRequest::Use::observe, .name = name};
}

WishedInterval read_interval(pugi::xml_node node, Page& page) {
    page.check_attributes(node, {"systems", "interval"});
    WishedInterval wish{.systems = page.required(node, "systems"), .interval = page.required(node, "interval")};
    const std::optional<base::Fraction> interval = base::exact_fraction(wish.interval);
    if (!interval || interval->numerator <= 0)
        page.error("bad-value", node,
                   "interval is '" + wish.interval + "', expected a positive decimal or fraction in seconds");
    return wish;
}

WishedPlot read_plot(pugi::xml_node node, Page& page) {
    page.check_attributes(node, {"title", "signals"});
    WishedPlot plot{.title = page.required(node, "title"), .patterns = {}};
    const std::string signals = page.required(node, "signals");
    for (const std::string_view word : base::words(signals)) plot.patterns.emplace_back(word);
    return plot;
}

WishedFact read_fact(pugi::xml_node node, Page& page) {
    page.check_attributes(node, {"label", "signal", "take", "unit", "factor"});
    WishedFact fact{.label = page.required(node, "label"),
                    .signal = observed(page.required(node, "signal")),
                    .unit = node.attribute("unit").as_string(),
                    .factor = page.number(node, "factor", 1)};
    const std::string_view wanted = node.attribute("take").as_string("last");
    for (const auto& [name, take] : takes) {
        if (name != wanted) continue;
        fact.take = take;
        return fact;
    }
    page.error("bad-value", node,
               "take is '" + std::string(wanted) + "', expected last, max, min, mean, integral or change");
    return fact;
}

MachinePicture read_machine(pugi::xml_node node, Page& page, const std::filesystem::path& folder) {
    constexpr double most_moments = 12;
    page.check_attributes(node, {"title", "file", "poses", "link", "moments", "wall", "wall_radius", "wall_start",
                                 "wall_span", "wall_base"});
    const double moments = page.number(node, "moments", 6);
    if (!(moments >= 1 && moments <= most_moments && moments == std::floor(moments)))
        page.error("bad-value", node, "moments is no whole number from 1 to 12");
    const std::filesystem::path file = page.required(node, "file");
    return {.title = page.required(node, "title"),
            .poses = observed(page.required(node, "poses")),
            .link = page.required(node, "link"),
            .file = folder / file,
            .moments = static_cast<std::uint32_t>(std::fmax(1, std::fmin(moments, most_moments))),
            .wall = {.heights = observed(node.attribute("wall").as_string()),
                     .radius = page.number(node, "wall_radius", 1),
                     .start = page.number(node, "wall_start", 0),
                     .span = page.number(node, "wall_span", 0),
                     .base = page.number(node, "wall_base", 0)}};
}

WallPicture read_wall(pugi::xml_node node, Page& page) {
    page.check_attributes(node, {"title", "heights", "length", "thickness", "base"});
    WallPicture wall{.title = page.required(node, "title"),
                     .heights = observed(page.required(node, "heights")),
                     .length = page.number(node, "length", 1),
                     .thickness = page.number(node, "thickness", 1),
                     .base = page.number(node, "base", 0)};
    if (!(wall.length > 0 && wall.thickness > 0))
        page.error("bad-value", node, "length and thickness must be positive");
    return wall;
}

CloudPicture read_cloud(pugi::xml_node node, Page& page, const std::filesystem::path& folder) {
    page.check_attributes(node, {"title", "points", "poses", "sensor", "frame", "edge", "valid", "file", "radius",
                                 "edge_start", "edge_span", "truth", "truth_start", "truth_span", "truth_base"});
    const std::filesystem::path file = page.required(node, "file");
    CloudPicture cloud{.title = page.required(node, "title"),
                       .points = observed(page.required(node, "points")),
                       .poses = observed(page.required(node, "poses")),
                       .sensor = page.required(node, "sensor"),
                       .frame = page.required(node, "frame"),
                       .edge = observed(node.attribute("edge").as_string()),
                       .valid = observed(node.attribute("valid").as_string()),
                       .file = folder / file,
                       .radius = page.number(node, "radius", 1),
                       .edge_start = page.number(node, "edge_start", 0),
                       .edge_span = page.number(node, "edge_span", 0),
                       .truth = observed(node.attribute("truth").as_string()),
                       .truth_start = page.number(node, "truth_start", 0),
                       .truth_span = page.number(node, "truth_span", 0),
                       .truth_base = page.number(node, "truth_base", 0)};
    if (!(cloud.radius > 0)) page.error("bad-value", node, "radius must be positive");
    return cloud;
}

}  // namespace

std::string ReportFile::record_interval(const std::string& system) const {
    const auto wish =
        std::ranges::find_if(intervals, [&](const auto& each) { return base::matches(each.systems, system); });
    return wish == intervals.end() ? std::string{} : wish->interval;
}

std::vector<build::SignalRequest*> ReportFile::arrays() {
    std::vector<build::SignalRequest*> all;
    for (MachinePicture& picture : machines) all.insert(all.end(), {&picture.poses, &picture.wall.heights});
    for (WallPicture& picture : walls) all.push_back(&picture.heights);
    for (CloudPicture& picture : clouds)
        all.insert(all.end(), {&picture.points, &picture.poses, &picture.edge, &picture.valid, &picture.truth});
    return all;
}

std::vector<build::SignalRequest*> ReportFile::requests() {
    std::vector<build::SignalRequest*> all;
    for (WishedFact& fact : facts) all.push_back(&fact.signal);
    for (build::SignalRequest* array : arrays()) all.push_back(array);
    return all;
}

ReportFile read_report_file(const std::filesystem::path& file, base::Diagnostics& diagnostics) {
    const base::Document document(file, file.string());
    document.expect_root(Space::report, "Report");
    Page page(document, diagnostics);
    page.check_attributes(document.root(), {});
    ReportFile wishes;
    for (const pugi::xml_node node : document.root().children()) {
        if (base::is(node, Space::report, "Record")) {
            wishes.intervals.push_back(read_interval(node, page));
        } else if (base::is(node, Space::report, "Plot")) {
            wishes.plots.push_back(read_plot(node, page));
        } else if (base::is(node, Space::report, "Fact")) {
            wishes.facts.push_back(read_fact(node, page));
        } else if (base::is(node, Space::report, "Machine")) {
            wishes.machines.push_back(read_machine(node, page, file.parent_path()));
        } else if (base::is(node, Space::report, "Wall")) {
            wishes.walls.push_back(read_wall(node, page));
        } else if (base::is(node, Space::report, "Cloud")) {
            wishes.clouds.push_back(read_cloud(node, page, file.parent_path()));
        } else {
            page.unknown_child(node);
        }
    }
    return wishes;
}

ReportFile report_file_of(const std::filesystem::path& system, base::Diagnostics& diagnostics) {
    const auto folder = std::filesystem::is_directory(system) ? system : system.parent_path();
    const auto file = folder / "extra" / "io.tandem.cosim" / "report.xml";
    if (!std::filesystem::exists(file)) return {};
    return read_report_file(file, diagnostics);
}

}  // namespace master::report
