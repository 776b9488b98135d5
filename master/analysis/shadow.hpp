#pragma once

#include "master/analysis/error_bar.hpp"
#include "master/analysis/shadow_sampler.hpp"
#include "master/base/child_process.hpp"
#include "master/base/shared_block.hpp"
#include "master/base/temporary_folder.hpp"
#include "master/report/error_bar.hpp"
#include "master/runs/prepare.hpp"
#include "master/runs/session.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace master::analysis {

/// By how much the signals of a run are off at the points at which it was compared with its shadow.
struct CouplingErrors {
    std::vector<double> time;  // s
    std::map<std::string, std::vector<double>> values;
};

/// The same run beside a run, in a process of its own at low priority, with the steps of its coupled continuous units
/// doubled; where that parts from the run or fails, one with half the steps follows, and where it is off most right at
/// the start, one with half the steps over the beginning. What is sampled by design (clocks,
/// units with discrete outputs only, a fixed internal step) keeps its rate. The run pays for a copy of the compared
/// signals at a few thousand points.
///
/// The object is made before any FMU is opened: it forks a process that knows none of them and starts the shadows.
class Shadow {
public:
    enum class Wish : std::uint8_t {
        automatic,  // where a second core is idle, and only as far as it gets in time
        on,         // everywhere, and waited for
        off
    };
    /// Makes the run again with other steps, in the shadow's process.
    using Prepare =
        std::function<runs::Prepared(const build::BuildOptions& options, const std::vector<std::string>& corrections)>;

    /// `missing`: why there can be none, whatever is wished; empty where there can.
    Shadow(Wish wish, const build::BuildOptions& options, Prepare prepare, std::string missing = {});
    ~Shadow();
    Shadow(const Shadow&) = delete;
    Shadow& operator=(const Shadow&) = delete;

    /// Starts it beside the run that is prepared; returns what has to look at the run, or null where there is no
    /// shadow.
    [[nodiscard]] runs::Visitor* start(runs::Prepared& run);
    /// The run is over. Waits for a shadow that is not there yet; unless it is to be on, at most a tenth of the run's
    /// own time, or as long as the run took for one at half the step. To be prepared it is granted the time that the
    /// run took for that, a second at least.
    [[nodiscard]] report::ErrorBar finish(const runs::Outcome& outcome);
    /// What stands behind the error bar, once it is there; empty where there is none.
    [[nodiscard]] CouplingErrors errors() const;

private:
    struct Orders;
    struct Board;

    int monitor();
    [[nodiscard]] bool sound(const Orders& orders, base::ChildProcess& child) const;
    enum class Part : std::uint8_t { whole, opening };
    int run_shadow(const Orders& orders, std::size_t which, Part part) const;
    void look_at_opening(const Orders& orders);
    [[nodiscard]] Board& board() const;
    [[nodiscard]] std::span<double> rows(std::size_t which) const;
    [[nodiscard]] std::span<double> opening_rows(std::size_t which) const;
    [[nodiscard]] std::size_t opening_points(std::size_t which) const;
    [[nodiscard]] Rows opening_at_twice(const ComparedSignals& signals);
    void add_opening_to(Comparison& found, std::size_t which, report::ErrorBar& bar);
    void wait_for_monitor(const runs::Outcome& outcome);
    [[nodiscard]] Rows compared(std::size_t which) const;
    [[nodiscard]] double time_of(std::size_t point) const;
    [[nodiscard]] report::ErrorBar bar_from(std::size_t which);

    Wish wish_;
    build::BuildOptions options_;
    Prepare prepare_;
    double begin_;            // s, on the steady clock
    double preparation_ = 0;  // s, of the run, until its shadow could be started
    std::string missing_;     // why there is none
    std::optional<base::TemporaryFolder> folder_;
    std::unique_ptr<base::SharedBlock> block_;
    std::unique_ptr<base::ChildProcess> monitor_;
    std::unique_ptr<Orders> orders_;
    std::unique_ptr<ShadowSampler> sampler_;
    std::vector<double> thinned_;      // rows of the run's beginning where a shadow at twice the step has points
    std::optional<std::size_t> used_;  // the shadow that the error bar comes from
};

}  // namespace master::analysis
