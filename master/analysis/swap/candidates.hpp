#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

namespace master::analysis {

/// An input of the new unit that may be an old one's partner.
struct Candidate {
    std::uint32_t after = 0;
    double factor = 1;  // new = factor * old
    double score = 0;
    bool decided = true;          // the factor
    bool by_description = false;  // which says its unit
    bool unknown = false;         // none of the known factors is it
};

/// By input of the old unit.
using Candidates = std::map<std::uint32_t, std::vector<Candidate>>;

/// Scores that differ by less are equal.
inline constexpr double nearly_equal = 1e-6;

/// True where another old input answers more like that new one.
[[nodiscard]] inline bool wanted_more(const Candidates& candidates, std::uint32_t before, const Candidate& candidate) {
    return std::ranges::any_of(candidates, [&](const auto& entry) {
        return entry.first != before && std::ranges::any_of(entry.second, [&](const Candidate& other) {
                   return other.after == candidate.after && other.score > candidate.score + nearly_equal;
               });
    });
}

}  // namespace master::analysis
