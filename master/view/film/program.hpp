#pragma once

#include "master/base/child_process.hpp"

#include <chrono>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace master::view {

/// One end of a pipe; closed with the object.
class Descriptor {
public:
    explicit Descriptor(int number = -1) : number_(number) {}
    ~Descriptor() { close(); }
    Descriptor(Descriptor&& other) noexcept;
    Descriptor& operator=(Descriptor&& other) noexcept;
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;

    [[nodiscard]] int number() const { return number_; }
    void close();

private:
    int number_;
};

struct Pipe {
    Pipe();
    Descriptor read, write;
};

/// The first of these programs that is on PATH; throws `Error` (missing-program) that names the package to install.
[[nodiscard]] std::filesystem::path find_program(std::span<const std::string_view> names, std::string_view package,
                                                 std::string_view purpose);

/// Another program in a process group of its own, which is killed with the object. Ctrl-C in a terminal is left to this
/// process.
class Program {
public:
    struct Line {
        std::filesystem::path program;
        std::vector<std::string> arguments;
        /// What its descriptors 0, 1, 2, ... are; the ones it has not lead nowhere.
        std::vector<int> descriptors;
        std::filesystem::path temporary = {};  // its TMPDIR; empty: this process's
    };
    explicit Program(const Line& line);
    ~Program();
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;

    /// How it ended: its number, or -1 after a signal; nothing while it runs.
    [[nodiscard]] std::optional<int> ended() { return process_.ended(); }
    /// The same after at most this long. Throws `Interrupted`.
    [[nodiscard]] std::optional<int> wait(std::chrono::duration<double> most);

private:
    base::BoundProcess process_;
};

/// Ctrl-C came while another program was waited for.
struct Interrupted {};

/// Waits until the descriptor can be read (POLLIN) or written (POLLOUT), or its other end is gone; false: not within
/// this time. Throws `Interrupted`.
[[nodiscard]] bool wait_for(int descriptor, short events, std::chrono::duration<double> most);

}  // namespace master::view
