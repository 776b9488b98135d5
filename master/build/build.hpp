#pragma once

#include "master/base/diagnostics.hpp"
#include "master/base/log.hpp"
#include "master/core/algorithm.hpp"
#include "master/core/handle.hpp"
#include "master/core/system.hpp"
#include "master/core/tap.hpp"
#include "master/fmi/fmu.hpp"
#include "master/ssp/description.hpp"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace master::build {

/// What a user asks for beside the system's file. Empty texts mean "as the system says".
struct BuildOptions {
    std::filesystem::path system;
    std::string variant;
    std::string start, stop, step;  // as typed
    std::string algorithm;
    std::string hold;
    std::optional<double> tolerance;
    std::string implementation;  // cs or me, for a single .fmu
    std::vector<std::string> set;
    std::filesystem::path input;           // CSV that drives free inputs
    std::vector<std::string> record;       // patterns; empty = the default selection
    std::vector<std::string> also_record;  // patterns beside the default selection; no match is no error
    struct Named {
        std::string name, where;
    };
    std::vector<Named> driven, watched;  // what a scenario writes and looks at
    std::vector<std::string> observed;   // names that a report would like to look at
    std::string lead;                    // s to run before the start, at least; empty for none
    std::int64_t divide_steps = 1;       // all steps by this: convergence runs
    unsigned threads = 0;
    base::ArchiveCache* archives = nullptr;  // of runs that belong together, outlives them; null for a run by itself

    [[nodiscard]] bool single_fmu() const { return system.extension() == ".fmu"; }
};

/// A system's parts before anything is instantiated: enough for `check`, `inspect` and `graph`.
struct Parts {
    ssp::Description description;
    std::unique_ptr<base::ArchiveCache> archives;  // unless there is one that other runs share
    std::vector<std::unique_ptr<fmi::Fmu>> fmus;   // each file once
    struct Component {
        fmi::Fmu* fmu = nullptr;  // null: a table or an interface-only component
        fmi::Interface interface = fmi::Interface::co_simulation;
        std::unique_ptr<fmi::ModelDescription> resized;  // own copy where structural parameters change sizes
        const core::UnitInfo* info = nullptr;
        std::unique_ptr<core::Unit> table;
    };
    std::vector<Component> components;
    core::Plan plan;

    [[nodiscard]] std::vector<const core::UnitInfo*> infos() const;
};

/// When everything happens: exact, and checked against what the units accept.
struct Timing {
    base::Timebase timebase;
    base::Time start, stop;
    base::Duration lead;  // before the start, to settle
    std::vector<base::Duration> periods;
    base::Duration hyperperiod;
    base::Fraction step;  // of the system
    std::string step_origin;
    bool ends_together = true;  // every unit's last step ends at `stop`
};

/// A system that is ready to be initialised and run, with all it is made of.
struct Simulation {
    Parts parts;
    Timing timing;
    const core::AlgorithmEntry* method = nullptr;
    std::unique_ptr<core::System> system;
    std::unique_ptr<core::Algorithm> algorithm;
    std::vector<core::Column> columns;
    std::vector<core::Handle> driven, watched;          // in the order of BuildOptions
    std::vector<std::optional<core::Handle>> observed;  // in the order of BuildOptions; nothing for an unknown name
};

/// Reads the system and all FMUs, and resolves every name. Errors are collected in `diagnostics`.
[[nodiscard]] Parts read_parts(const BuildOptions& options, base::Diagnostics& diagnostics, bool to_run = true);
[[nodiscard]] Timing make_timing(const Parts& parts, const BuildOptions& options, base::Diagnostics& diagnostics);
/// One after the other, configured.
[[nodiscard]] std::vector<std::unique_ptr<core::Unit>> make_units(const Parts& parts, base::Timebase timebase,
                                                                  base::Log& log);
/// All of it; throws `Error` if anything is wrong.
[[nodiscard]] Simulation build(const BuildOptions& options, base::Diagnostics& diagnostics, base::Log& log);

}  // namespace master::build
