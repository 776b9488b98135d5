#include "master/runs/session.hpp"

#include "master/fmi/library/process_state.hpp"
#include "master/runs/interrupt.hpp"

#include <ctime>

namespace master::runs {
namespace {

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

/// Counts communication points, and keeps the floating-point environment as it was at the first; calls the visitor.
class Counter final : public core::Tap {
public:
    Counter(Outcome& outcome, Visitor* visitor)
        : outcome_(outcome), visitor_(visitor), visit_(visitor == nullptr ? core::never : outcome.reached) {}
    void after_step(base::Time t, const core::Signals& signals) override {
        if (t >= visit_) [[unlikely]]
            visit_ = visitor_->visit(t, signals);
        outcome_.points += t > outcome_.reached ? 1 : 0;
        outcome_.reached = t;
        if (floating_point_.restore() && !outcome_.floating_point_change) outcome_.floating_point_change = t;
    }

private:
    Outcome& outcome_;
    Visitor* visitor_;
    base::Time visit_;
    fmi::FloatingPoint floating_point_;
};

}  // namespace

Outcome execute(build::Simulation& simulation, std::span<core::Tap* const> taps, core::Profile* profile,
                Visitor* visitor, core::Pacer* pacer) {
    core::System& system = *simulation.system;
    Outcome outcome;
    outcome.reached = simulation.timing.start;
    Counter counter(outcome, visitor);
    std::vector<core::Tap*> all{&counter};
    all.insert(all.end(), taps.begin(), taps.end());
    system.watch(all);
    system.profile(profile);
    const InterruptGuard guard;
    FastPacer fast;
    const auto begin = std::chrono::steady_clock::now();
    const double cpu_begin = cpu_seconds();
    try {
        core::run(system, *simulation.algorithm, all, pacer != nullptr ? *pacer : fast,
                  {.from = simulation.timing.start, .to = simulation.timing.stop});
        if (const core::Node* node = system.terminated_by(); node != nullptr)
            outcome.ended_by = "unit '" + node->name + "'" + node->unit->last_message();
        if (InterruptGuard::interrupted()) outcome.exit = base::Exit::interrupted;
    } catch (const base::Error& error) {
        outcome.error = error;
        outcome.exit = error.exit();
    }
    outcome.wall = std::chrono::steady_clock::now() - begin;
    outcome.cpu = std::chrono::duration<double>(cpu_seconds() - cpu_begin);
    for (core::Tap* tap : all) {
        try {
            tap->finish();
        } catch (const base::Error& error) {
            if (!outcome.error) outcome.error = error;
            outcome.exit = base::Exit::failed;
        }
    }
    if (!outcome.error) system.terminate();
    system.watch({});
    return outcome;
}

}  // namespace master::runs
