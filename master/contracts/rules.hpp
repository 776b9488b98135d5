#pragma once

#include "master/build/physical_units.hpp"
#include "master/contracts/finding.hpp"
#include "master/contracts/interface.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace master::contracts {

/// Of limits that went through a conversion of units, or through a decimal text.
inline constexpr double rounding = 1e-9;

[[nodiscard]] inline bool same(double a, double b) {
    return a == b || std::abs(a - b) <= rounding * std::max(std::abs(a), std::abs(b));
}

/// How a number is kept: whether values of one type all are values of another.
struct NumberType {
    std::string_view name;
    int integer_bits;  // whole numbers that it holds
    bool negative, fractions;

    [[nodiscard]] double lowest() const { return negative ? -std::exp2(integer_bits) : 0; }
    [[nodiscard]] double highest() const { return std::exp2(integer_bits) - 1; }
};

/// Null for what is no number; `name` is as FMI 3 spells it.
[[nodiscard]] const NumberType* number_type(const std::string& name);

/// What an entry does with the values of its signal.
enum class Role : std::uint8_t { takes, gives, parameter, open };

[[nodiscard]] Role role_of(ssp::Kind kind);

/// Two entries that are to be the same signal, and where findings about them go.
class EntryRules {
public:
    EntryRules(const Entry& actual, const Entry& expected, std::string subject, Comparison& comparison)
        : actual_(actual), expected_(expected), subject_(std::move(subject)), comparison_(comparison) {}

    /// `step` is that of the actual component.
    void apply(const std::optional<base::Fraction>& step);

private:
    /// The side that gives values may promise more than is asked, the one that takes them may accept more.
    [[nodiscard]] bool takes() const;
    void add(const char* code, bool breaking, const std::string& text);
    void differ(const char* code, bool breaking, const std::string& what, const std::string& found,
                const std::string& wanted);
    /// What only one side states: between two versions it was dropped or added, else only a run can tell. False where
    /// both or none do.
    bool one_sided(const char* code, const char* what, bool found, bool wanted);
    /// Breaking where the actual value is on the wrong side: a giver must not be larger, a taker not smaller.
    void bound(const char* code, const char* what, const std::optional<double>& found,
               const std::optional<double>& wanted);
    [[nodiscard]] std::optional<double> converted(const std::optional<double>& value) const;
    [[nodiscard]] std::optional<double> converted_span(const std::optional<double>& value) const;

    void check_causality();
    void check_type();
    void check_dimensions();
    /// False where values cannot be compared.
    [[nodiscard]] bool check_unit();
    void check_variability();
    void check_range();
    void check_nominal();
    void check_rate();
    void check_start();
    void check_period(const std::optional<base::Fraction>& step);
    void check_times();
    void check_age(const std::optional<base::Fraction>& step);
    void check_dependencies();
    void check_enumeration();
    void check_codes();
    void check_layout();  // both on a bus
    /// After `check_unit`: a raw code means the same on both sides, in whatever unit they write it.
    [[nodiscard]] bool same_codes() const;
    void check_bus_type();  // one of them on a bus
    void check_boolean(const Entry& bus, const Entry& other);
    void check_whole_numbers(const Entry& bus, const Entry& other);
    void check_items(const Entry& bus, const Entry& other);
    void check_float(const Entry& bus, const Entry& other);
    void check_bits();

    const Entry& actual_;
    const Entry& expected_;
    std::string subject_;
    Comparison& comparison_;
    build::Scale scale_;  // of actual values into the expected unit
};

/// What a unit must be able to do, against what its files say.
void check_unit_facts(const Element& actual, const Element& expected, Comparison& comparison);

/// Identifier, size and cycle of a message.
void check_message(const Element& actual, const Element& expected, Comparison& comparison);

/// "is X, expected Y", or what became of Y.
[[nodiscard]] std::string difference(const Comparison& comparison, const std::string& found, const std::string& wanted);

}  // namespace master::contracts
