#include "master/core/value_text.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <string_view>

namespace master::core {
namespace {

constexpr std::array<const char*, 7> causality_names{
    "structuralParameter", "parameter", "calculatedParameter", "input", "output", "local", "independent"};
constexpr std::array<const char*, 5> variability_names{"constant", "fixed", "tunable", "discrete", "continuous"};
constexpr std::array<const char*, 4> initial_names{"none", "exact", "approx", "calculated"};

std::string hexadecimal(const ByteString& bytes) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    for (const std::uint8_t byte : bytes) text += {digits[byte >> 4U], digits[byte & 15U]};
    return text;
}

std::string element_text(double value) { return number_text(value); }
std::string element_text(std::int64_t value) { return std::to_string(value); }
std::string element_text(std::uint64_t value) { return std::to_string(value); }
std::string element_text(std::uint8_t value) { return value != 0 ? "true" : "false"; }
std::string element_text(const ByteString& value) { return hexadecimal(value); }
std::string element_text(const std::string& value) { return value; }

}  // namespace

std::string number_text(double value) {
    if (std::isnan(value)) return "NaN";
    if (std::isinf(value)) return value > 0 ? "INF" : "-INF";
    std::array<char, 32> buffer{};
    const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
    return {buffer.data(), result.ptr};
}

std::vector<std::string> element_texts(const Value& value) {
    std::vector<std::string> texts;
    std::visit(
        [&](const auto& elements) {
            for (const auto& element : elements) texts.push_back(element_text(element));
        },
        value);
    return texts;
}

std::string value_text(const Value& value) {
    std::string joined;
    for (const std::string& text : element_texts(value)) joined += (joined.empty() ? "" : " ") + text;
    return joined;
}

std::string name_of(Causality causality) { return causality_names[static_cast<std::size_t>(causality)]; }
std::string name_of(Variability variability) { return variability_names[static_cast<std::size_t>(variability)]; }
std::string name_of(Initial initial) { return initial_names[static_cast<std::size_t>(initial)]; }

}  // namespace master::core
