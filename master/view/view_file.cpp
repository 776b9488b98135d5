#include "master/view/view_file.hpp"

#include "master/base/archive.hpp"
#include "master/base/patterns.hpp"
#include "master/base/xml/page.hpp"
#include "master/base/xml/values.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace master::view {
namespace {

using base::Page;
using base::Space;

constexpr std::array<std::string_view, 9> lever_names{"left-x",      "left-y",  "right-x", "right-y", "left-twist",
                                                      "right-twist", "trigger", "pedal-x", "pedal-y"};

build::SignalRequest observed(std::string name) {
    return {.use = build::SignalRequest::Use::observe, .name = std::move(name)};
}

build::SignalRequest observed(pugi::xml_node node, const char* attribute) {
    return observed(node.attribute(attribute).as_string());
}

/// A number, or the name of a variable, which begins with a letter or an underscore.
Quantity read_quantity(pugi::xml_node node, Page& page, const char* attribute, double otherwise) {
    const std::string_view text = base::trimmed(node.attribute(attribute).as_string());
    const bool named = !text.empty() && (std::isalpha(static_cast<unsigned char>(text[0])) != 0 || text[0] == '_');
    if (named) return {.number = otherwise, .signal = observed(std::string(text))};
    return {.number = page.number(node, attribute, otherwise)};
}

std::array<double, 3> read_point(pugi::xml_node node, Page& page, const char* attribute) {
    std::array<double, 3> point{};
    const std::string text = page.required(node, attribute);
    const auto words = base::words(text);
    bool good = words.size() == point.size();
    for (std::size_t i = 0; good && i < point.size(); ++i) {
        const auto number = base::parse_double(words[i]);
        good = number && std::isfinite(*number);
        if (good) point[i] = *number;
    }
    if (!good && !text.empty())
        page.error("bad-value", node, fmt::format("{} is '{}', expected three numbers x y z", attribute, text));
    return point;
}

ViewMachine read_machine(pugi::xml_node node, Page& page, const std::filesystem::path& folder) {
    page.check_attributes(node, {"name", "machine", "file", "poses"});
    ViewMachine machine{.name = page.required(node, "name"),
                        .component = node.attribute("machine").as_string(),
                        .file = {},
                        .where = page.where(node),
                        .poses = observed(node, "poses"),
                        .joints = {}};
    const std::string file = node.attribute("file").as_string();
    if (machine.component.empty() == file.empty())
        page.error("missing-attribute", node, "expected either 'machine', a component made for one, or 'file', a URDF");
    if (!file.empty()) machine.file = folder / file;
    for (const pugi::xml_node child : node.children()) {
        if (!base::is(child, Space::view, "Joint")) {
            page.unknown_child(child);
            continue;
        }
        page.check_attributes(child, {"name", "signal", "factor", "offset"});
        machine.joints.push_back({.name = page.required(child, "name"),
                                  .signal = observed(page.required(child, "signal")),
                                  .factor = page.number(child, "factor", 1),
                                  .offset = page.number(child, "offset", 0)});
    }
    return machine;
}

ViewWall read_wall(pugi::xml_node node, Page& page) {
    page.check_attributes(node, {"heights", "radius", "thickness", "start", "span", "base", "height", "floor"});
    return {.heights = observed(node, "heights"),
            .radius = read_quantity(node, page, "radius", 1),
            .thickness = read_quantity(node, page, "thickness", 0.2),
            .start = read_quantity(node, page, "start", 0),
            .span = read_quantity(node, page, "span", 0),
            .base = read_quantity(node, page, "base", 0),
            .height = read_quantity(node, page, "height", 1),
            .floor = read_quantity(node, page, "floor", 0)};
}

ViewCloud read_cloud(pugi::xml_node node, Page& page) {
    page.check_attributes(node, {"points", "machine", "sensor"});
    return {.points = observed(page.required(node, "points")),
            .machine = node.attribute("machine").as_string(),
            .sensor = node.attribute("sensor").as_string()};
}

ViewEdge read_edge(pugi::xml_node node, Page& page) {
    page.check_attributes(node, {"heights", "valid", "machine", "frame", "radius", "start", "span"});
    return {.heights = observed(page.required(node, "heights")),
            .valid = observed(node, "valid"),
            .machine = page.required(node, "machine"),
            .frame = page.required(node, "frame"),
            .radius = read_quantity(node, page, "radius", 1),
            .start = read_quantity(node, page, "start", 0),
            .span = read_quantity(node, page, "span", 0)};
}

ViewLidar read_lidar(pugi::xml_node node, Page& page) {
    page.check_attributes(node, {"machine", "link", "curve", "fov", "range", "first", "second", "ratio"});
    return {.machine = page.required(node, "machine"),
            .link = page.required(node, "link"),
            .curve = node.attribute("curve").as_string(),
            .fov = read_quantity(node, page, "fov", 1),
            .range = read_quantity(node, page, "range", 10),
            .first = read_quantity(node, page, "first", 0),
            .second = read_quantity(node, page, "second", 0),
            .ratio = read_quantity(node, page, "ratio", 1)};
}

ViewTool read_tool(pugi::xml_node node, Page& page) {
    page.check_attributes(node, {"machine", "pose", "box", "collision", "inside", "offset"});
    return {.machine = node.attribute("machine").as_string(),
            .pose = observed(node, "pose"),
            .box = observed(node, "box"),
            .collision = observed(node, "collision"),
            .inside = observed(node, "inside"),
            .offset = read_quantity(node, page, "offset", std::numeric_limits<double>::quiet_NaN())};
}

ViewCamera read_camera(pugi::xml_node node, Page& page) {
    page.check_attributes(node, {"name", "machine", "link", "from", "to", "fov", "orthographic"});
    ViewCamera camera{.name = page.required(node, "name"),
                      .machine = node.attribute("machine").as_string(),
                      .link = node.attribute("link").as_string(),
                      .from = read_point(node, page, "from"),
                      .to = read_point(node, page, "to"),
                      .fov = page.number(node, "fov", 60),
                      .orthographic = page.flag(node, "orthographic", false)};
    const double most = camera.orthographic ? 1e6 : 170;
    if (!(camera.fov > 0 && camera.fov < most))
        page.error("bad-value", node,
                   fmt::format("fov is {}, expected {} greater than 0 and less than {}", camera.fov,
                               camera.orthographic ? "metres" : "degrees", most));
    return camera;
}

ViewOperator::Pattern read_pattern(pugi::xml_node node, Page& page, const ViewOperator& driven) {
    page.check_attributes(node, {"name"});
    ViewOperator::Pattern pattern{.name = page.required(node, "name"), .levers = {}};
    std::vector<std::string> axes;
    axes.reserve(driven.axes.size());
    for (const ViewOperator::Axis& axis : driven.axes) axes.push_back(axis.name);
    for (const pugi::xml_node child : node.children()) {
        if (!base::is(child, Space::view, "Lever")) {
            page.unknown_child(child);
            continue;
        }
        page.check_attributes(child, {"lever", "axis", "sign"});
        ViewOperator::Lever lever{.lever = page.required(child, "lever"),
                                  .axis = page.required(child, "axis"),
                                  .sign = page.number(child, "sign", 1)};
        if (std::ranges::find(lever_names, lever.lever) == lever_names.end())
            page.error("bad-value", child,
                       fmt::format("lever is '{}', expected one of: {}", lever.lever, fmt::join(lever_names, ", ")));
        if (std::ranges::find(axes, lever.axis) == axes.end())
            page.error(
                "unknown-name", child,
                fmt::format("'{}' is no Axis of this Operator{}", lever.axis, base::did_you_mean(lever.axis, axes)));
        if (std::fabs(lever.sign) != 1) page.error("bad-value", child, "sign is neither 1 nor -1");
        pattern.levers.push_back(std::move(lever));
    }
    return pattern;
}

ViewOperator read_operator(pugi::xml_node node, Page& page) {
    page.check_attributes(node, {"dead_zone", "curve"});
    ViewOperator driven{.dead_zone = page.number(node, "dead_zone", 0.08),
                        .curve = page.number(node, "curve", 1.6),
                        .axes = {},
                        .patterns = {}};
    if (!(driven.dead_zone >= 0 && driven.dead_zone < 1))
        page.error("bad-value", node, "dead_zone is not from 0 to less than 1");
    if (!(driven.curve >= 1 && driven.curve <= 5)) page.error("bad-value", node, "curve is not from 1 to 5");
    for (const pugi::xml_node child : base::children(node, Space::view, "Axis")) {
        page.check_attributes(child, {"name", "input", "least", "most"});
        driven.axes.push_back({.name = page.required(child, "name"),
                               .input = page.required(child, "input"),
                               .least = page.number(child, "least", -1),
                               .most = page.number(child, "most", 1)});
        if (!(driven.axes.back().least < driven.axes.back().most))
            page.error("bad-value", child, "least is not less than most");
    }
    for (const pugi::xml_node child : node.children()) {
        if (base::is(child, Space::view, "Pattern")) {
            driven.patterns.push_back(read_pattern(child, page, driven));
        } else if (!base::is(child, Space::view, "Axis")) {
            page.unknown_child(child);
        }
    }
    return driven;
}

report::WishedPlot read_plot(pugi::xml_node node, Page& page) {
    page.check_attributes(node, {"title", "signals"});
    report::WishedPlot plot{.title = page.required(node, "title"), .patterns = {}};
    const std::string signals = page.required(node, "signals");
    for (const std::string_view word : base::words(signals)) plot.patterns.emplace_back(word);
    return plot;
}

ViewFile view_file_in(const std::filesystem::path& folder, base::Diagnostics& diagnostics) {
    const auto file = folder / "extra" / "io.tandem.cosim" / "view.xml";
    if (!std::filesystem::exists(file)) return {};
    ViewFile view = read_view_file(file, diagnostics);
    // Whoever made the system does not decide which other files of this computer are served.
    const auto whole = std::filesystem::weakly_canonical(folder.empty() ? "." : folder);
    for (ViewMachine& machine : view.machines) {
        if (machine.file.empty()) continue;
        const auto inside = std::filesystem::weakly_canonical(machine.file).lexically_relative(whole);
        if (!inside.empty() && *inside.begin() != "..") continue;
        diagnostics.warn(
            "bad-machine", machine.where,
            fmt::format("'{}' lies outside of the system; the machine is not shown", machine.file.string()));
        machine.file.clear();
    }
    return view;
}

template <class Part>
void only_one(pugi::xml_node node, Page& page, const std::vector<Part>& parts) {
    if (!parts.empty()) page.error("bad-value", node, "there is one already: at most one is shown");
}

void read_element(pugi::xml_node node, Page& page, const std::filesystem::path& folder, ViewFile& view) {
    const auto is = [&](std::string_view name) { return base::is(node, Space::view, name); };
    if (is("Machine")) {
        view.machines.push_back(read_machine(node, page, folder));
    } else if (is("Wall")) {
        only_one(node, page, view.walls);
        view.walls.push_back(read_wall(node, page));
    } else if (is("Cloud")) {
        only_one(node, page, view.clouds);
        view.clouds.push_back(read_cloud(node, page));
    } else if (is("Edge")) {
        only_one(node, page, view.edges);
        view.edges.push_back(read_edge(node, page));
    } else if (is("Lidar")) {
        only_one(node, page, view.lidars);
        view.lidars.push_back(read_lidar(node, page));
    } else if (is("Tool")) {
        only_one(node, page, view.tools);
        view.tools.push_back(read_tool(node, page));
    } else if (is("Camera")) {
        view.cameras.push_back(read_camera(node, page));
    } else if (is("Operator")) {
        only_one(node, page, view.operators);
        view.operators.push_back(read_operator(node, page));
    } else if (is("Plot")) {
        view.plots.push_back(read_plot(node, page));
    } else if (is("Tune")) {
        page.check_attributes(node, {"parameters"});
        const std::string parameters = page.required(node, "parameters");
        for (const std::string_view word : base::words(parameters)) view.tuned.emplace_back(word);
    } else {
        page.unknown_child(node);
    }
}

/// Every wish of a file: to be filled in, or to be looked at where the file is constant.
template <class Request, class File>
std::vector<Request*> requests_of(File& file) {
    std::vector<Request*> all;
    const auto add = [&](auto&... wished) { (all.push_back(&wished), ...); };
    const auto add_quantities = [&](auto&... quantities) { (all.push_back(&quantities.signal), ...); };
    for (auto& machine : file.machines) {
        add(machine.poses);
        for (auto& joint : machine.joints) add(joint.signal);
    }
    for (auto& wall : file.walls) {
        add(wall.heights);
        add_quantities(wall.radius, wall.thickness, wall.start, wall.span, wall.base, wall.height, wall.floor);
    }
    for (auto& cloud : file.clouds) add(cloud.points);
    for (auto& edge : file.edges) {
        add(edge.heights, edge.valid);
        add_quantities(edge.radius, edge.start, edge.span);
    }
    for (auto& lidar : file.lidars) add_quantities(lidar.fov, lidar.range, lidar.first, lidar.second, lidar.ratio);
    for (auto& tool : file.tools) {
        add(tool.pose, tool.box, tool.collision, tool.inside);
        add_quantities(tool.offset);
    }
    std::erase_if(all, [](const Request* request) { return request->name.empty(); });
    return all;
}

}  // namespace

std::vector<build::SignalRequest*> ViewFile::requests() { return requests_of<build::SignalRequest>(*this); }
std::vector<const build::SignalRequest*> ViewFile::requests() const {
    return requests_of<const build::SignalRequest>(*this);
}

ViewFile read_view_file(const std::filesystem::path& file, base::Diagnostics& diagnostics) {
    const base::Document document(file, file.string());
    document.expect_root(Space::view, "View");
    Page page(document, diagnostics);
    page.check_attributes(document.root(), {"title"});
    ViewFile view{.there = true, .where = file.string(), .title = document.root().attribute("title").as_string()};
    for (const pugi::xml_node node : document.root().children()) read_element(node, page, file.parent_path(), view);
    return view;
}

ViewFile view_file_of(const std::filesystem::path& system, base::Diagnostics& diagnostics) {
    if (system.extension() == ".fmu") return {};
    if (system.extension() == ".ssp" && std::filesystem::is_regular_file(system))
        return view_file_in(base::Archive(system).folder(), diagnostics);
    return view_file_in(std::filesystem::is_directory(system) ? system : system.parent_path(), diagnostics);
}

}  // namespace master::view
