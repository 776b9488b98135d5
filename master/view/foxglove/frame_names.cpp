#include "master/view/foxglove/frame_names.hpp"

#include <nlohmann/json.hpp>

namespace master::view {

SceneFrames scene_frames(const nlohmann::json& system) {
    SceneFrames scene;
    const nlohmann::json& view = system.at("view");
    if (!view.is_object()) return scene;
    const nlohmann::json& machines = view.at("machines");
    const auto prefix = [&](const std::string& machine) { return machines.size() > 1 ? machine + "/" : std::string(); };
    for (const nlohmann::json& machine : machines) {
        if (!machine.contains("poses") || !machine.contains("links")) continue;
        const std::string name = machine.at("name");
        MachineFrames frames{.topic = machines.size() > 1 ? "/tf/" + name : "/tf",
                             .names = machine.at("links"),
                             .array = machine.at("poses")};
        for (std::string& frame : frames.names) frame.insert(0, prefix(name));
        scene.machines.push_back(std::move(frames));
    }
    if (view.contains("cloud"))
        scene.cloud =
            prefix(view["cloud"].at("machine").get<std::string>()) + view["cloud"].at("sensor").get<std::string>();
    return scene;
}

}  // namespace master::view
