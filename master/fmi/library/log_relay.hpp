#pragma once

#include "master/base/log.hpp"
#include "master/base/time.hpp"
#include "master/core/unit.hpp"
#include "master/fmi/description/model_description.hpp"
#include "master/fmi/library/message_format.hpp"

#include <atomic>
#include <cstdint>
#include <limits>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace master::fmi {

class Library;

/// Carries an FMU's messages to the user's log. An FMU may call from any thread, in any amount: the first messages are
/// passed on, the rest are counted. The last one is kept for error texts.
class LogRelay {
public:
    LogRelay(std::string unit, const ModelDescription& description, base::Timebase timebase, base::Log& log);
    ~LogRelay();
    LogRelay(const LogRelay&) = delete;
    LogRelay& operator=(const LogRelay&) = delete;

    /// Whether a message of this status is worth formatting: the hundred thousand remarks of a unit that reports every
    /// call are only counted.
    [[nodiscard]] bool wants(int status) noexcept;
    /// A message of the FMU with its FMI status; never throws, as it is called from C.
    void from_fmu(int status, const char* category, std::string_view text) noexcept;
    /// A remark of the importer about this unit.
    void remark(base::Log::Level level, std::string_view text);
    /// The FMU returned the status Warning: counted, and said once where the unit itself says nothing at that time.
    void warned_by(std::string_view function);
    /// Something about one of its variables that is no error: said once for each, and kept for the end of the run.
    void warn(std::string code, std::string_view variable, const std::string& text);
    /// What was said so far, and how many warnings came.
    [[nodiscard]] std::vector<core::UnitWarning> warnings() const;
    /// One line with the number of messages that were not passed on, if any.
    void finish();

    /// Whose calls those are, for whoever watches them: of the unit's instance, and of what concerns its library.
    void calls_go_to(const void* instance, const Library& library);
    /// The communication point that messages belong to.
    void set_point(base::Time point) { point_.store(point.ticks, std::memory_order_relaxed); }
    /// From now on that point is read where the master keeps it.
    void follow(base::Time& point) { followed_ = &point; }
    /// A time inside a step, which holds until `leave_time`.
    void set_time(double time) { time_.store(time, std::memory_order_relaxed); }
    void leave_time() { set_time(std::numeric_limits<double>::quiet_NaN()); }
    [[nodiscard]] double time() const;
    [[nodiscard]] const std::string& unit() const { return unit_; }
    [[nodiscard]] std::string last() const;
    /// The categories to switch on: those that mean trouble, or all of them for a detailed log.
    [[nodiscard]] std::vector<const char*> categories() const;
    /// Whether the unit is asked to log at all.
    [[nodiscard]] bool logs() const { return log_.detailed() || !categories().empty(); }
    /// "unit 'x' at t = 0.5": where an error of this unit happened.
    [[nodiscard]] std::string where() const;

    static constexpr std::uint64_t forwarded_messages = 100;
    static constexpr std::uint64_t forwarded_chatter = 10;  // messages with status OK

private:
    [[nodiscard]] bool said_at_this_time(std::string_view text);
    [[nodiscard]] std::string with_names(std::string_view text) const;
    [[nodiscard]] std::string name_of(char type, std::string_view reference) const;

    const std::string unit_;
    const ModelDescription& description_;
    base::Log& log_;
    base::WatchedUnit* const watched_;  // null: nobody watches
    const base::Timebase timebase_;
    std::atomic<std::int64_t> point_{0};
    base::Time* followed_ = nullptr;
    std::atomic<double> time_{std::numeric_limits<double>::quiet_NaN()};
    mutable std::mutex mutex_;  // guards what follows
    std::string last_;
    std::vector<std::string> errors_;  // that were said at one time
    double errors_at_ = std::numeric_limits<double>::quiet_NaN();
    std::uint64_t received_ = 0;
    std::uint64_t chatter_ = 0;
    double received_at_ = std::numeric_limits<double>::quiet_NaN();  // the last one that is no chatter
    std::string first_received_;
    std::uint64_t warnings_ = 0;             // statuses
    std::string first_warning_;              // the call that returned it, and when
    std::vector<std::string> warned_about_;  // code and variable
    std::vector<core::UnitWarning> kept_;
};

/// The log categories of a unit that mean trouble (FMI 2.0.4, 2.2.4: logStatusWarning and so on); the others report
/// calls and events.
[[nodiscard]] std::vector<const char*> problem_categories(const ModelDescription& description);

}  // namespace master::fmi
