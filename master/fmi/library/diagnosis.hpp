#pragma once

#include "master/fmi/description/model_description.hpp"

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace master::fmi {

/// What is known of one interface of a unit on this machine: from its files alone, or tried out in a process of its
/// own.
struct Trial {
    enum class Runs { unknown, yes, no };
    std::string interface;  // "co-simulation" or "model exchange"
    Runs runs = Runs::unknown;
    bool died = false;                           // the process in which it was tried out, of the unit's code
    std::string why_not;                         // the loader's or the unit's words
    std::vector<std::string> missing_libraries;  // shared libraries that are not on this machine
    std::string step_rule;
    std::map<std::string, std::string> abilities;  // by name: "works", "fails: ...", "claimed", "not claimed"
    std::string not_withheld;                      // from its process, because this kernel cannot
};

/// What a user should know of an FMU before a run.
struct Diagnosis {
    bool tried = false;
    std::vector<Trial> trials;
    std::vector<std::vector<std::string>> aliases;  // names of one value
    std::vector<std::string> quirks;
};

/// An FMU that is looked at: `folder` is the unpacked FMU, `file` stands in messages.
struct Subject {
    const std::filesystem::path& file;
    const std::filesystem::path& folder;
    const ModelDescription& description;
};

/// Reads files alone and loads nothing, unless `try_seconds` is given: then each interface is run in a confined process
/// of its own for at most that long.
[[nodiscard]] Diagnosis diagnose(const Subject& subject, std::optional<int> try_seconds);

/// As `tandem inspect` prints it.
[[nodiscard]] std::string text_of(const Diagnosis& diagnosis);

}  // namespace master::fmi
