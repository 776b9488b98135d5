#include "master/ssp/read.hpp"

#include "master/base/error.hpp"
#include "master/ssp/flatten.hpp"
#include "master/ssp/read_system.hpp"

#include <algorithm>

namespace master::ssp {
namespace {

namespace fs = std::filesystem;

constexpr const char* default_description = "SystemStructure.ssd";

std::string file_name_of(const std::string& variant) {
    if (variant.empty()) return default_description;
    return variant.ends_with(".ssd") ? variant : variant + ".ssd";
}

SystemFile description_in(const fs::path& folder, const std::string& shown, const std::string& variant) {
    const std::string name = file_name_of(variant);
    std::vector<std::string> present;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder))
        if (entry.path().extension() == ".ssd") present.push_back(entry.path().filename().string());
    std::ranges::sort(present);
    // Chosen from the list, so that a variant cannot name a file elsewhere.
    if (std::ranges::find(present, name) == present.end()) {
        std::string known;
        for (const std::string& other : present) known += (known.empty() ? ", there are: " : " ") + other;
        throw base::Error("missing-file", shown,
                          "no '" + name + "' there" + (known.empty() ? ", nor any other .ssd" : known));
    }
    return {.file = folder / name,
            .shown = (fs::path(shown) / name).string(),
            .place = {.folder = folder, .shown = shown, .confined_to = {}},
            .fragment = {}};
}

}  // namespace

SystemFile SystemReader::open(const fs::path& system, const std::string& shown, const std::string& variant) {
    std::error_code code;
    const fs::file_status status = fs::status(system, code);
    if (!fs::exists(status)) throw base::Error("missing-file", shown, "no such file or folder");
    if (fs::is_directory(status)) return description_in(system, shown, variant);
    if (system.extension() == ".ssd") {
        const fs::path folder = system.has_parent_path() ? system.parent_path() : fs::path(".");
        const std::string shown_folder = fs::path(shown).parent_path().string();
        if (!variant.empty()) return description_in(folder, shown_folder, variant);
        return {.file = system,
                .shown = shown,
                .place = {.folder = folder, .shown = shown_folder, .confined_to = {}},
                .fragment = {}};
    }
    if (system.extension() != ".ssp")
        throw base::Error("bad-system", shown,
                          "expected an .ssp, an .ssd, an .fmu or a folder with " + std::string(default_description));
    archives.emplace_back(system);
    SystemFile file = description_in(archives.back().folder(), shown, variant);
    file.place.confined_to = file.place.folder;
    return file;
}

Description read(const fs::path& system, const ReadOptions& options, base::Diagnostics& diagnostics) {
    SystemReader reader(diagnostics);
    SystemFile file = reader.open(system, system.string(), options.variant);
    if (options.confined) file.place.confined_to = file.place.folder;
    RootFacts facts;
    const Element root = reader.read_file(file, &facts);

    Description description;
    description.name = !facts.name.empty() ? facts.name : root.name;
    description.file = system.extension() == ".ssp" ? system : file.file;
    description.version = facts.version;
    description.units = std::move(facts.definitions.units);
    description.enumerations = std::move(facts.definitions.enumerations);
    description.start = std::move(facts.start);
    description.stop = std::move(facts.stop);
    description.experiment_where = std::move(facts.experiment_where);
    description.algorithm = std::move(facts.settings.algorithm);
    description.algorithm_where = std::move(facts.settings.algorithm_where);
    description.order = std::move(facts.settings.order);
    description.order_where = std::move(facts.settings.order_where);
    description.step = facts.settings.step;
    description.step_origin = std::move(facts.settings.step_origin);
    description.tolerance = facts.settings.tolerance;
    flatten(root, options.kind_of, description, diagnostics);
    for (Located& located : reader.parameter_files)
        description.parameter_files.push_back({std::move(located.file), std::move(located.shown)});
    description.archives = std::move(reader.archives);
    return description;
}

Description describe_fmu(const fs::path& fmu, const std::string& implementation) {
    Description description;
    description.name = fmu.stem().string();
    description.file = fmu;
    Component component;
    component.name = description.name;
    component.source = fmu;
    component.shown = fmu.string();
    component.implementation = implementation.empty() ? "any" : implementation;
    component.where = fmu.string();
    description.components.push_back(std::move(component));
    return description;
}

}  // namespace master::ssp
