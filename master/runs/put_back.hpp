#pragma once

#include "master/fmi/library/process_state.hpp"
#include "master/runs/board.hpp"

#include <array>
#include <string>
#include <sys/resource.h>
#include <sys/stat.h>

namespace master::runs {

/// stdin, stdout and stderr as they are now. A unit may close them; whatever is opened next would then take their place
/// and receive what is meant for the user.
class StandardStreams {
public:
    StandardStreams();
    ~StandardStreams();
    StandardStreams(const StandardStreams&) = delete;
    StandardStreams& operator=(const StandardStreams&) = delete;

    /// True where one of them had changed.
    [[nodiscard]] bool restore() const;

private:
    static constexpr int count = 3;

    /// A unit may have closed the copy, too.
    [[nodiscard]] bool is_ours(int i) const;

    std::array<int, count> kept_{};
    std::array<struct stat, count> files_{};
};

/// What belongs to the process and not to a unit, as it is before the first step. What a unit changes would harm what
/// is written after the last one.
class PutBack {
public:
    explicit PutBack(const Board& board);

    /// Names what had changed; empty if nothing had. Only a privileged process may raise a hard limit again: where the
    /// size of files stays limited, this one can write nothing any more, and ends, so that the one that watches it
    /// completes the files.
    [[nodiscard]] std::string restore();

private:
    struct Limit {
        __rlimit_resource resource;
        const char* name;
        rlimit value{};
    };

    const Board& board_;
    fmi::ProcessState state_;
    StandardStreams streams_;
    mode_t umask_;
    std::array<Limit, 2> limits_{
        {{RLIMIT_FSIZE, "the largest size of files", {}}, {RLIMIT_NOFILE, "the number of open files", {}}}};
};

}  // namespace master::runs
