#pragma once

#include "master/build/requests/signal_request.hpp"
#include "master/core/tap.hpp"

#include <filesystem>
#include <memory>

namespace master::runs {

/// Writes the points of a sensor as a file that other programs open: .lvx, all of them as a Livox device sends them, or
/// .pcd, the last cloud of the run. Throws `Error` for another ending, and where the file cannot be written.
[[nodiscard]] std::unique_ptr<core::Tap> record_points(const build::LocatedSignal& signal,
                                                       const std::filesystem::path& file);

}  // namespace master::runs
