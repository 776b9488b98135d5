#pragma once

#include "master/runs/board.hpp"
#include "master/runs/prepare.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace master::analysis {

/// An error that was seeded into an output, and what became of it.
struct Mutation {
    enum class Outcome : std::uint8_t {
        caught,     // by a requirement
        missed,     // the run looks as if nothing were wrong
        stopped,    // the run failed, and no requirement told why
        no_effect,  // the output does not move far enough for the error to show
    };
    std::string kind;    // sign, unit, scale, delay, range
    std::string output;  // COMPONENT.VARIABLE
    std::string words;   // what was done
    Outcome outcome = Outcome::missed;
    std::vector<std::string> requirements = {};  // that caught it
    std::string evidence = {};
};

/// How much of what can go wrong a specification notices.
struct MutationScore {
    std::vector<Mutation> mutations;
    std::vector<std::string> idle;  // requirements that caught nothing

    [[nodiscard]] std::size_t count(Mutation::Outcome outcome) const;
    [[nodiscard]] std::size_t seeded() const;  // those that had an effect
    /// Share of them that a requirement caught; 0 where there are none.
    [[nodiscard]] double share() const;
};

struct MutationRequest {
    runs::RunRequest run;
    std::filesystem::path specification;
    std::string outputs = "*";  // pattern, of the components that the specification names
};

/// One run as it is, which has to keep the specification, and one with each error in each output. Throws `Error` where
/// the system breaks its specification by itself.
[[nodiscard]] MutationScore mutate(const MutationRequest& request, base::Diagnostics& diagnostics, base::Log& log,
                                   runs::Board* board);

[[nodiscard]] const char* name_of(Mutation::Outcome outcome);
[[nodiscard]] std::string text_of(const MutationScore& score);
[[nodiscard]] std::string json_of(const MutationScore& score);

}  // namespace master::analysis
