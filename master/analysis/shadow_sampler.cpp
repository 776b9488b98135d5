#include "master/analysis/shadow_sampler.hpp"

#include <algorithm>

namespace master::analysis {

ShadowSampler::Copies::Copies(const Grid& grid, base::Time start, std::size_t row)
    : next(grid.rows.empty() ? core::never : start),
      spacing(grid.spacing),
      most(grid.rows.size() / row),
      to(grid.rows.data()),
      points(grid.points) {}

ShadowSampler::ShadowSampler(const ComparedSignals& signals, base::Time start, const Grid& whole, const Grid& opening)
    : ranges_(signals.ranges), copies_{Copies(whole, start, signals.row()), Copies(opening, start, signals.row())} {
    for (const ComparedSignals::Discrete& discrete : signals.discrete) discrete_.push_back(discrete.signal);
}

base::Time ShadowSampler::visit(base::Time t, const core::Signals& signals) {
    base::Time next = core::never;
    for (Copies& copies : copies_) {
        if (copies.next == t) copy(signals, copies);
        if (copies.next > t) next = std::min(next, copies.next);  // off the grid nothing can be compared
    }
    return next;
}

void ShadowSampler::copy(const core::Signals& signals, Copies& copies) {
    for (const ComparedSignals::Range& range : ranges_)
        copies.to = std::copy_n(signals.outputs.reals.data() + range.first, range.count, copies.to);
    for (const core::SignalRef& signal : discrete_) *copies.to++ = core::number(signal, signals);
    copies.points.store(static_cast<std::uint32_t>(++copies.count), std::memory_order_release);
    copies.next = copies.count == copies.most ? core::never : copies.next + copies.spacing;
}

}  // namespace master::analysis
