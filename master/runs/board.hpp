#pragma once

#include "master/base/call_slot.hpp"
#include "master/base/time.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <unistd.h>
#include <vector>

namespace master::runs {

/// What a run and the process that watches it share: it lies in memory that both see and holds nothing that the run
/// would have to clean up. The run writes it with plain stores; whoever reads it after a crash believes nothing of it
/// without a look.
class Board {
public:
    enum class Phase : std::uint8_t {
        preparing,  // nothing is recorded yet
        running,
        writing,   // the last step is done: results, record and report are being completed
        complete,  // they are; what follows are the units' last calls
    };

    /// In memory that is shared, zero at first, and of `bytes` bytes.
    [[nodiscard]] static Board& make(std::byte* memory);
    static constexpr std::size_t bytes() { return sizeof(Board) + most_units * sizeof(base::WatchedUnit); }
    Board(const Board&) = delete;
    Board& operator=(const Board&) = delete;

    /// The calling thread and those that it starts write their calls here from now on; a crash of this process leaves a
    /// note here.
    void watch_this_process();
    /// True where another process completes what this one leaves.
    [[nodiscard]] bool is_watched() const { return process_ != 0; }
    [[nodiscard]] bool is_of_this_process() const { return process_ == ::getpid(); }
    /// The same without a process that watches.
    [[nodiscard]] base::CallSlot* first_slot() { return slots_.data(); }
    /// Null where there is no room for another one.
    [[nodiscard]] base::WatchedUnit* add_unit(std::string_view name);

    void enter(Phase phase) { phase_.store(phase, std::memory_order_release); }
    [[nodiscard]] Phase phase() const { return phase_.load(std::memory_order_acquire); }

    void begin(base::Time start, base::Timebase timebase);
    /// In the step.
    void reach(base::Time t, std::uint64_t points) {
        reached_ = t;
        points_ = points;
    }
    [[nodiscard]] double seconds() const;
    [[nodiscard]] std::uint64_t points() const { return points_; }

    /// The run has said everything that it had to say, and ends with this code.
    void finish(int code) {
        code_ = code;
        finished_.store(true, std::memory_order_release);
    }
    [[nodiscard]] std::optional<int> finished() const;

    /// Unit and function, for messages.
    struct UnderWay {
        std::string unit;      // empty: none is known
        std::string function;  // "fmi2DoStep"
        std::string last_message;
    };
    /// Calls that are not finished: of all threads, or of the one that crashed if that is known.
    [[nodiscard]] std::vector<UnderWay> under_way() const;
    /// The same of all threads, whichever crashed.
    [[nodiscard]] std::vector<UnderWay> unfinished() const;
    /// Those that were left by an exception.
    void forget_calls();
    /// Units with the code that a thread was in that none of the run's calls has started; empty where that is not
    /// known.
    [[nodiscard]] std::vector<UnderWay> owners_of_crash() const;
    /// Differs whenever a call was finished or a step was done.
    [[nodiscard]] std::uint64_t progress() const;

    struct Crash {
        std::int32_t signal = 0;  // 0: none was seen, which does not mean that there was none
        std::int32_t slot = -1;   // of the thread; -1: one that is none of the run's
        bool stack_overflow = false;
        std::uint64_t data_bytes = 0;  // that the process had
        std::uintptr_t code = 0;       // of a unit, where a thread that is none of the run's was; 0: not known
    };
    [[nodiscard]] const Crash& crash() const { return crash_; }

private:
    friend struct CrashNote;

    explicit Board(base::WatchedUnit* units);

    static constexpr std::size_t most_threads = 64;
    static constexpr std::size_t most_units = 1 << 14;

    [[nodiscard]] std::span<const base::WatchedUnit> units() const;
    [[nodiscard]] UnderWay describe(const base::CallSlot::Call& call) const;

    std::array<base::CallSlot, most_threads> slots_;
    base::Time reached_;
    std::uint64_t points_ = 0;
    base::Timebase timebase_;
    base::WatchedUnit* const units_;  // room for most_units, of which those not in use are never touched
    Crash crash_;
    std::int32_t code_ = 0;
    pid_t process_ = 0;
    std::atomic<std::uint32_t> unit_count_{0};
    std::atomic<Phase> phase_{Phase::preparing};
    std::atomic<bool> finished_{false};

public:
    std::atomic<bool> stop{false};  // after the step under way
};

}  // namespace master::runs
