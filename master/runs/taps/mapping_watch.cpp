#include "master/runs/taps/mapping_watch.hpp"

#include "master/build/requests/locate.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace master::runs {

MappingWatch::MappingWatch(build::Simulation& simulation) {
    core::System& system = *simulation.system;
    for (const core::PlannedWire& wire : system.plan().wires) {
        if (wire.table.empty()) continue;
        const auto first = build::output_signal(system.nodes()[wire.from.unit], wire.from.variable);
        if (first) mapped_.push_back({wire, first->element(wire.from.element), {}});
    }
}

void MappingWatch::after_step(base::Time /*t*/, const core::Signals& signals) {
    for (Mapped& mapped : mapped_) {
        for (std::uint32_t i = 0; i < mapped.wire.count && !mapped.unlisted; ++i) {
            const std::int64_t value = std::llround(core::number(mapped.first.element(i), signals));
            const bool listed =
                std::ranges::any_of(mapped.wire.table, [value](const auto& entry) { return entry.first == value; });
            if (!listed) mapped.unlisted = value;
        }
    }
}

void MappingWatch::tell(base::Diagnostics& diagnostics) const {
    for (const Mapped& mapped : mapped_) {
        if (!mapped.unlisted) continue;
        diagnostics.warn(
            "transformation", mapped.wire.where,
            fmt::format("'{}': the mapping does not list {}; values that it does not list passed unchanged",
                        mapped.wire.label, *mapped.unlisted));
    }
}

}  // namespace master::runs
