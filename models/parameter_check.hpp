#pragma once

#include <cmath>
#include <stdexcept>
#include <string>

namespace models {

/// Refuses parameters of a model that make no sense: std::invalid_argument naming model, parameter, value and what was
/// expected.
class ParameterCheck {
public:
    explicit constexpr ParameterCheck(const char* model) : model_(model) {}

    [[noreturn]] void refuse(const std::string& name, double value, const std::string& expected) const {
        throw std::invalid_argument(std::string(model_) + ": parameter '" + name + "' is " + std::to_string(value) +
                                    ", expected " + expected);
    }
    void positive(const char* name, double value) const {
        if (!(value > 0) || !std::isfinite(value)) refuse(name, value, "a finite number above 0");
    }
    void not_negative(const char* name, double value) const {
        if (!(value >= 0) || !std::isfinite(value)) refuse(name, value, "a finite number, 0 or above");
    }

private:
    const char* model_;
};

}  // namespace models
