#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace master::contracts {

/// One kind of promise that was broken.
struct Violation {
    std::string what;         // in words: "above 1", "changes faster than 2 per s"
    double first = 0;         // s
    std::uint64_t count = 0;  // of points
    double worst = 0;
};

/// What a run says about the promises of one signal.
struct Verdict {
    enum class Outcome : std::uint8_t {
        passed,
        failed,
        not_exercised  // the signal hardly moved: nothing was shown
    };
    std::string requirement;  // id, or the signal's name
    std::string subject;      // where it is watched
    bool warning = false;     // it is told and does not fail the run
    Outcome outcome = Outcome::not_exercised;
    double used = 0;  // share of the tightest promise; above 1 it is broken
    std::vector<Violation> violations;
    std::string evidence;
    std::string where;  // file:line of the promise
};

[[nodiscard]] const char* name_of(Verdict::Outcome outcome);

}  // namespace master::contracts
