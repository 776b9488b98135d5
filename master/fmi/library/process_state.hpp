#pragma once

#include <array>
#include <cfenv>
#include <csignal>
#include <filesystem>
#include <string>

namespace master::fmi {

/// Rounding, traps and denormal handling of the calling thread. Cheap to compare, so that it can be watched in a step.
class FloatingPoint {
public:
    FloatingPoint();
    /// Puts back what was found at construction; true when something had changed.
    bool restore() const;

private:
    std::fenv_t environment_;
    unsigned control_ = 0;
};

/// What an FMU has no business changing, as it was at construction: working directory, floating-point environment,
/// number format, and how the process ends on a signal (Ctrl-C).
class ProcessState {
public:
    ProcessState();
    /// Puts everything back; names what had changed, empty if nothing had.
    [[nodiscard]] std::string restore();

    [[nodiscard]] bool floating_point_changed() const { return floating_point_changed_; }

private:
    static constexpr std::array signals{SIGINT, SIGTERM, SIGHUP, SIGPIPE};

    std::filesystem::path directory_;
    std::string numbers_;  // LC_NUMERIC
    FloatingPoint floating_point_;
    std::array<struct sigaction, signals.size()> actions_;
    bool floating_point_changed_ = false;
};

}  // namespace master::fmi
