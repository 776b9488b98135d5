#pragma once

#include "master/base/diagnostics.hpp"
#include "master/base/error.hpp"
#include "master/base/log.hpp"

#include <filesystem>
#include <fstream>
#include <mutex>
#include <string_view>

namespace master::verbs {

/// What the user reads on stderr: remarks, FMU messages, errors. One line each.
class Console final : public base::Log {
public:
    enum class Verbosity { quiet, normal };
    explicit Console(Verbosity verbosity = Verbosity::normal) : verbosity_(verbosity) {}

    void message(Level level, std::string_view unit, double time, std::string_view text) override;
    void warning(std::string_view where, std::string_view text) override;
    /// Prints what was not printed before; errors always, notes and warnings unless quiet.
    void show(const base::Diagnostics& diagnostics);
    void show(const base::Error& error);
    void note(std::string_view text);
    /// From now on every message of a unit goes into that file as well, one line each: time, unit, level, [category],
    /// text. Throws `Error` where it cannot be written.
    void log_into(const std::filesystem::path& file);
    [[nodiscard]] bool detailed() const override { return file_.is_open(); }
    void detail(Level level, std::string_view unit, double time, std::string_view text) override;
    /// True once a warning came in while the system ran.
    [[nodiscard]] bool warned() const { return warned_; }

private:
    Verbosity verbosity_;
    std::size_t shown_ = 0;
    bool warned_ = false;
    std::ofstream file_;
    std::mutex mutex_;  // units on other threads report too
};

/// A text of ours that holds names from outside on stdout: what would steer a terminal is spelt out.
void print_text(std::string_view text);

/// `error[code]: where: text` on one line, control characters replaced.
[[nodiscard]] std::string error_line(std::string_view code, std::string_view where, std::string_view text);

}  // namespace master::verbs
