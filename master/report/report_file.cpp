#include "master/report/report_file.hpp"

#include "interfaces/machine_file/machine_file.hpp"
#include "master/base/archive.hpp"
#include "master/base/error.hpp"
#include "master/base/patterns.hpp"
#include "master/base/time.hpp"
#include "master/base/xml/page.hpp"
#include "master/base/xml/values.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <map>
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

WishedSteps read_steps(pugi::xml_node node, Page& page) {
    page.check_attributes(node, {"label", "target", "measured", "load", "pressures", "unit", "factor"});
    WishedSteps steps{.label = page.required(node, "label"),
                      .target = page.required(node, "target"),
                      .measured = page.required(node, "measured"),
                      .load = node.attribute("load").as_string(),
                      .pressures = {},
                      .unit = node.attribute("unit").as_string(),
                      .factor = page.number(node, "factor", 1)};
    for (const std::string_view name : base::words(node.attribute("pressures").as_string()))
        steps.pressures.emplace_back(name);
    return steps;
}

Goal read_goal(pugi::xml_node node, Page& page) {
    page.check_attributes(node, {"label", "signal", "is", "min", "max"});
    Goal goal{.label = page.required(node, "label"), .signal = observed(page.required(node, "signal"))};
    const pugi::xml_attribute is = node.attribute("is");
    if (is.empty() == (node.attribute("min").empty() && node.attribute("max").empty())) {
        page.error("bad-value", node, "a goal needs either 'is', or 'min' or 'max' or both");
    } else if (const auto truth = base::parse_boolean(is.as_string()); !is.empty() && truth) {
        goal.smallest = goal.largest = *truth ? 1 : 0;
    } else if (!is.empty()) {
        goal.smallest = goal.largest = page.number(node, "is", 0);
    } else {
        goal.smallest = page.number(node, "min", goal.smallest);
        goal.largest = page.number(node, "max", goal.largest);
    }
    return goal;
}

/// A name of a variable begins with a letter or an underscore, so that a mistyped number is not taken for one.
Quantity read_quantity(pugi::xml_node node, Page& page, const char* attribute, double otherwise) {
    const std::string_view text = base::trimmed(node.attribute(attribute).as_string());
    const bool named = !text.empty() && (std::isalpha(static_cast<unsigned char>(text[0])) != 0 || text[0] == '_');
    if (named) return {.number = otherwise, .signal = observed(std::string(text))};
    return {.number = page.number(node, attribute, otherwise)};
}

Quantity read_size(pugi::xml_node node, Page& page, const char* attribute) {
    Quantity size = read_quantity(node, page, attribute, 1);
    if (!(size.number > 0)) page.error("bad-value", node, std::string(attribute) + " must be positive");
    return size;
}

/// Fills in what the file says; without a machine in it, a warning.
void read_machine_file(const std::filesystem::path& file, ShownMachine& shown, base::Diagnostics& diagnostics) {
    try {
        shown.machine = interfaces::machine_file::read(file.string());
        std::ifstream stream(file, std::ios::binary);
        shown.urdf.assign(std::istreambuf_iterator<char>(stream), {});
    } catch (const interfaces::machine_file::Error& error) {
        diagnostics.warn("bad-machine", shown.where,
                         fmt::format("{}; what shows the machine is left out", error.what()));
    }
}

ShownMachine read_shown_machine(pugi::xml_node node, Page& page, const std::filesystem::path& folder) {
    ShownMachine shown{.component = node.attribute("machine").as_string(), .where = page.where(node)};
    const std::string file = node.attribute("file").as_string();
    if (shown.component.empty() == file.empty()) {
        page.error("missing-attribute", node, "expected either 'machine', a component made for one, or 'file', a URDF");
    } else if (!file.empty()) {
        read_machine_file(folder / file, shown, page.diagnostics());
    }
    return shown;
}

MachinePicture read_machine(pugi::xml_node node, Page& page, const std::filesystem::path& folder) {
    constexpr double most_moments = 12;
    page.check_attributes(node, {"title", "file", "machine", "poses", "link", "moments", "wall", "wall_radius",
                                 "wall_start", "wall_span", "wall_base", "wall_thickness"});
    const double moments = page.number(node, "moments", 6);
    if (!(moments >= 1 && moments <= most_moments && moments == std::floor(moments)))
        page.error("bad-value", node, "moments is no whole number from 1 to 12");
    return {.title = page.required(node, "title"),
            .poses = observed(page.required(node, "poses")),
            .link = page.required(node, "link"),
            .machine = read_shown_machine(node, page, folder),
            .moments = static_cast<std::uint32_t>(std::fmax(1, std::fmin(moments, most_moments))),
            .wall = {.heights = observed(node.attribute("wall").as_string()),
                     .radius = read_quantity(node, page, "wall_radius", 1),
                     .start = read_quantity(node, page, "wall_start", 0),
                     .span = read_quantity(node, page, "wall_span", 0),
                     .base = read_quantity(node, page, "wall_base", 0),
                     .thickness = read_quantity(node, page, "wall_thickness", 0.2)}};
}

