#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <sys/types.h>

namespace master::base {

/// Another process, which never outlives this one: it is killed with the object, and by the system when this process
/// dies.
class BoundProcess {
public:
    /// Forks; `become` is called in the other process and does not return there. `what` stands in the message where
    /// that is not possible.
    BoundProcess(const std::string& what, const std::function<void()>& become);
    ~BoundProcess() { end(); }
    BoundProcess(const BoundProcess&) = delete;
    BoundProcess& operator=(const BoundProcess&) = delete;

    [[nodiscard]] pid_t number() const { return number_; }
    /// How it ended: its number, or -1 after a signal; nothing while it runs.
    [[nodiscard]] std::optional<int> ended();
    /// The same after at most this long; `meanwhile`, which may throw, is called now and then.
    [[nodiscard]] std::optional<int> wait(std::chrono::duration<double> most, void (*meanwhile)() = nullptr);
    /// At once, where it has not ended.
    void end();

private:
    pid_t number_ = -1;
    std::optional<int> ended_;
};

/// A function in a process of its own. It says nothing: its standard streams lead nowhere. Ctrl-C in a terminal is left
/// to the process that started it. Forks, so it has to be made before other threads run and before foreign code was
/// loaded that the function must not share.
class ChildProcess {
public:
    /// The process ends with the number that `work` returns, 1 after an exception.
    explicit ChildProcess(const std::function<int()>& work);

    /// How the process ended: its number, or -1 after a signal; nothing while it runs.
    [[nodiscard]] std::optional<int> ended() { return process_.ended(); }
    /// The same after at most this long.
    [[nodiscard]] std::optional<int> wait(std::chrono::duration<double> most) { return process_.wait(most); }

private:
    BoundProcess process_;
};

}  // namespace master::base
