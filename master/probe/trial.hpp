#pragma once

#include "master/probe/request.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

namespace probe {

[[nodiscard]] inline std::string text(double value) {
    char buffer[40];
    std::snprintf(buffer, sizeof buffer, "%.6g", value);
    return buffer;
}

/// "works" when two runs from one state agree to the last bit, else where they differ.
[[nodiscard]] inline std::string agreement(const std::vector<double>& first, const std::vector<double>& second) {
    for (std::size_t i = 0; i < first.size(); ++i) {
        const bool same = first[i] == second[i] || (std::isnan(first[i]) && std::isnan(second[i]));
        if (!same) {
            return "fails: output " + std::to_string(i + 1) + " is " + text(second[i]) + " after restoring, was " +
                   text(first[i]);
        }
    }
    return "works";
}

/// The same trials for both versions of FMI. `Unit` offers: advance() -> bool (two steps), outputs() -> values,
/// save(state&), restore(state), serialize(state, bytes&), deserialize(bytes, state&) -> bool, derivative(value&) ->
/// bool, difference(value&) -> bool (false: cannot be known).
template <class Unit>
void try_abilities(Unit& unit, const Request& request, const Answers& answers) {
    typename Unit::State saved{}, copy{};
    std::vector<double> first;
    const auto again = [&](typename Unit::State& from) -> std::string {
        if (!unit.restore(from)) return "fails: setting the state is refused";
        if (!unit.advance()) return "fails: a step after restoring is refused";
        return agreement(first, unit.outputs());
    };
    if (request.save) {
        if (!unit.save(saved)) {
            answers.say("save", "fails: getting the state is refused or the function is missing");
        } else {
            const bool stepped = unit.advance();
            if (stepped) first = unit.outputs();
            answers.say("save", stepped ? again(saved) : "unknown: a step is refused");
            if (request.serialize && stepped) {
                std::vector<char> bytes;
                const bool there = unit.serialize(saved, bytes) && unit.deserialize(bytes, copy);
                answers.say("serialize", there ? again(copy) : "fails: refused or a function is missing");
            }
        }
    } else {
        answers.say("step", unit.advance() ? "works" : "fails: refused");
    }
    if (!request.derivatives || request.unknown.empty() || request.known.empty()) return;
    double stated = 0, difference = 0;
    if (!unit.derivative(stated)) {
        answers.say("derivatives", "fails: refused or the function is missing");
    } else if (!unit.difference(difference)) {
        answers.say("derivatives", "answers");
    } else {
        const double scale = std::max({std::abs(stated), std::abs(difference), 1e-6});
        const bool agree = std::abs(stated - difference) <= 1e-3 * scale;
        answers.say("derivatives",
                    agree ? "works" : "fails: " + text(stated) + ", a difference quotient gives " + text(difference));
    }
}

}  // namespace probe
