#include "master/verbs/console.hpp"

#include "master/base/printable.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <string>

namespace master::verbs {
namespace {

// Text from outside may hold line breaks or escape sequences: neither may look like output of ours.
std::string one_line(std::string_view text) {
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.remove_suffix(1);
    return base::printable(text);
}

/// Where nobody reads stderr there is nobody to tell.
void print_line(const std::string& line) {
    const std::string whole = line + '\n';
    std::fwrite(whole.data(), 1, whole.size(), stderr);
}

std::string labelled(std::string_view label, std::string_view where, std::string_view text) {
    return fmt::format("{}: {}{}{}", label, one_line(where), where.empty() ? "" : ": ", one_line(text));
}

}  // namespace

void print_out(std::string_view words) {
    const std::string text = base::printable_lines(words);
    errno = 0;
    const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
    if (written && std::fflush(stdout) == 0) return;
    const std::string reason = std::strerror(errno);
    // What is left would be tried again.
    static_cast<void>(std::freopen("/dev/null", "w", stdout));
    throw base::Error("write-failed", "standard output", reason, base::Exit::failed);
}

base::WatchedUnit* Console::watched(std::string_view unit) {
    if (board_ == nullptr) return nullptr;
    const auto known = watched_.find(unit);
    if (known != watched_.end()) return known->second;
    return watched_.emplace(unit, board_->add_unit(unit)).first->second;
}

std::string error_line(std::string_view code, std::string_view where, std::string_view text) {
    return labelled(fmt::format("error[{}]", code), where, text);
}

void Console::pass_on(const char* level, std::optional<double> time, std::string_view where,
                      std::string_view text) const {
    if (listener_) listener_(level, time, one_line(where), one_line(text));
}

void Console::message(Level level, std::string_view unit, double time, std::string_view text) {
    pass_on(level == Level::error ? "error" : level == Level::warning ? "warning" : "note", time, unit, text);
    const char* label = level == Level::error ? "fmu error" : level == Level::warning ? "fmu warning" : "fmu";
    const std::lock_guard lock(mutex_);
    const std::string line = labelled(label, fmt::format("'{}' at t = {}", unit, time), text);
    if (level >= Level::warning && first_warning_.empty()) first_warning_ = line;
    if (verbosity_ == Verbosity::quiet && level != Level::error) return;
    print_line(line);
}

void Console::log_into(const std::filesystem::path& file) {
    log_path_ = file;
    file_.open(file, std::ios::trunc);
    if (!file_)
        throw base::Error("write-failed", file.string(),
                          std::string("the log cannot be written: ") + std::strerror(errno));
}

void Console::finish_log() {
    if (!file_.is_open()) return;
    file_.close();
    if (!file_) throw base::Error("write-failed", log_path_.string(), "the log is not complete", base::Exit::failed);
}

void Console::detail(Level level, std::string_view unit, double time, std::string_view text) {
    constexpr std::array names{"debug", "info", "warning", "error"};
    const std::lock_guard lock(mutex_);
    file_ << fmt::format("{} {} {} {}\n", time, unit, names[static_cast<std::size_t>(level)], one_line(text));
    if (level >= Level::warning) file_.flush();  // it may be the unit's last
}

void Console::warning(std::string_view where, std::string_view text) {
    pass_on("warning", std::nullopt, where, text);
    const std::lock_guard lock(mutex_);
    const std::string line = labelled("warning", where, text);
    if (first_warning_.empty()) first_warning_ = line;
    if (verbosity_ == Verbosity::quiet) return;
    print_line(line);
}

void Console::show(const base::Diagnostics& diagnostics) {
    const auto& findings = diagnostics.findings();
    for (; shown_ < findings.size(); ++shown_) {
        const base::Finding& finding = findings[shown_];
        if (finding.told) continue;
        pass_on(finding.severity == base::Severity::error     ? "error"
                : finding.severity == base::Severity::warning ? "warning"
                                                              : "note",
                std::nullopt, finding.where, finding.text);
        if (finding.severity == base::Severity::error) {
            print_line(error_line(finding.code, finding.where, finding.text));
        } else if (verbosity_ != Verbosity::quiet) {
            const char* label = finding.severity == base::Severity::warning ? "warning" : "note";
            print_line(labelled(label, finding.where, finding.text));
        }
    }
}

void Console::show(const base::Error& error) {
    pass_on("error", std::nullopt, error.where(), error.what());
    print_line(error_line(error.code(), error.where(), error.what()));
}

void Console::note(std::string_view text) {
    if (verbosity_ != Verbosity::quiet) print_line(labelled("note", "", text));
}

}  // namespace master::verbs
