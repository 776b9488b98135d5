#pragma once

#include "master/base/diagnostics.hpp"
#include "master/base/error.hpp"
#include "master/base/log.hpp"
#include "master/runs/board.hpp"

#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
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
    /// Throws `Error` where the log could not be written whole.
    void finish_log();
    [[nodiscard]] bool detailed() const override { return file_.is_open(); }
    void detail(Level level, std::string_view unit, double time, std::string_view text) override;
    /// From now on units leave there what a watching process should know of them.
    void watch(runs::Board& board) { board_ = &board; }
    /// From now on whoever else reads hears it too: level (note, warning, error), time if there is one, place, text.
    using Listener = std::function<void(const char* level, std::optional<double> time, const std::string& where,
                                        const std::string& text)>;
    void listen(Listener listener) { listener_ = std::move(listener); }
    [[nodiscard]] base::WatchedUnit* watched(std::string_view unit) override;
    /// That came in while the system ran; empty: none did.
    [[nodiscard]] const std::string& first_warning() const { return first_warning_; }

private:
    void pass_on(const char* level, std::optional<double> time, std::string_view where, std::string_view text) const;

    Verbosity verbosity_;
    std::size_t shown_ = 0;
    std::string first_warning_;
    std::ofstream file_;
    std::filesystem::path log_path_;
    runs::Board* board_ = nullptr;
    std::map<std::string, base::WatchedUnit*, std::less<>> watched_;  // a unit may be made several times
    Listener listener_;
    std::mutex mutex_;  // units on other threads report too
};

/// Text for standard output; what would steer a terminal is spelt out. Throws `Error` where nobody takes it (a full
/// disk, a pipe whose reader is gone).
void print_out(std::string_view words);

/// `error[code]: where: text` on one line, control characters replaced.
[[nodiscard]] std::string error_line(std::string_view code, std::string_view where, std::string_view text);

}  // namespace master::verbs
