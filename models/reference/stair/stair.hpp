#pragma once

#include <cstdint>
#include <optional>

namespace models {

/// Counts the seconds from 1 and asks for the end at 10.
struct Stair {
    struct State {
        std::int32_t counter = 1;
        double next = 1;
    } state;

    void initialize(double t) { state.next = t + 1; }
    bool update(double t) {
        if (t >= state.next) {
            ++state.counter;
            state.next += 1;
        }
        return false;
    }
    [[nodiscard]] std::optional<double> next_event() const { return state.next; }
    [[nodiscard]] bool finished() const { return state.counter >= 10; }
};

}  // namespace models
