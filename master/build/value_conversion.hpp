#pragma once

#include "master/build/resolve/chain.hpp"
#include "master/core/unit.hpp"

#include <string>
#include <string_view>
#include <variant>

namespace master::build {

/// A value in a variable's own type, or a sentence that says why it cannot be one.
using Converted = std::variant<core::Value, std::string>;

/// A parameter set's value as the variable takes it; `enumeration` is the variable's, or null.
[[nodiscard]] Converted convert_value(const ssp::Parameter& parameter, const Chain& chain,
                                      const core::Variable& variable, const core::Enumeration* enumeration);

/// The same from the text of a command line: numbers separated by blanks or commas, item names for enumerations.
[[nodiscard]] Converted parse_value(std::string_view text, const core::Variable& variable,
                                    const core::Enumeration* enumeration);

/// The same where only the name of a type is known, as a parameter set would hold it: items of enumerations by name.
[[nodiscard]] Converted parse_value(std::string_view text, const std::string& declared_type);

[[nodiscard]] std::size_t size_of(const core::Value& value);

}  // namespace master::build
