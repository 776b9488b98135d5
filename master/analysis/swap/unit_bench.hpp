#pragma once

#include "master/base/archive.hpp"
#include "master/base/log.hpp"
#include "master/base/temporary_folder.hpp"
#include "master/core/unit.hpp"
#include "master/runs/board.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace master::analysis {

/// A real input over time; equal times are a jump.
struct Drive {
    std::string input;
    std::vector<double> values;  // at the times of the trial
};

/// What a unit is asked to do.
struct Trial {
    std::vector<double> time;
    std::vector<Drive> drives;
    std::vector<std::string> set;  // "variable=value"
    std::string step;              // s; empty: what the unit suggests
};

/// The real scalar outputs of a unit over time, in the order of `outputs`.
struct Response {
    std::vector<double> time;
    std::vector<std::vector<double>> outputs;

    /// At other times, by straight lines.
    [[nodiscard]] Response at(const std::vector<double>& times) const;
};

/// One unit alone on a bench: it is made anew for every trial.
class UnitBench {
public:
    UnitBench(std::filesystem::path fmu, base::ArchiveCache& archives, base::Log& log, runs::Board* board);

    [[nodiscard]] const core::UnitInfo& info() const { return info_; }
    /// Real scalars, by variable.
    [[nodiscard]] const std::vector<std::uint32_t>& inputs() const { return inputs_; }
    [[nodiscard]] const std::vector<std::uint32_t>& outputs() const { return outputs_; }
    [[nodiscard]] const std::string& name(std::uint32_t variable) const { return info_.variables[variable].name; }

    /// Nothing where the unit refuses.
    [[nodiscard]] std::optional<Response> run(const Trial& trial);

private:
    std::filesystem::path fmu_;
    base::ArchiveCache& archives_;
    base::Log& log_;
    runs::Board* board_;
    base::TemporaryFolder folder_{"tandem-bench-"};
    core::UnitInfo info_;
    std::vector<std::uint32_t> inputs_, outputs_;
};

}  // namespace master::analysis
