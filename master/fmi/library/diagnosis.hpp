#pragma once

#include "master/fmi/description/model_description.hpp"

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace master::fmi {

/// What was found when one interface of a unit was tried out in a process of its own.
struct Trial {
    std::string interface;  // "co-simulation" or "model exchange"
    bool runs = false;
    std::string why_not;                         // the loader's or the unit's words
    std::vector<std::string> missing_libraries;  // shared libraries that are not on this machine
    std::string step_rule;
    std::map<std::string, std::string> abilities;  // by name: "works", "fails: ...", "not claimed", "not tried"
};

/// What a user should know of an FMU before a run.
struct Diagnosis {
    std::vector<Trial> trials;
    std::vector<std::vector<std::string>> aliases;  // names of one value
    std::vector<std::string> quirks;
};

/// `folder` is the unpacked FMU; `file` stands in messages.
[[nodiscard]] Diagnosis diagnose(const std::filesystem::path& file, const std::filesystem::path& folder,
                                 const ModelDescription& description);

/// As `tandem inspect` prints it.
[[nodiscard]] std::string text_of(const Diagnosis& diagnosis);

}  // namespace master::fmi
