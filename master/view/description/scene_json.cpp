#include "master/view/description/scene_json.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <pugixml.hpp>

namespace master::view {
namespace {

constexpr std::size_t most_file_bytes = std::size_t{1} << 26U;

std::optional<std::string> file_content(const std::filesystem::path& file) {
    std::error_code failure;
    const auto size = std::filesystem::file_size(file, failure);
    if (failure || size > most_file_bytes) return std::nullopt;
    std::ifstream stream(file, std::ios::binary);
    if (!stream) return std::nullopt;
    return std::string(std::istreambuf_iterator<char>(stream), {});
}

void add_meshes(const ViewMachine& machine, const std::filesystem::path& urdf, const std::string& text,
                Catalogue& catalogue, base::Diagnostics& diagnostics) {
    pugi::xml_document document;
    if (!document.load_buffer(text.data(), text.size())) return;
    for (const auto& found : document.select_nodes("//mesh")) {
        const std::string name = found.node().attribute("filename").as_string();
        const std::filesystem::path relative = std::filesystem::path(name).lexically_normal();
        auto& files = catalogue.files;
        if (std::ranges::find(files, name, &std::pair<std::string, std::string>::first) != files.end()) continue;
        const auto there = std::filesystem::weakly_canonical(urdf.parent_path());
        const auto found_there = std::filesystem::weakly_canonical(there / relative).lexically_relative(there);
        const bool inside = relative.is_relative() && !found_there.empty() && *found_there.begin() != "..";
        std::optional<std::string> content;
        if (inside) content = file_content(urdf.parent_path() / relative);
        if (content) {
            files.emplace_back(name, std::move(*content));
            continue;
        }
        diagnostics.warn("missing-file", machine.where,
                         fmt::format("mesh '{}' of '{}' is not there{}; it is not shown", name, urdf.string(),
                                     inside ? "" : " (only files beside the URDF are)"));
    }
}

}  // namespace

base::Json cameras_json(const std::vector<ViewCamera>& cameras) {
    base::Json all = base::Json::array();
    for (const ViewCamera& camera : cameras)
        all.push_back({{"name", camera.name},
                       {"machine", camera.machine},
                       {"link", camera.link},
                       {"from", camera.from},
                       {"to", camera.to},
                       {"fov", camera.fov},
                       {"orthographic", camera.orthographic}});
    return all;
}

base::Json operator_json(const ViewOperator& driven) {
    base::Json shown{{"deadZone", driven.dead_zone},
                     {"curve", driven.curve},
                     {"axes", base::Json::array()},
                     {"patterns", base::Json::array()}};
    for (const ViewOperator::Pattern& pattern : driven.patterns) {
        base::Json levers = base::Json::array();
        for (const ViewOperator::Lever& lever : pattern.levers)
            levers.push_back({{"lever", lever.lever}, {"axis", lever.axis}, {"sign", lever.sign}});
        shown["patterns"].push_back({{"name", pattern.name}, {"levers", std::move(levers)}});
    }
    return shown;
}

std::optional<std::string> add_machine_files(const ViewMachine& machine, const std::filesystem::path& urdf,
                                             const std::string& name, Catalogue& catalogue,
                                             base::Diagnostics& diagnostics) {
    std::optional<std::string> text = file_content(urdf);
    if (!text) {
        diagnostics.warn("bad-machine", machine.where,
                         fmt::format("'{}' cannot be read; the machine is not shown", urdf.string()));
        return std::nullopt;
    }
    catalogue.files.emplace_back(name, *text);
    add_meshes(machine, urdf, *text, catalogue, diagnostics);
    return text;
}

UrdfNames names_in(const std::string& urdf) {
    pugi::xml_document document;
    UrdfNames names;
    if (!document.load_buffer(urdf.data(), urdf.size())) return names;
    for (const pugi::xml_node node : document.document_element().children()) {
        const std::string_view kind = node.name();
        if (kind == "link") names.links.emplace_back(node.attribute("name").as_string());
        if (kind == "joint") names.joints.emplace_back(node.attribute("name").as_string());
    }
    return names;
}

}  // namespace master::view
