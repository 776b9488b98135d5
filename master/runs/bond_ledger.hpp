#pragma once

#include "master/build/simulation.hpp"
#include "master/core/tap.hpp"
#include "master/report/error_bar.hpp"

#include <vector>

namespace master::runs {

/// The energy ledger of power bonds. The sender of the effort gives its own effort times the flow that it is told, the
/// sender of the flow gets the effort that it is told times its own flow; what lies between is what the coupling made
/// (Sadjina et al., Energy conservation and power bonds in co-simulations, 2017). Both units of a bond have one step.
class BondLedger final : public core::Tap {
public:
    explicit BondLedger(build::Simulation& simulation);

    [[nodiscard]] bool empty() const { return bonds_.empty(); }
    [[nodiscard]] std::vector<report::BondEnergy> energies() const;

    void after_step(base::Time t, const core::Signals& signals) override;

private:
    /// An output over the last two steps, and what its receiver sees of it.
    struct Half {
        std::uint32_t index = 0;  // in the lane of reals
        bool constant = false, sender_first = false;
        double now = 0, before = 0, earlier = 0;

        void take(double value);
        [[nodiscard]] double mean() const { return (before + now) / 2; }
        /// Mean over the step of what the receiver was told.
        [[nodiscard]] double told() const;
    };
    struct Bond {
        std::string name;
        base::Duration period;
        Half effort, flow;
        double transferred = 0, created = 0;
    };

    base::Time start_;
    base::Timebase timebase_;
    std::vector<Bond> bonds_;
};

}  // namespace master::runs
