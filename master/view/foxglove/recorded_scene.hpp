#pragma once

#include "master/results/recorder.hpp"
#include "master/view/scene.hpp"

namespace master::view {

/// Where the links of machines stand, and the point cloud, under the names that viewers of other people expect: topics
/// /tf and /points, frames below `world`.
[[nodiscard]] results::RecordedScene recorded_scene(const MadeScene& made);

}  // namespace master::view
