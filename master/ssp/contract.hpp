#pragma once

#include "master/base/time.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace master::ssp {

/// How much it matters that a requirement is broken: an error fails the check, a warning is told.
enum class Severity : std::uint8_t { error, warning };

/// What is promised about a signal (our annotation `Contract`). Values are in the unit of their connector; what an
/// output keeps is what an input may rely on.
struct Contract {
    std::optional<double> minimum, maximum, nominal;
    std::optional<double> resolution;      // values are multiples of it
    std::optional<base::Fraction> period;  // between two new values, s
    std::optional<double> jitter;          // of the period, s
    std::optional<double> maximal_age;     // s
    std::string age_from;                  // COMPONENT.CONNECTOR the age counts from; empty: a standing value
    std::optional<double> rate;            // largest change per second
    std::optional<std::string> start;      // as written
    std::string variability;               // empty = any
    std::optional<std::vector<std::string>> depends_on;  // inputs that it may depend on in the same instant
    std::optional<std::int64_t> invalid, not_available;  // raw codes of a bus signal that are no values
    std::string requirement;                             // id; empty = none
    Severity severity = Severity::error;
    std::string where;
};

/// What a unit must be able to do (our annotation `Component`, element `Requires`); what is empty is not asked for.
struct UnitRequirements {
    std::vector<std::string> fmi_versions;  // one of them
    std::vector<std::string> platforms;     // all of them, as FMI 3 spells them: x86_64-linux
    bool variable_step = false, saved_state = false, event_mode = false;
    bool standalone = false;  // needs no other program, such as an exporting tool with its licence server
    std::optional<base::Fraction> largest_step;
    std::string requirement;
    Severity severity = Severity::error;
    std::string where;
};

}  // namespace master::ssp
