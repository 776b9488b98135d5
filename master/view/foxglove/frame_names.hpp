#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace master::view {

/// The links of one machine as frames: their names are those of the URDF, with that of the machine before them where
/// there are several.
struct MachineFrames {
    std::string topic;
    std::vector<std::string> names;
    std::uint32_t array = 0;  // of the poses, in system.json
};
struct SceneFrames {
    std::vector<MachineFrames> machines;  // those with poses
    std::optional<std::string> cloud;     // the frame of its sensor
};

/// Of a system.json; throws what the JSON library throws where it is none.
[[nodiscard]] SceneFrames scene_frames(const nlohmann::json& system);

inline constexpr const char* cloud_topic = "/points";

}  // namespace master::view
