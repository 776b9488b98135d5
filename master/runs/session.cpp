#include "master/runs/session.hpp"

#include "master/base/shared_block.hpp"
#include "master/fmi/library/process_state.hpp"
#include "master/runs/interrupt.hpp"
#include "master/runs/put_back.hpp"

#include <ctime>
#include <exception>
#include <fmt/format.h>
#include <pthread.h>
#include <unistd.h>

namespace master::runs {
namespace {

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

/// True in a process that a unit forked off and that came back from the unit's call, as where exec failed: it must not
/// do the work of the run a second time.
bool is_copy = false;

void watch_for_copies() {
    [[maybe_unused]] static const int once = ::pthread_atfork(nullptr, nullptr, [] { is_copy = true; });
    is_copy = false;
}

[[noreturn, gnu::cold]] void end_copy() { ::_exit(static_cast<int>(base::Exit::failed)); }

/// Counts communication points, and keeps the floating-point environment as it was at the first; calls the visitor.
class Counter final : public core::Tap {
public:
    Counter(Outcome& outcome, Visitor* visitor, Board& board)
        : outcome_(outcome),
          visitor_(visitor),
          visit_(visitor == nullptr ? core::never : outcome.reached),
          board_(board) {}
    void after_step(base::Time t, const core::Signals& signals) override {
        if (is_copy) [[unlikely]]
            end_copy();
        if (t >= visit_) [[unlikely]]
            visit_ = visitor_->visit(t, signals);
        outcome_.points += t > outcome_.reached ? 1 : 0;
        outcome_.reached = t;
        board_.reach(t, outcome_.points);
        if (floating_point_.restore() && !outcome_.floating_point_change) outcome_.floating_point_change = t;
    }

private:
    Outcome& outcome_;
    Visitor* visitor_;
    base::Time visit_;
    Board& board_;
    fmi::FloatingPoint floating_point_;
};

/// A board that nobody reads.
class OwnBoard {
public:
    [[nodiscard]] Board& get() { return board_; }

private:
    base::SharedBlock memory_{Board::bytes()};
    Board& board_ = Board::make(memory_.data());
};

/// A unit that ends inside a step is not stepped to its end like the others.
std::string where_it_ended(const core::Node& node, base::Time reached, const build::Timing& timing) {
    if (node.result.reached >= reached) return {};
    return fmt::format(" at t = {}, of which its values in the last row are",
                       timing.timebase.seconds(node.result.reached));
}

}  // namespace

std::optional<base::Error> foreign_exception(const Board& board, const std::string& what) {
    const std::vector<Board::UnderWay> calls = board.under_way();
    if (calls.empty()) return std::nullopt;
    const Board::UnderWay& call = calls.front();
    return base::Error("fmu-error", fmt::format("unit '{}' at t = {}", call.unit, board.seconds()),
                       fmt::format("an exception came out of {}: {}{}{}", call.function, what,
                                   call.last_message.empty() ? "" : "; its last message: ", call.last_message),
                       base::Exit::failed);
}

void add_unit_warnings(const build::Simulation& simulation, base::Diagnostics& diagnostics) {
    for (const core::Node& node : simulation.system->nodes())
        for (const core::UnitWarning& warning : node.unit->warnings())
            diagnostics.warn_told(warning.code, "unit '" + node.name + "'", warning.text);
}

void note_late_events(const build::Simulation& simulation, base::Diagnostics& diagnostics) {
    const auto nodes = simulation.system->nodes();
    std::vector<bool> sends(nodes.size());
    for (const core::PlannedWire& wire : simulation.system->plan().wires) sends[wire.from.unit] = true;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const std::uint64_t count = nodes[i].events == nullptr ? 0 : nodes[i].events->inner_event_count();
        if (count == 0 || !sends[i]) continue;
        diagnostics.note(
            "jump", "unit '" + nodes[i].name + "'",
            fmt::format("{} inside its steps: other units got what {} changed at the end of the step, up to {} s "
                        "later, which the error bar may not show (a smaller --step helps)",
                        count == 1 ? "one event was" : fmt::format("{} events were", count), count == 1 ? "it" : "they",
                        simulation.timing.timebase.seconds(nodes[i].period)));
    }
}

Outcome execute(build::Simulation& simulation, std::span<core::Tap* const> taps, const Watchers& watchers) {
    core::System& system = *simulation.system;
    Outcome outcome;
    outcome.reached = simulation.timing.start;
    std::optional<OwnBoard> unread;
    Board& board = watchers.board != nullptr ? *watchers.board : unread.emplace().get();
    if (board.is_watched() && !board.is_of_this_process()) end_copy();
    watch_for_copies();
    board.begin(outcome.reached, simulation.timing.timebase);
    board.enter(Board::Phase::running);
    Counter counter(outcome, watchers.visitor, board);
    std::vector<core::Tap*> all{&counter};
    all.insert(all.end(), taps.begin(), taps.end());
    system.watch(all);
    system.profile(watchers.profile);
    const InterruptGuard guard;
    PutBack process(board);
    FastPacer fast;
    const auto begin = std::chrono::steady_clock::now();
    const double cpu_begin = cpu_seconds();
    try {
        core::run(system, *simulation.algorithm, all, watchers.pacer != nullptr ? *watchers.pacer : fast,
                  {.from = simulation.timing.start, .to = simulation.timing.stop});
        if (const core::Node* node = system.terminated_by(); node != nullptr)
            outcome.ended_by = "unit '" + node->name + "'" + where_it_ended(*node, outcome.reached, simulation.timing) +
                               node->unit->last_message();
        if (InterruptGuard::interrupted()) outcome.exit = base::Exit::interrupted;
    } catch (const base::Error& error) {
        outcome.error = error;
        outcome.exit = error.exit();
    } catch (const std::exception& error) {
        outcome.error = foreign_exception(board, error.what());
        if (!outcome.error) throw;
        outcome.exit = base::Exit::failed;
        board.forget_calls();
    }
    board.enter(Board::Phase::writing);
    outcome.put_back = process.restore();
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
    system.watch({});
    return outcome;
}

}  // namespace master::runs
