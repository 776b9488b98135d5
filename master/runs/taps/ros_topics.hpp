#pragma once

#include "master/build/simulation.hpp"
#include "master/core/tap.hpp"
#include "master/runs/taps/topics.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace master::runs {

struct RosSettings {
    std::string address = "127.0.0.1";  // of the interface that is used
    std::uint32_t domain = 0;           // ROS_DOMAIN_ID
    bool paced = true;                  // the run is in real time
};

/// Signals as topics of ROS 2, between machines: points of a sensor as PointCloud2; arrays of poses (n x 7) together as
/// /tf, children of `world` named as the links in the URDF of their unit, COMPONENT_i where it has none; X.position and
/// X.velocity of a component together as its joint_states; other numbers as Float64MultiArray. COMPONENT.VARIABLE is
/// /COMPONENT/VARIABLE there. A thread sends; a step leaves its values with it and never waits: what it had no time for
/// is left out, and counted in the diagnostics at the end.
class RosTopics : public core::Tap {
public:
    /// Throws `Error` for a topic that has a publisher, and for a signal without a type there.
    [[nodiscard]] static std::unique_ptr<RosTopics> make(const RosSettings& settings,
                                                         const std::vector<build::LocatedSignal>& published,
                                                         const build::Simulation& simulation,
                                                         base::Diagnostics& diagnostics);
    /// Numbers of a topic (Float64MultiArray). Before the run; the source lives at most as long as this. Throws `Error`
    /// where `type` (as `topic_type` says it) is not of float64.
    [[nodiscard]] virtual std::unique_ptr<TopicSource> subscribe(const std::string& topic, const std::string& type) = 0;
};

}  // namespace master::runs
