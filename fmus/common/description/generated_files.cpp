#include "fmus/common/description/generated_files.hpp"

#include "fmus/common/declaring/facts.hpp"
#include "fmus/common/description/description.hpp"

#include <fstream>
#include <stdexcept>

namespace fmus {

namespace {

void write_file(const std::filesystem::path& file, const std::string& text) {
    std::filesystem::create_directories(file.parent_path());
    std::ofstream stream(file, std::ios::binary);
    stream << text;
    if (!stream.flush()) throw std::runtime_error("cannot write " + file.string());
}

std::string documentation(const Instance& instance) {
    const std::string name = description::model_name(instance);
    std::string text = "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>" + name +
                       "</title></head><body>\n<h1>" + name + "</h1>\n<p>" + instance.about().description +
                       "</p>\n<table>\n<tr><th>variable</th><th>causality</th><th>unit</th><th>description</th></tr>\n";
    for (const Variable& variable : instance.variables())
        text += "<tr><td>" + variable.name + "</td><td>" + description::text_of(variable.causality) + "</td><td>" +
                variable.unit + "</td><td>" + variable.description + "</td></tr>\n";
    return text + "</table>\n</body></html>\n";
}

void write_fmi2(const Instance& instance, const std::filesystem::path& folder,
                const std::function<void(const std::string&)>& note) {
    for (const std::string& loss : fmi2_losses(instance))
        note(std::string(build_facts().identifier) + " (FMI 2): " + loss);
    write_file(folder / "modelDescription.xml", fmi2_description(instance));
}

void write_fmi3(const Instance& instance, const std::filesystem::path& folder) {
    write_file(folder / "modelDescription.xml", fmi3_description(instance));
    if (!instance.terminals().empty())
        write_file(folder / "terminalsAndIcons" / "terminalsAndIcons.xml", terminals_description(instance));
    for (const LayeredStandard& standard : instance.layered_standards())
        write_file(folder / "extra" / standard.folder / "fmi-ls-manifest.xml", layered_standard_manifest(standard));
}

}  // namespace

void write_generated_files(FmiVersion version, const std::filesystem::path& folder,
                           const std::function<void(const std::string&)>& note) {
    const std::unique_ptr<Instance> instance = create();
    instance->declare((folder / "resources" / "").string());
    instance->finish();
    if (!instance->event_indicators().empty() && !instance->steps_itself())
        throw std::runtime_error("a model with event indicators must step by itself, to stop at its events");
    write_file(folder / "documentation" / "index.html", documentation(*instance));
    if (version == FmiVersion::fmi2)
        write_fmi2(*instance, folder, note);
    else
        write_fmi3(*instance, folder);
}

}  // namespace fmus
