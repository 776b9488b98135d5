#pragma once

#include <array>
#include <cstddef>

namespace models {

/// y = sum of k_i u_i + offset over up to eight signals, without memory.
struct Sum {
    static constexpr std::size_t most = 8;
    struct Parameters {
        std::array<double, most> k{1, 1, 1, 1, 1, 1, 1, 1};
        double offset = 0;
    } parameters;
    struct Inputs {
        std::array<double, most> u{};
    } inputs;
    struct Outputs {
        double y = 0;
    } outputs;

    void evaluate(double) {
        outputs.y = parameters.offset;
        for (std::size_t i = 0; i < most; ++i) outputs.y += parameters.k[i] * inputs.u[i];
    }
};

}  // namespace models
