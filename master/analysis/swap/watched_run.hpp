#pragma once

#include "master/analysis/shadow.hpp"
#include "master/analysis/swap/noise.hpp"
#include "master/analysis/swap/run_cost.hpp"
#include "master/base/log.hpp"
#include "master/results/column.hpp"
#include "master/runs/board.hpp"
#include "master/runs/prepare.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace master::analysis {

/// By how much the step that is advised is smaller.
inline constexpr std::int64_t finer_by = 4;

/// Keeps every recorded number in memory, at most so many rows.
class Recording final : public core::Tap {
public:
    explicit Recording(const build::Simulation& simulation);
    void after_step(base::Time t, const core::Signals& signals) override;

    std::vector<results::Column> columns;
    std::vector<double> time;
    std::vector<std::vector<double>> rows;  // by column
    std::vector<double> own_steps;          // s, of the unit of each column

private:
    base::Timebase timebase_;
    std::size_t every_ = 1, count_ = 0;
};

/// Relative tolerances of the units that the master integrates.
struct Tolerances {
    double tightest = 0, loosest = 0;  // 0: it integrates none
};

struct OneRun {
    RunCost cost;
    CouplingErrors errors;
    std::unique_ptr<Recording> recording;
    Tolerances tolerances;
    std::vector<build::Replaced> replaced;
    std::vector<NoiseSeed> seeds;
};

/// For runs that say nothing that another has not said: a shadow, or the same run again.
class Silence final : public base::Log {
    void message(Level /*level*/, std::string_view /*unit*/, double /*time*/, std::string_view /*text*/) override {}
    void warning(std::string_view /*where*/, std::string_view /*text*/) override {}
};

/// A run with its shadow. Made before any FMU is opened, since the shadow's process must not know one.
class WatchedRun {
public:
    WatchedRun(const build::BuildOptions& options, const std::filesystem::path& scenario,
               Shadow::Wish shadow = Shadow::Wish::on);

    [[nodiscard]] OneRun run(base::ArchiveCache& archives, base::Diagnostics& diagnostics, base::Log& log,
                             runs::Board* board);

private:
    build::BuildOptions options_;
    std::filesystem::path scenario_file_;
    runs::Scenario kept_;
    Silence silence_;
    Shadow shadow_;
};

/// The same run again with something changed, alone and without a word.
[[nodiscard]] std::unique_ptr<Recording> run_again(const build::BuildOptions& options,
                                                   const std::filesystem::path& scenario, base::ArchiveCache& archives,
                                                   runs::Board* board);

/// The values at other times; a discrete signal keeps its value until the next row.
[[nodiscard]] std::vector<double> at_times(const std::vector<double>& times, const std::vector<double>& own,
                                           const std::vector<double>& values, bool discrete);

}  // namespace master::analysis
