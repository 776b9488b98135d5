#pragma once

#include "master/base/diagnostics.hpp"
#include "master/contracts/finding.hpp"

#include <chrono>
#include <filesystem>

namespace master::contracts {

/// Marks the findings that a file of deviations accepts (config/tandem-deviations.xsd). One whose day is over is a
/// breaking finding of its own, and one that nothing needs any more a note. Throws `Error` for what is no such file.
void accept_deviations(const std::filesystem::path& file, std::chrono::sys_days today, Comparison& comparison,
                       base::Diagnostics& diagnostics);

}  // namespace master::contracts
