#pragma once

#include "master/base/error.hpp"
#include "master/fmi/description/model_description.hpp"
#include "master/fmi/description/terminals.hpp"
#include "master/fmi/library/diagnosis.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace master::build {

/// The binaries of one platform inside an FMU.
struct PlatformBinaries {
    std::string platform;                // folder under `binaries`
    std::vector<std::string> libraries;  // file names
    bool here = false;                   // it is the platform that this program runs on
};

/// What an unpacked FMU has under `binaries`, sorted by name.
[[nodiscard]] std::vector<PlatformBinaries> platforms_in(const std::filesystem::path& folder, fmi::Version version);

/// Rows as lines with columns one below the other.
[[nodiscard]] std::string aligned(const std::vector<std::vector<std::string>>& rows, std::size_t indent);

/// What `tandem inspect FILE.fmu` prints: interfaces, platforms, experiment, variables with their descriptions.
[[nodiscard]] std::string inspect_text(const fmi::ModelDescription& description,
                                       const std::vector<PlatformBinaries>& platforms);
/// Terminals with their members; empty without any.
[[nodiscard]] std::string terminals_text(const std::vector<fmi::Terminal>& terminals);
/// What outputs and initial unknowns depend on.
[[nodiscard]] std::string dependencies_text(const fmi::ModelDescription& description);

/// The same as one JSON document, with what was tried out if given.
[[nodiscard]] std::string inspect_json(const fmi::ModelDescription& description,
                                       const std::vector<PlatformBinaries>& platforms,
                                       const fmi::Diagnosis* diagnosis = nullptr,
                                       const std::vector<fmi::Terminal>& terminals = {});
/// An FMU that cannot even be read is an answer too, for programs that ask in JSON.
[[nodiscard]] std::string inspect_json(const base::Error& refusal);

/// An SSP parameter set (.ssv) with every settable parameter and its start value. Version 1.0, or 2.0 where a value
/// needs it: arrays and whole numbers beyond 32 bits.
[[nodiscard]] std::string parameter_set(const fmi::ModelDescription& description);

}  // namespace master::build
