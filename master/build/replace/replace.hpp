#pragma once

#include "master/base/archive.hpp"
#include "master/base/diagnostics.hpp"
#include "master/build/options.hpp"
#include "master/build/replace/adapter.hpp"
#include "master/ssp/description.hpp"

#include <memory>
#include <string>
#include <vector>

namespace master::fmi {
class Fmu;
}

namespace master::build {

/// A component with another FMU behind it.
struct Replaced {
    std::string component;
    Adapter adapter;
    std::unique_ptr<fmi::Fmu> before, after;
    core::UnitInfo old_info, new_info;  // as the chosen interfaces see them
    std::vector<std::string> lost;      // parameters given to the old unit that the new one does not have
    std::vector<std::string> held;      // what has no partner, and the value that it holds
};

/// The name that the old unit goes by where it keeps running beside the new one.
inline constexpr const char* kept_suffix = ".old";

/// Puts another FMU behind a component: connections, parameters, the assignments of `set` and start values go over to
/// it by the map. What is left without a partner is an error unless the map says what becomes of it; parameters that
/// get lost are a warning each.
[[nodiscard]] Replaced replace(ssp::Description& description, const Replacement& replacement,
                               std::vector<std::string>& set, base::ArchiveCache& archives,
                               base::Diagnostics& diagnostics);

}  // namespace master::build
