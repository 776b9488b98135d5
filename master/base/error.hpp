#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace master::base {

/// What the process returns; see README, "Exit codes".
enum class Exit { ok = 0, failed = 1, bad_input = 2, violated = 3, interrupted = 130 };

/// Ends the work: printed by main as `error[CODE]: where: text`, one line, and turned into an exit code.
/// `where` is file:line, or the unit and time, or empty.
class Error : public std::runtime_error {
public:
    Error(std::string code, std::string where, const std::string& text, Exit exit = Exit::bad_input)
        : std::runtime_error(text), code_(std::move(code)), where_(std::move(where)), exit_(exit) {}

    [[nodiscard]] const std::string& code() const { return code_; }
    [[nodiscard]] const std::string& where() const { return where_; }
    [[nodiscard]] Exit exit() const { return exit_; }

private:
    std::string code_;
    std::string where_;
    Exit exit_;
};

}  // namespace master::base
