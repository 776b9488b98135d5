#pragma once

#include "master/base/diagnostics.hpp"
#include "master/base/json.hpp"
#include "master/view/channel.hpp"
#include "master/view/view_file.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

/// Pieces of system.json that need no system: what stands in a view file is all there is to know of them.
namespace master::view {

[[nodiscard]] base::Json cameras_json(const std::vector<ViewCamera>& cameras);
/// Without its axes, which are inputs of a system or axes of a stream.
[[nodiscard]] base::Json operator_json(const ViewOperator& driven);

/// The URDF of a machine under the name, and the meshes beside it, as files that a page may ask for; returns its text.
/// Nothing, and told, where it cannot be read; meshes that are missing are told and left out.
[[nodiscard]] std::optional<std::string> add_machine_files(const ViewMachine& machine,
                                                           const std::filesystem::path& urdf, const std::string& name,
                                                           Catalogue& catalogue, base::Diagnostics& diagnostics);

struct UrdfNames {
    std::vector<std::string> links, joints;
};
/// What a description calls its links and joints, whatever else it lacks.
[[nodiscard]] UrdfNames names_in(const std::string& urdf);

}  // namespace master::view
