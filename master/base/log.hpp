#pragma once

#include "master/base/call_slot.hpp"

#include <string_view>

namespace master::base {

/// Where units report: FMU log messages and remarks of the importer. Called from the thread that runs the unit. And
/// where the master says what it noticed on the way.
class Log {
public:
    enum class Level { debug, info, warning, error };
    virtual ~Log() = default;
    virtual void message(Level level, std::string_view unit, double time, std::string_view text) = 0;
    virtual void warning(std::string_view where, std::string_view text) = 0;

    /// Where the unit leaves what a watching process should know of it; null: nobody watches.
    [[nodiscard]] virtual WatchedUnit* watched(std::string_view /*unit*/) { return nullptr; }

    /// True where every message of a unit is wanted, not only those that mean trouble: they come as `detail`.
    [[nodiscard]] virtual bool detailed() const { return false; }
    virtual void detail(Level /*level*/, std::string_view /*unit*/, double /*time*/, std::string_view /*text*/) {}
};

}  // namespace master::base
