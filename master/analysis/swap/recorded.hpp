#pragma once

#include "master/analysis/swap/series.hpp"
#include "master/base/archive.hpp"
#include "master/base/log.hpp"
#include "master/runs/board.hpp"
#include "master/runs/prepare.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace master::analysis {

/// Which part of the step that ends at a point the recorded value of an input belongs to.
enum class InputSample : std::uint8_t {
    during,    // all of it: the value was held
    at_begin,  // the value went on from there with a slope
    at_end     // it was seen again at the point
};

/// Values of the old unit's inputs and outputs in the system, by variable of its interface.
struct Recorded {
    std::vector<double> time;  // s: where the unit's steps end
    std::map<std::string, Series> values;
    std::map<std::string, InputSample> samples;  // by input
    std::vector<std::string> given;              // "variable=value" of parameters that the system sets
    std::string step;                            // of the unit
    std::filesystem::path old_fmu;
};

/// Runs the system and keeps what the component's real variables do.
[[nodiscard]] Recorded record_component(const runs::RunRequest& request, const std::string& component,
                                        base::ArchiveCache& archives, base::Diagnostics& diagnostics, base::Log& log,
                                        runs::Board* board);

/// How far an input goes in the system, so that it is moved as far alone; `seen` is null where that is not known.
[[nodiscard]] double excursion(const core::Variable& variable, const Series* seen);
/// The start value of a real variable, 0 where none is stated.
[[nodiscard]] double start_value(const core::Variable& variable);

}  // namespace master::analysis
