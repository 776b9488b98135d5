#include "master/fmi/library/log_relay.hpp"

#include "master/fmi/library/library.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fmt/format.h>

namespace master::fmi {
namespace {

base::Log::Level level_of(int status) {
    constexpr std::array levels{base::Log::Level::info, base::Log::Level::warning, base::Log::Level::warning,
                                base::Log::Level::error, base::Log::Level::error};
    const bool known = status >= 0 && static_cast<std::size_t>(status) < levels.size();
    return known ? levels[static_cast<std::size_t>(status)] : base::Log::Level::info;
}

/// One printable line: an FMU's line breaks and control characters must not look like other messages.
std::string one_line(std::string_view text, std::size_t longest) {
    std::string line(text.substr(0, longest));
    while (!line.empty() && static_cast<unsigned char>(line.back()) <= ' ') line.pop_back();
    for (char& c : line) {
        if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = ' ';
    }
    if (text.size() > longest) line += "...";
    return line;
}

constexpr std::size_t longest_kept = 200;      // of a message in the summary of the run
constexpr std::size_t longest_unshown = 2048;  // of a message in a flood: kept only for an error that may follow

}  // namespace

std::vector<const char*> problem_categories(const ModelDescription& description) {
    constexpr std::array<std::string_view, 6> known{"logStatusWarning", "logStatusDiscard", "logStatusError",
                                                    "logStatusFatal",   "logStatusPending", "logError"};
    std::vector<const char*> found;
    for (const std::string& category : description.log_categories) {
        if (std::ranges::find(known, category) != known.end()) found.push_back(category.c_str());
    }
    return found;
}

LogRelay::LogRelay(std::string unit, const ModelDescription& description, base::Timebase timebase, base::Log& log)
    : unit_(std::move(unit)), description_(description), log_(log), watched_(log.watched(unit_)), timebase_(timebase) {}

LogRelay::~LogRelay() {
    try {
        finish();
    } catch (...) {  // a log that fails must not end the program from a destructor
    }
}

bool LogRelay::wants(int status) noexcept {
    if (status != 0 || log_.detailed()) return true;
    try {
        const std::lock_guard lock(mutex_);
        if (chatter_ < forwarded_chatter) return true;
        ++chatter_;
    } catch (...) {  // a lock that cannot be had
    }
    return false;
}

void LogRelay::from_fmu(int status, const char* category, std::string_view text) noexcept {
    try {
        const std::lock_guard lock(mutex_);
        const bool shown =
            log_.detailed() || (status == 0 ? chatter_ < forwarded_chatter : received_ < forwarded_messages);
        last_ = one_line(text, shown ? longest_message : longest_unshown);
        if (watched_ != nullptr) watched_->say(with_names(last_));
        if (level_of(status) == base::Log::Level::error && said_at_this_time(last_)) return;
        std::string line;
        const auto full_line = [&]() -> const std::string& {
            if (!line.empty()) return line;
            line = with_names(last_);
            if (category != nullptr && *category != '\0')
                line = "[" + std::string(category).substr(0, 80) + "] " + line;
            return line;
        };
        if (log_.detailed()) {
            log_.detail(level_of(status), unit_, time(), full_line());
            if (status == 0) return;  // asked for by the detailed log alone
        }
        if (status == 0 && ++chatter_ > forwarded_chatter) return;
        if (status != 0) received_at_ = time();
        if (status != 0 && received_ == 0)
            first_received_ = fmt::format("at t = {}: {}", time(), one_line(with_names(last_), longest_kept));
        if (status != 0 && ++received_ > forwarded_messages) return;
        log_.message(level_of(status), unit_, time(), full_line());
    } catch (...) {  // called from C: a message that cannot be passed on is dropped
    }
}

std::vector<const char*> LogRelay::categories() const {
    if (!log_.detailed()) return problem_categories(description_);
    std::vector<const char*> all;
    all.reserve(description_.log_categories.size());
    for (const std::string& category : description_.log_categories) all.push_back(category.c_str());
    return all;
}

void LogRelay::calls_go_to(const void* instance, const Library& library) {
    if (watched_ == nullptr) return;
    watched_->library = &library;
    watched_->code = library.code();
    watched_->instance = instance;
}

/// A unit that refuses a value says so again in every call at that point, many with the name of the call before it.
bool LogRelay::said_at_this_time(std::string_view text) {
    constexpr std::size_t most = 16;
    if (time() != errors_at_) errors_.clear();
    errors_at_ = time();
    const std::size_t colon = text.find(": ");
    if (text.starts_with("fmi") && colon != std::string_view::npos && text.find(' ') > colon)
        text.remove_prefix(colon + 2);
    if (std::ranges::find(errors_, text) != errors_.end()) return true;
    if (errors_.size() < most) errors_.emplace_back(text);
    return false;
}

void LogRelay::remark(base::Log::Level level, std::string_view text) {
    const std::lock_guard lock(mutex_);
    if (level >= base::Log::Level::warning) kept_.push_back({"fmu-warning", fmt::format("{} (t = {})", text, time())});
    log_.message(level, unit_, time(), text);
}

void LogRelay::warned_by(std::string_view function) {
    {
        const std::lock_guard lock(mutex_);
        if (warnings_++ > 0) return;
        first_warning_ = fmt::format("{} at t = {}", function, time());
        if (received_at_ == time()) return;
    }
    log_.warning(where(), std::string(function) + " returned the status Warning without a message");
}

void LogRelay::warn(std::string code, std::string_view variable, const std::string& text) {
    {
        const std::lock_guard lock(mutex_);
        std::string matter = fmt::format("{} {}", code, variable);
        if (std::ranges::find(warned_about_, matter) != warned_about_.end()) return;
        warned_about_.push_back(std::move(matter));
        kept_.push_back({std::move(code), fmt::format("{} (from t = {} on)", text, time())});
    }
    log_.warning(where(), text);
}

std::vector<core::UnitWarning> LogRelay::warnings() const {
    const std::lock_guard lock(mutex_);
    std::vector<core::UnitWarning> all = kept_;
    const auto times = [](std::uint64_t count) {
        return count == 1 ? std::string("once") : fmt::format("{} times", count);
    };
    if (warnings_ > 0)
        all.push_back({"fmu-warning",
                       fmt::format("returned the status Warning {}, first from {}", times(warnings_), first_warning_)});
    if (received_ > 0)
        all.push_back({"fmu-warning",
                       fmt::format("logged a warning or an error {}, first {}", times(received_), first_received_)});
    return all;
}

void LogRelay::finish() {
    const std::lock_guard lock(mutex_);
    if (received_ > forwarded_messages) {
        log_.message(base::Log::Level::warning, unit_, time(),
                     std::to_string(received_ - forwarded_messages) + " more messages of this unit not shown");
    }
    if (chatter_ > forwarded_chatter) {
        log_.message(base::Log::Level::info, unit_, time(),
                     std::to_string(chatter_ - forwarded_chatter) + " more remarks of this unit not shown");
    }
    received_ = chatter_ = 0;
}

std::string LogRelay::last() const {
    const std::lock_guard lock(mutex_);
    return with_names(last_);
}

double LogRelay::time() const {
    const double inside = time_.load(std::memory_order_relaxed);
    if (!std::isnan(inside)) return inside;
    if (followed_ == nullptr) return timebase_.seconds(base::Time{point_.load(std::memory_order_relaxed)});
    return timebase_.seconds(base::Time{std::atomic_ref(followed_->ticks).load(std::memory_order_relaxed)});
}

std::string LogRelay::where() const { return fmt::format("unit '{}' at t = {}", unit_, time()); }

/// FMI 2.0.4, 2.1.5: `#<type><reference>#` stands for a variable, `##` for one '#'.
std::string LogRelay::with_names(std::string_view text) const {
    if (description_.version != Version::fmi2 || text.find('#') == std::string_view::npos) return std::string(text);
    std::string out;
    for (std::size_t i = 0; i < text.size();) {
        if (text[i] != '#') {
            out += text[i++];
            continue;
        }
        const std::size_t end = text.find('#', i + 1);
        if (end == std::string_view::npos) return out.append(text.substr(i));
        const std::string_view inside = text.substr(i + 1, end - i - 1);
        const std::string name = inside.size() < 2 ? std::string{} : name_of(inside.front(), inside.substr(1));
        if (!inside.empty() && name.empty()) {  // no reference: this '#' is only a character
            out += text[i++];
            continue;
        }
        out += inside.empty() ? "#" : name;
        i = end + 1;
    }
    return out;
}

std::string LogRelay::name_of(char type, std::string_view reference) const {
    std::uint32_t number = 0;
    const auto [end, problem] = std::from_chars(reference.data(), reference.data() + reference.size(), number);
    if (problem != std::errc{} || end != reference.data() + reference.size()) return {};
    const auto is_type = [type](Native native) {
        if (type == 'r') return native == Native::float64;
        if (type == 'i') return native == Native::int32;
        if (type == 'b') return native == Native::boolean;
        return type == 's' && native == Native::string;
    };
    for (std::size_t i = 0; i < description_.references.size(); ++i) {
        if (description_.references[i] == number && is_type(description_.natives[i])) {
            return description_.info.variables[i].name;
        }
    }
    return {};
}

}  // namespace master::fmi
