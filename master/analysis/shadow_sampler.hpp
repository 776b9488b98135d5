#pragma once

#include "master/analysis/error_bar.hpp"
#include "master/runs/session.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

namespace master::analysis {

/// Copies the compared signals at the points of the comparison: those of the whole run, and of its beginning.
class ShadowSampler final : public runs::Visitor {
public:
    struct Grid {
        base::Duration spacing;
        std::span<double> rows;              // empty: nothing is copied
        std::atomic<std::uint32_t>& points;  // that are copied
    };
    ShadowSampler(const ComparedSignals& signals, base::Time start, const Grid& whole, const Grid& opening);

    base::Time visit(base::Time t, const core::Signals& signals) override;

private:
    struct Copies {
        Copies(const Grid& grid, base::Time start, std::size_t row);
        base::Time next;
        base::Duration spacing;
        std::size_t count = 0, most;
        double* to;
        std::atomic<std::uint32_t>& points;
    };

    void copy(const core::Signals& signals, Copies& copies);

    std::vector<ComparedSignals::Range> ranges_;
    std::vector<core::SignalRef> discrete_;
    std::array<Copies, 2> copies_;
};

}  // namespace master::analysis
