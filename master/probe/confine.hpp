#pragma once

#include <string>
#include <vector>

namespace probe {

/// How foreign code is tried out: what it writes stays in `folder`, and it is over after `seconds`.
struct Confinement {
    std::string folder;
    unsigned int seconds = 30;
    std::string
        without;  // protections that are left out, as on kernels that lack them: "landlock", "truncate", "seccomp"
};

/// Takes rights away from this process, before foreign code enters it: no network, no new processes, no signals to
/// others, nothing written outside the folder, bounded time, memory and files. Returns what this kernel cannot
/// withhold, in words.
[[nodiscard]] std::vector<std::string> confine(const Confinement& confinement);

}  // namespace probe
