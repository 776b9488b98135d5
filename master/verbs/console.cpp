#include "master/verbs/console.hpp"

#include "master/base/printable.hpp"

#include <array>
#include <cstdio>
#include <fmt/format.h>
#include <string>

namespace master::verbs {
namespace {

// Text from outside may hold line breaks or escape sequences: neither may look like output of ours.
std::string one_line(std::string_view text) {
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.remove_suffix(1);
    return base::printable(text);
}

void print(const std::string& line) { fmt::print(stderr, "{}\n", line); }

std::string labelled(std::string_view label, std::string_view where, std::string_view text) {
    return fmt::format("{}: {}{}{}", label, one_line(where), where.empty() ? "" : ": ", one_line(text));
}

}  // namespace

void print_text(std::string_view text) { fmt::print("{}", base::printable_lines(text)); }

std::string error_line(std::string_view code, std::string_view where, std::string_view text) {
    return labelled(fmt::format("error[{}]", code), where, text);
}

void Console::message(Level level, std::string_view unit, double time, std::string_view text) {
    if (verbosity_ == Verbosity::quiet && level != Level::error) return;
    const char* label = level == Level::error ? "fmu error" : level == Level::warning ? "fmu warning" : "fmu";
    const std::lock_guard lock(mutex_);
    print(labelled(label, fmt::format("'{}' at t = {}", unit, time), text));
}

void Console::log_into(const std::filesystem::path& file) {
    file_.open(file, std::ios::trunc);
    if (!file_) throw base::Error("write-failed", file.string(), "the log cannot be written");
}

void Console::detail(Level level, std::string_view unit, double time, std::string_view text) {
    constexpr std::array names{"debug", "info", "warning", "error"};
    const std::lock_guard lock(mutex_);
    file_ << fmt::format("{} {} {} {}\n", time, unit, names[static_cast<std::size_t>(level)], one_line(text));
}

void Console::warning(std::string_view where, std::string_view text) {
    const std::lock_guard lock(mutex_);
    warned_ = true;
    if (verbosity_ == Verbosity::quiet) return;
    print(labelled("warning", where, text));
}

void Console::show(const base::Diagnostics& diagnostics) {
    const auto& findings = diagnostics.findings();
    for (; shown_ < findings.size(); ++shown_) {
        const base::Finding& finding = findings[shown_];
        if (finding.severity == base::Severity::error) {
            print(error_line(finding.code, finding.where, finding.text));
        } else if (verbosity_ != Verbosity::quiet) {
            const char* label = finding.severity == base::Severity::warning ? "warning" : "note";
            print(labelled(label, finding.where, finding.text));
        }
    }
}

void Console::show(const base::Error& error) { print(error_line(error.code(), error.where(), error.what())); }

void Console::note(std::string_view text) {
    if (verbosity_ != Verbosity::quiet) print(labelled("note", "", text));
}

}  // namespace master::verbs
