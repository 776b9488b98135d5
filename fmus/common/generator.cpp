// Writes the files of an FMU that come from its declarations, at build time: generator VERSION FOLDER; the
// unit's resources are in FOLDER/resources already.
#include "fmus/common/description.hpp"
#include "fmus/common/facts.hpp"

#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace {

void write_file(const std::filesystem::path& file, const std::string& text) {
    std::filesystem::create_directories(file.parent_path());
    std::ofstream stream(file, std::ios::binary);
    stream << text;
    if (!stream.flush()) throw std::runtime_error("cannot write " + file.string());
}

std::string documentation(const fmus::Instance& instance) {
    const std::string name = fmus::description::model_name(instance);
    std::string text = "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>" + name +
                       "</title></head><body>\n<h1>" + name + "</h1>\n<p>" + instance.about().description +
                       "</p>\n<table>\n<tr><th>variable</th><th>causality</th><th>unit</th><th>description</th></tr>\n";
    for (const fmus::Variable& variable : instance.variables())
        text += "<tr><td>" + variable.name + "</td><td>" + fmus::description::text_of(variable.causality) +
                "</td><td>" + variable.unit + "</td><td>" + variable.description + "</td></tr>\n";
    return text + "</table>\n</body></html>\n";
}

void write_fmi2(const fmus::Instance& instance, const std::filesystem::path& folder) {
    for (const std::string& loss : fmus::fmi2_losses(instance))
        std::printf("note: %s (FMI 2): %s\n", fmus::build_facts().identifier.c_str(), loss.c_str());
    write_file(folder / "modelDescription.xml", fmus::fmi2_description(instance));
}

void write_fmi3(const fmus::Instance& instance, const std::filesystem::path& folder) {
    write_file(folder / "modelDescription.xml", fmus::fmi3_description(instance));
    if (!instance.terminals().empty())
        write_file(folder / "terminalsAndIcons" / "terminalsAndIcons.xml", fmus::terminals_description(instance));
    for (const fmus::LayeredStandard& standard : instance.layered_standards())
        write_file(folder / "extra" / standard.folder / "fmi-ls-manifest.xml",
                   fmus::layered_standard_manifest(standard));
}

}  // namespace

int main(int count, char** arguments) {
    try {
        if (count != 3) throw std::runtime_error("usage: generator 2|3 FOLDER");
        const std::string version = arguments[1];
        const std::filesystem::path folder = arguments[2];
        const std::unique_ptr<fmus::Instance> instance = fmus::create();
        instance->declare((folder / "resources" / "").string());
        instance->finish();
        if (!instance->event_indicators().empty() && !instance->steps_itself())
            throw std::runtime_error("a model with event indicators must step by itself, to stop at its events");
        write_file(folder / "documentation" / "index.html", documentation(*instance));
        if (version == "2")
            write_fmi2(*instance, folder);
        else
            write_fmi3(*instance, folder);
        return 0;
    } catch (const std::exception& problem) {
        std::fprintf(stderr, "error: %s: %s\n", fmus::build_facts().identifier.c_str(), problem.what());
        return 1;
    }
}
