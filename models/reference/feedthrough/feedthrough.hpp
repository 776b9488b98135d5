#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace models {

/// Hands every input on to the output of the same type.
struct Feedthrough {
    enum class Option : std::int64_t { option_1 = 1, option_2 = 2 };

    static std::vector<std::uint8_t> bytes_of(std::string_view text) { return {text.begin(), text.end()}; }

    struct Parameters {
        double fixed = 0, tunable = 0;
    } parameters;
    struct Signals {
        float float32_continuous = 0, float32_discrete = 0;
        double float64_continuous = 0, float64_discrete = 0;
        std::int8_t int8 = 0;
        std::uint8_t uint8 = 0;
        std::int16_t int16 = 0;
        std::uint16_t uint16 = 0;
        std::int32_t int32 = 0;
        std::uint32_t uint32 = 0;
        std::int64_t int64 = 0;
        std::uint64_t uint64 = 0;
        bool boolean = false;
        std::string string = "Set me!";
        std::vector<std::uint8_t> binary = bytes_of("foo");
        Option enumeration = Option::option_1;

        auto members() {
            return std::tie(float32_continuous, float32_discrete, float64_continuous, float64_discrete, int8, uint8,
                            int16, uint16, int32, uint32, int64, uint64, boolean, string, binary, enumeration);
        }
    } inputs, outputs;

    void evaluate(double) { outputs = inputs; }
    bool update(double) { return false; }  // discrete outputs follow their inputs without memory
    auto members() { return std::tie(parameters, inputs, outputs); }
};

}  // namespace models
