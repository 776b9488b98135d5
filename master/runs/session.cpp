#include "master/runs/session.hpp"

#include "master/base/shared_block.hpp"
#include "master/fmi/library/process_state.hpp"
#include "master/runs/interrupt.hpp"

#include <array>
#include <csignal>
#include <ctime>
#include <exception>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

namespace master::runs {
namespace {

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

/// Counts communication points, and keeps the floating-point environment as it was at the first; calls the visitor.
class Counter final : public core::Tap {
public:
    Counter(Outcome& outcome, Visitor* visitor, Board& board)
        : outcome_(outcome),
          visitor_(visitor),
          visit_(visitor == nullptr ? core::never : outcome.reached),
          board_(board) {}
    void after_step(base::Time t, const core::Signals& signals) override {
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

/// stdin, stdout and stderr as they are now. A unit may close them; whatever is opened next would then take their place
/// and receive what is meant for the user.
class StandardStreams {
public:
    StandardStreams() {
        for (int i = 0; i < count; ++i) {
            kept_[i] = ::fcntl(i, F_DUPFD_CLOEXEC, lowest_copy);
            same_file(kept_[i], i, &files_[i]);
        }
    }
    ~StandardStreams() {
        for (int i = 0; i < count; ++i)
            if (is_ours(i)) ::close(kept_[i]);
    }
    StandardStreams(const StandardStreams&) = delete;
    StandardStreams& operator=(const StandardStreams&) = delete;

    /// True where one of them had changed.
    bool restore() const {
        bool changed = false;
        for (int i = 0; i < count; ++i)
            if (is_ours(i) && !same_file(kept_[i], i)) changed |= ::dup2(kept_[i], i) == i;
        return changed;
    }

private:
    static constexpr int count = 3;
    static constexpr int lowest_copy = 64;  // out of the way of files that are opened and closed

    static bool same_file(int left, int right, struct stat* found = nullptr) {
        struct stat first = {}, second = {};
        const bool same = ::fstat(left, &first) == 0 && ::fstat(right, &second) == 0 && equal(first, second);
        if (found != nullptr) *found = first;
        return same;
    }
    static bool equal(const struct stat& left, const struct stat& right) {
        return left.st_dev == right.st_dev && left.st_ino == right.st_ino;
    }
    /// A unit may have closed the copy, too.
    [[nodiscard]] bool is_ours(int i) const {
        struct stat now = {};
        return kept_[i] >= 0 && ::fstat(kept_[i], &now) == 0 && equal(now, files_[i]);
    }

    std::array<int, count> kept_{};
    std::array<struct stat, count> files_{};
};

/// How large a file may become. A unit that lowers it for the whole process would cut what is still to be written.
class FileSizeLimit {
public:
    FileSizeLimit() { ::getrlimit(RLIMIT_FSIZE, &before_); }

    /// True where it had changed. Only a privileged process may raise a hard limit again: where that is refused, this
    /// one can write nothing any more, and ends, so that the one that watches it completes the files.
    [[nodiscard]] bool restore(const Board& board) const {
        rlimit now = {};
        const bool changed = ::getrlimit(RLIMIT_FSIZE, &now) == 0 &&
                             (now.rlim_cur != before_.rlim_cur || now.rlim_max != before_.rlim_max);
        if (changed && ::setrlimit(RLIMIT_FSIZE, &before_) != 0 && board.is_watched()) {
            std::signal(SIGXFSZ, SIG_DFL);
            std::raise(SIGXFSZ);
        }
        return changed;
    }

private:
    rlimit before_{};
};

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

Outcome execute(build::Simulation& simulation, std::span<core::Tap* const> taps, const Watchers& watchers) {
    core::System& system = *simulation.system;
    Outcome outcome;
    outcome.reached = simulation.timing.start;
    std::optional<OwnBoard> unread;
    Board& board = watchers.board != nullptr ? *watchers.board : unread.emplace().get();
    board.begin(outcome.reached, simulation.timing.timebase);
    board.enter(Board::Phase::running);
    Counter counter(outcome, watchers.visitor, board);
    std::vector<core::Tap*> all{&counter};
    all.insert(all.end(), taps.begin(), taps.end());
    system.watch(all);
    system.profile(watchers.profile);
    const InterruptGuard guard;
    const StandardStreams streams;
    const FileSizeLimit file_size;
    FastPacer fast;
    const auto begin = std::chrono::steady_clock::now();
    const double cpu_begin = cpu_seconds();
    try {
        core::run(system, *simulation.algorithm, all, watchers.pacer != nullptr ? *watchers.pacer : fast,
                  {.from = simulation.timing.start, .to = simulation.timing.stop});
        if (const core::Node* node = system.terminated_by(); node != nullptr)
            outcome.ended_by = "unit '" + node->name + "'" + node->unit->last_message();
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
    outcome.streams_closed = streams.restore();
    outcome.file_size_limited = file_size.restore(board);
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
