#include "master/view/foxglove/recorded_scene.hpp"

#include "master/view/foxglove/frame_names.hpp"

#include <nlohmann/json.hpp>

namespace master::view {

results::RecordedScene recorded_scene(const MadeScene& made) {
    results::RecordedScene recorded;
    SceneFrames frames = scene_frames(nlohmann::json::parse(made.catalogue.json));
    for (MachineFrames& machine : frames.machines) {
        const Scene::Array& poses = made.scene.arrays.at(machine.array);
        if (poses.first.type == core::Type::real && poses.size == 7 * machine.names.size())
            recorded.frames.push_back({std::move(machine.topic), std::move(machine.names), poses.first});
    }
    if (frames.cloud && made.scene.cloud)
        recorded.clouds.push_back({cloud_topic, std::move(*frames.cloud), made.scene.cloud->points});
    return recorded;
}

}  // namespace master::view
