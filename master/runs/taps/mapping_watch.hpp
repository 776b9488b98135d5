#pragma once

#include "master/base/diagnostics.hpp"
#include "master/build/simulation.hpp"
#include "master/core/tap.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace master::runs {

/// Looks for values that the mapping of a wire (boolean, integer, enumeration) does not list. They pass unchanged,
/// since SSP does not say what else to do, but are told once for each wire.
class MappingWatch final : public core::Tap {
public:
    explicit MappingWatch(build::Simulation& simulation);

    /// No wire has a mapping: there is nothing to look at.
    [[nodiscard]] bool empty() const { return mapped_.empty(); }
    void tell(base::Diagnostics& diagnostics) const;

    void after_step(base::Time t, const core::Signals& signals) override;

private:
    struct Mapped {
        const core::PlannedWire& wire;
        core::SignalRef first;
        std::optional<std::int64_t> unlisted;  // the first such value
    };
    std::vector<Mapped> mapped_;
};

}  // namespace master::runs
