#pragma once

#include "master/base/error.hpp"
#include "master/base/log.hpp"
#include "master/base/shared_block.hpp"
#include "master/runs/board.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <sys/types.h>

namespace master::runs {

struct SupervisorOptions {
    std::optional<double> unit_timeout = {};         // s without a finished call after which the run is ended
    std::optional<std::uint64_t> memory_limit = {};  // bytes
    double patience = 60;                            // s after which the user is told whom the run waits for
};

/// Something that is done in this process while the other one works: a view is served.
class Companion {
public:
    virtual ~Companion() = default;
    /// Here, once the other process has been started.
    virtual void begin() = 0;
    /// There, before anything else: what was opened here is none of its business.
    virtual void leave() = 0;
    /// Here, once the other process is gone and everything is concluded.
    virtual void end(const struct Ending& ending) = 0;
};

/// How the process of a run ended.
struct Ending {
    int code = 0;                      // for the whole program
    std::optional<base::Error> error;  // where the process could not say it itself
    bool interrupted = false;          // somebody asked this program to end
};

/// Runs something in a process of its own and watches it from this one, which runs no foreign code and so survives
/// whatever that does. Made and used before other threads exist.
///
/// Ctrl-C (or SIGTERM, SIGHUP) once asks the process to end after the step, twice ends it at once. Where this process
/// dies, the other ends after its step.
class Supervisor {
public:
    Supervisor(const SupervisorOptions& options, base::Log& log);

    /// Shared by both processes.
    [[nodiscard]] Board& board() { return board_; }

    /// Runs `work` in the other process, which ends with what it returns. When that is over, `conclude` is called here,
    /// undisturbed by signals.
    [[nodiscard]] Ending run(const std::function<int()>& work, const std::function<void(const Ending&)>& conclude,
                             Companion* companion = nullptr);
    /// What the process says where an allocation failed.
    [[nodiscard]] base::Error out_of_memory() const;

private:
    class Signals;

    [[noreturn]] void work_in_child(const std::function<int()>& work, pid_t parent, const Signals& signals);
    /// Until the process has ended; its status.
    [[nodiscard]] int watch(Signals& signals);
    void wait_for_the_rest() const;
    void look();
    void interrupt(int signal);
    void kill_child();
    [[nodiscard]] Ending ending_of(int status) const;
    [[nodiscard]] std::string memory_text() const;

    SupervisorOptions options_;
    base::Log& log_;
    base::SharedBlock block_;
    Board& board_;
    pid_t child_ = -1;
    std::uint64_t progress_ = 0;  // at the last look
    double waited_ = 0;           // s without progress
    bool told_ = false;           // that the run waits
    bool timed_out_ = false;
    double last_interrupt_ = -1e9;  // s, on the steady clock
    int interrupts_ = 0;
};

}  // namespace master::runs
