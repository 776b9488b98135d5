#include "master/view/tele/station.hpp"

#include "interfaces/teleop/stream.hpp"
#include "master/base/error.hpp"
#include "master/base/patterns.hpp"
#include "master/view/description/scene_json.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <utility>

namespace master::view {
namespace {

using base::Json;

void refuse_signals(const std::filesystem::path& file, ViewFile& view) {
    for (const ViewMachine& machine : view.machines)
        if (!machine.component.empty())
            throw base::Error("bad-value", machine.where,
                              fmt::format("machine '{}' is of component '{}', expected a file: a station has no system",
                                          machine.name, machine.component));
    const auto requests = view.requests();
    if (requests.empty()) return;
    throw base::Error("bad-value", file.string(),
                      fmt::format("'{}' is a signal, expected a number: a station has no system, only the stream",
                                  requests.front()->name));
}

Json wall_json(const ViewWall& wall) {
    return {{"radius", wall.radius.number}, {"thickness", wall.thickness.number}, {"start", wall.start.number},
            {"span", wall.span.number},     {"base", wall.base.number},           {"height", wall.height.number},
            {"floor", wall.floor.number}};
}

Json operator_of(const ViewOperator& driven, const std::filesystem::path& file, std::vector<std::size_t>& axes) {
    namespace teleop = interfaces::teleop;
    Json shown = operator_json(driven);
    for (const ViewOperator::Axis& axis : driven.axes) {
        const auto found = std::ranges::find(teleop::axes, axis.name);
        if (found == teleop::axes.end()) {
            const std::vector<std::string> known(teleop::axes.begin(), teleop::axes.end());
            throw base::Error(
                "unknown-name", file.string(),
                fmt::format("'{}' is no axis of the stream{}", axis.name, base::did_you_mean(axis.name, known)));
        }
        shown["axes"].push_back({{"name", axis.name}, {"input", axes.size()}, {"least", -1}, {"most", 1}});
        axes.push_back(static_cast<std::size_t>(found - teleop::axes.begin()));
    }
    return shown;
}

}  // namespace

StationScene read_station(const std::filesystem::path& file, base::Diagnostics& diagnostics) {
    ViewFile view = read_view_file(file, diagnostics);
    refuse_signals(file, view);
    StationScene scene;
    Json shown{{"machines", Json::array()}, {"cameras", cameras_json(view.cameras)}, {"files", Json::array()}};
    for (const ViewMachine& machine : view.machines) {
        const std::string name = machine.file.filename().string();
        if (add_machine_files(machine, machine.file, name, scene.catalogue, diagnostics))
            shown["machines"].push_back({{"name", machine.name},
                                         {"urdf", "files/" + name},
                                         {"links", Json::array()},
                                         {"joints", Json::object()}});
    }
    for (const ViewWall& wall : view.walls) shown["wall"] = wall_json(wall);
    for (const ViewOperator& driven : view.operators) shown["operator"] = operator_of(driven, file, scene.axes);
    for (const auto& each : scene.catalogue.files) shown["files"].push_back(each.first);
    const std::string name = view.title.empty() ? file.stem().string() : view.title;
    Json document{{"protocol", 1},  {"name", name},     {"title", name}, {"version", TANDEM_VERSION},
                  {"mode", "tele"}, {"start", 0},       {"stop", 0},     {"step", 0},
                  {"run", 1},       {"streams", {name}}};
    for (const char* empty : {"signals", "arrays", "components", "wires", "boundary"}) document[empty] = Json::array();
    document["view"] = std::move(shown);
    scene.catalogue.json = base::json_text(std::move(document));
    return scene;
}

}  // namespace master::view
