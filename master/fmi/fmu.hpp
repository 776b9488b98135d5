#pragma once

#include "master/base/archive.hpp"
#include "master/base/log.hpp"
#include "master/base/time.hpp"
#include "master/core/unit.hpp"
#include "master/fmi/description/model_description.hpp"

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace master::fmi {

class Library;

/// One FMU file, unpacked and read once, from which any number of units are made. Must outlive its units.
class Fmu {
public:
    /// Reads and checks what `archive` holds, the unpacked `file`; does not load the binary.
    Fmu(const std::filesystem::path& file, const base::Archive& archive, base::Diagnostics& diagnostics);
    ~Fmu();

    [[nodiscard]] const std::filesystem::path& file() const { return file_; }
    [[nodiscard]] const std::string& sha256() const { return archive_.sha256(); }
    [[nodiscard]] const std::filesystem::path& folder() const { return archive_.folder(); }
    [[nodiscard]] const ModelDescription& description() const { return description_; }
    /// Co-simulation where it is offered, else model exchange; `wanted` ("CoSimulation", "ModelExchange", "cs", "me",
    /// "any" or empty) overrides. Throws a clear refusal otherwise (also Scheduled Execution only).
    [[nodiscard]] Interface interface(const std::string& wanted) const;

    /// The description as one interface sees it; shared by all its units.
    [[nodiscard]] const ModelDescription& chosen(Interface kind);

    /// Loads the binary for this platform (once per interface) and instantiates a unit.
    [[nodiscard]] std::unique_ptr<core::Unit> instantiate(const std::string& name, Interface kind,
                                                          base::Timebase timebase, base::Log& log);

private:
    [[nodiscard]] const Library& library(const ModelDescription& description, Interface kind,
                                         base::WatchedUnit* loader);

    std::filesystem::path file_;
    const base::Archive& archive_;
    ModelDescription description_;
    std::array<std::optional<ModelDescription>, 2> chosen_;      // by interface
    std::map<std::string, std::unique_ptr<Library>> libraries_;  // by model identifier
    int instances_ = 0;
};

}  // namespace master::fmi