WallPicture read_wall(pugi::xml_node node, Page& page) {
    page.check_attributes(node, {"title", "heights", "length", "thickness", "base"});
    return {.title = page.required(node, "title"),
            .heights = observed(page.required(node, "heights")),
            .length = read_size(node, page, "length"),
            .thickness = read_size(node, page, "thickness"),
            .base = read_quantity(node, page, "base", 0)};
}

CloudPicture read_cloud(pugi::xml_node node, Page& page, const std::filesystem::path& folder) {
    page.check_attributes(node,
                          {"title", "points", "poses", "sensor", "frame", "edge", "valid", "file", "machine", "radius",
                           "edge_start", "edge_span", "truth", "truth_start", "truth_span", "truth_base"});
    return {.title = page.required(node, "title"),
            .points = observed(page.required(node, "points")),
            .poses = observed(page.required(node, "poses")),
            .sensor = page.required(node, "sensor"),
            .frame = page.required(node, "frame"),
            .edge = observed(node.attribute("edge").as_string()),
            .valid = observed(node.attribute("valid").as_string()),
            .machine = read_shown_machine(node, page, folder),
            .radius = read_size(node, page, "radius"),
            .edge_start = read_quantity(node, page, "edge_start", 0),
            .edge_span = read_quantity(node, page, "edge_span", 0),
            .truth = observed(node.attribute("truth").as_string()),
            .truth_start = read_quantity(node, page, "truth_start", 0),
            .truth_span = read_quantity(node, page, "truth_span", 0),
            .truth_base = read_quantity(node, page, "truth_base", 0)};
}

ReportFile report_file_in(const std::filesystem::path& folder, base::Diagnostics& diagnostics) {
    const auto file = folder / "extra" / "io.tandem.cosim" / "report.xml";
    if (!std::filesystem::exists(file)) return {};
    return read_report_file(file, diagnostics);
}

}  // namespace

std::vector<std::string> ReportFile::recorded() const {
    std::vector<std::string> patterns;
    for (const WishedPlot& plot : plots) patterns.insert(patterns.end(), plot.patterns.begin(), plot.patterns.end());
    for (const WishedSteps& wish : steps) {
        patterns.insert(patterns.end(), {wish.target, wish.measured});
        patterns.insert(patterns.end(), wish.pressures.begin(), wish.pressures.end());
        // An element of an array is recorded with the array.
        if (!wish.load.empty()) patterns.push_back(wish.load.substr(0, wish.load.find('[')));
    }
    return patterns;
}

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

std::vector<build::SignalRequest*> ReportFile::values() {
    std::vector<Quantity*> quantities;
    for (MachinePicture& picture : machines) {
        RingWall& wall = picture.wall;
        quantities.insert(quantities.end(), {&wall.radius, &wall.start, &wall.span, &wall.base, &wall.thickness});
    }
    for (WallPicture& wall : walls) quantities.insert(quantities.end(), {&wall.length, &wall.thickness, &wall.base});
    for (CloudPicture& cloud : clouds)
        quantities.insert(quantities.end(), {&cloud.radius, &cloud.edge_start, &cloud.edge_span, &cloud.truth_start,
                                             &cloud.truth_span, &cloud.truth_base});
    std::vector<build::SignalRequest*> all;
    for (Quantity* quantity : quantities)
        if (!quantity->signal.name.empty()) all.push_back(&quantity->signal);
    for (Goal& goal : goals) all.push_back(&goal.signal);
    return all;
}

std::vector<build::SignalRequest*> ReportFile::requests() {
    std::vector<build::SignalRequest*> all;
    all.reserve(facts.size());
    for (WishedFact& fact : facts) all.push_back(&fact.signal);
    for (build::SignalRequest* array : arrays()) all.push_back(array);
    for (build::SignalRequest* value : values()) all.push_back(value);
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
        } else if (base::is(node, Space::report, "Steps")) {
            wishes.steps.push_back(read_steps(node, page));
        } else if (base::is(node, Space::report, "Goal")) {
            wishes.goals.push_back(read_goal(node, page));
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
    if (system.extension() == ".ssp" && std::filesystem::is_regular_file(system))
        return report_file_in(base::Archive(system).folder(), diagnostics);
    return report_file_in(std::filesystem::is_directory(system) ? system : system.parent_path(), diagnostics);
}

void find_machines(ReportFile& wishes, const build::Parts& parts, base::Diagnostics& diagnostics) {
    std::map<std::string, ShownMachine> known;
    const auto find = [&](ShownMachine& shown) {
        if (shown.component.empty()) return;
        const auto [entry, added] = known.try_emplace(shown.component);
        const auto unit = std::ranges::find(parts.plan.units, shown.component, &core::PlannedUnit::name);
        if (added && unit != parts.plan.units.end()) {
            const auto* fmu = parts.components[static_cast<std::size_t>(unit - parts.plan.units.begin())].fmu;
            const auto folder = fmu != nullptr ? fmu->folder() : std::filesystem::path();
            entry->second.where = shown.where;
            read_machine_file(folder / "resources" / "machine.urdf", entry->second, diagnostics);
        }
        shown.machine = entry->second.machine;
        shown.urdf = entry->second.urdf;
    };
    for (MachinePicture& picture : wishes.machines) find(picture.machine);
    for (CloudPicture& picture : wishes.clouds) find(picture.machine);
}

}  // namespace master::report
