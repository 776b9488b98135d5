#include "master/runs/bond_ledger.hpp"

#include "master/build/requests/locate.hpp"

#include <cmath>

namespace master::runs {

BondLedger::BondLedger(build::Simulation& simulation)
    : start_(simulation.timing.start), timebase_(simulation.timing.timebase) {
    core::System& system = *simulation.system;
    const core::Plan& plan = system.plan();
    for (const core::PlannedBond& bond : plan.bonds) {
        const core::PlannedWire &effort = plan.wires[bond.effort], &flow = plan.wires[bond.flow];
        const base::Duration period = system.nodes()[effort.from.unit].period;
        if (period != system.nodes()[flow.from.unit].period || effort.count != 1 || flow.count != 1) continue;
        const auto half = [&](std::uint32_t index) {
            const core::Endpoint& from = plan.wires[index].from;
            const core::Coupling& coupling = system.couplings()[index];
            const auto signal = build::output_signal(system.nodes()[from.unit], from.variable);
            return Half{.index = signal->index + from.element,
                        .constant = coupling.hold == core::Hold::constant,
                        .sender_first = coupling.sender_first};
        };
        if (!system.couplings()[bond.effort].continuous || !system.couplings()[bond.flow].continuous) continue;
        bonds_.push_back({.name = bond.name, .period = period, .effort = half(bond.effort), .flow = half(bond.flow)});
    }
}

void BondLedger::Half::take(double value) {
    earlier = before;
    before = now;
    now = value;
}

double BondLedger::Half::told() const {
    if (constant) return sender_first ? now : before;
    return sender_first ? mean() : 1.5 * before - 0.5 * earlier;
}

void BondLedger::after_step(base::Time t, const core::Signals& signals) {
    for (Bond& bond : bonds_) {
        if ((t - start_).ticks % bond.period.ticks != 0) continue;
        bond.effort.take(signals.outputs.reals[bond.effort.index]);
        bond.flow.take(signals.outputs.reals[bond.flow.index]);
        if (t == start_) {
            bond.effort.before = bond.effort.now;
            bond.flow.before = bond.flow.now;
            continue;
        }
        const double h = timebase_.seconds(bond.period);
        const double given = bond.effort.mean() * bond.flow.told();
        const double got = bond.effort.told() * bond.flow.mean();
        bond.created += h * (got - given);
        bond.transferred += h * std::fabs(given + got) / 2;
    }
}

std::vector<report::BondEnergy> BondLedger::energies() const {
    std::vector<report::BondEnergy> result;
    result.reserve(bonds_.size());
    for (const Bond& bond : bonds_) result.push_back({bond.name, bond.transferred, bond.created});
    return result;
}

}  // namespace master::runs
