#pragma once

#include "master/base/diagnostics.hpp"
#include "master/core/setup/feedthrough_map.hpp"
#include "master/core/system.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace master::core {

/// Turns planned wires into the tables of a `Wiring`, sorted by receiver, and tells the nodes where theirs lie.
class WiringBuilder {
public:
    WiringBuilder(Wiring& wiring, std::span<Node> nodes, const Plan& plan, const SystemOptions& options,
                  base::Diagnostics& diagnostics);

    void build();
    /// How each wire of the plan couples; says on which ones between continuous signals that is of first order only.
    [[nodiscard]] std::vector<Coupling> couplings(const FeedthroughMap& feedthrough);

private:
    void add(const PlannedWire& planned);
    void add_real(const PlannedWire& planned, std::uint32_t from, std::uint32_t to);
    void reserve_bytes(const PlannedWire& planned, std::uint32_t to);
    void add_foreseen(RealWire wire, const Endpoint& to, const ForeseenSignal& signal);
    void add(const DrivenInput& driven);
    [[nodiscard]] Hold choose_hold(const PlannedWire& wire);
    [[nodiscard]] const Variable& variable(const Endpoint& end) const {
        return nodes_[end.unit].unit->info().variables[end.variable];
    }
    [[nodiscard]] bool continuous(const PlannedWire& wire) const;
    [[nodiscard]] bool sender_first(const PlannedWire& wire) const {
        return options_.sequential && position_[wire.from.unit] < position_[wire.to.unit];
    }
    [[nodiscard]] bool has_clocks(std::uint32_t unit) const { return has_clocks_[unit]; }
    void note_first_order(const std::vector<std::string>& labels, const char* reason);

    Wiring& wiring_;
    std::span<Node> nodes_;
    const Plan& plan_;
    const SystemOptions& options_;
    base::Diagnostics& diagnostics_;
    std::vector<std::uint32_t> position_;  // of each node in the order of stepping
    std::vector<bool> has_clocks_;         // of each node
    bool slopes_ = false;                  // a wire has one
};

}  // namespace master::core
