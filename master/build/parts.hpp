#pragma once

#include "master/base/diagnostics.hpp"
#include "master/base/log.hpp"
#include "master/build/options.hpp"
#include "master/build/replace/replace.hpp"
#include "master/build/requests/signal_request.hpp"
#include "master/core/plan.hpp"
#include "master/fmi/fmu.hpp"
#include "master/ssp/description.hpp"

#include <memory>
#include <vector>

namespace master::build {

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
    std::vector<Replaced> replaced;
    core::Plan plan;

    [[nodiscard]] std::vector<const core::UnitInfo*> infos() const;
};

/// Reads the system and all FMUs, and resolves every name. Errors are collected in `diagnostics`. What `requests` drive
/// is not taken for forgotten.
[[nodiscard]] Parts read_parts(const BuildOptions& options, base::Diagnostics& diagnostics, bool to_run = true,
                               SignalRequests requests = {});
/// One after the other, configured.
[[nodiscard]] std::vector<std::unique_ptr<core::Unit>> make_units(const Parts& parts, base::Timebase timebase,
                                                                  base::Log& log);

}  // namespace master::build
