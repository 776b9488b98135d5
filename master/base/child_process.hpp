#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <sys/types.h>

namespace master::base {

/// A function in a process of its own, which never outlives this one: it is killed with the object, and by the system
/// when this process dies. It says nothing: its standard streams lead nowhere. Ctrl-C in a terminal is left to the
/// process that started it. Forks, so it has to be made before other threads run and before foreign code was loaded
/// that the function must not share.
class ChildProcess {
public:
    /// The process ends with the number that `work` returns, 1 after an exception.
    explicit ChildProcess(const std::function<int()>& work);
    ~ChildProcess();
    ChildProcess(const ChildProcess&) = delete;
    ChildProcess& operator=(const ChildProcess&) = delete;

    /// How the process ended: its number, or -1 after a signal; nothing while it runs.
    [[nodiscard]] std::optional<int> ended();
    /// The same after at most this long.
    [[nodiscard]] std::optional<int> wait(std::chrono::duration<double> most);

private:
    pid_t process_ = -1;
    std::optional<int> ended_;
};

}  // namespace master::base
