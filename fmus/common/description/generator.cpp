// Writes the files of an FMU that come from its declarations, at build time: generator VERSION FOLDER; the
// unit's resources are in FOLDER/resources already.
#include "fmus/common/declaring/facts.hpp"
#include "fmus/common/description/generated_files.hpp"

#include <cstdio>
#include <exception>
#include <stdexcept>

int main(int count, char** arguments) {
    try {
        if (count != 3) throw std::runtime_error("usage: generator 2|3 FOLDER");
        const bool is2 = std::string(arguments[1]) == "2";
        fmus::write_generated_files(is2 ? fmus::FmiVersion::fmi2 : fmus::FmiVersion::fmi3, arguments[2],
                                    [](const std::string& text) { std::printf("note: %s\n", text.c_str()); });
        return 0;
    } catch (const std::exception& problem) {
        std::fprintf(stderr, "error: %s: %s\n", fmus::build_facts().identifier, problem.what());
        return 1;
    }
}
