#pragma once

#include "master/base/diagnostics.hpp"
#include "master/view/channel.hpp"

#include <cstddef>
#include <filesystem>
#include <vector>

namespace master::view {

/// What a station knows beside the stream: the machine's description, the ring and its sizes, cameras, lever patterns.
struct StationScene {
    Catalogue catalogue;            // as the page asks for it
    std::vector<std::size_t> axes;  // of the page's levers: which axis of the stream each one is
};

/// From a view file in which every quantity is a number and the machine a URDF: the station never opens a system.
/// Throws `Error` for one that names a component or a signal.
[[nodiscard]] StationScene read_station(const std::filesystem::path& file, base::Diagnostics& diagnostics);

}  // namespace master::view
