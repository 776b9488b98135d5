#include "master/base/patterns.hpp"

#include "master/base/diagnostics.hpp"
#include "master/base/error.hpp"

#include <algorithm>

namespace master::base {
namespace {

/// The names themselves, and `component.*` for every level, so that a slip in a component's name finds it.
std::vector<std::string> candidates_for(std::string_view pattern, std::span<const std::string> names) {
    std::vector<std::string> candidates;
    if (!pattern.ends_with(".*")) candidates.assign(names.begin(), names.end());
    for (const std::string& name : names) {
        for (std::size_t dot = name.find('.'); dot != std::string::npos; dot = name.find('.', dot + 1))
            candidates.push_back(name.substr(0, dot) + ".*");
    }
    std::ranges::sort(candidates);
    candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
    return candidates;
}

}  // namespace

bool matches(std::string_view pattern, std::string_view name) {
    // Greedy with one point of return: the last star swallows one character more after each failure.
    std::size_t p = 0;
    std::size_t n = 0;
    std::size_t star = std::string_view::npos;
    std::size_t resume = 0;
    while (n < name.size()) {
        if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            resume = n;
            continue;
        }
        if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
            ++p;
            ++n;
            continue;
        }
        if (star == std::string_view::npos) return false;
        p = star + 1;
        n = ++resume;
    }
    return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

std::vector<std::size_t> select(std::span<const std::string> names, std::span<const std::string> patterns) {
    if (patterns.size() == 1 && patterns.front() == "none") return {};
    std::vector<char> chosen(names.size(), 0);
    for (const std::string& pattern : patterns) {
        bool found = false;
        for (std::size_t i = 0; i < names.size(); ++i) {
            if (!matches(pattern, names[i])) continue;
            chosen[i] = 1;
            found = true;
        }
        if (!found)
            throw Error("unknown-name", "--record",
                        "the pattern '" + pattern + "' matches no variable" +
                            did_you_mean(pattern, candidates_for(pattern, names)));
    }
    std::vector<std::size_t> indices;
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (chosen[i] != 0) indices.push_back(i);
    }
    return indices;
}

}  // namespace master::base
