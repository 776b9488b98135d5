#pragma once

#include "master/base/diagnostics.hpp"
#include "master/build/physical_units.hpp"
#include "master/ssp/description.hpp"

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace master::build {

/// What all hops of a connection or parameter do to a value, taken together: a line, or a table of values.
struct Chain {
    Scale scale;
    bool transforms = false;  // a linear transformation was written, whatever its numbers
    ssp::Transformation::Form form = ssp::Transformation::Form::none;  // of the table
    std::vector<std::pair<std::string, std::string>> table;            // as written
};

/// Notes that concern many connections are made once, with the first of them.
struct UnitRemarks {
    std::size_t unchanged = 0;
    std::string where, text;  // of the first
};

/// Adds up hops from a value in unit `from` to a variable in unit `to`. Units count for reals only: `convert_units`.
/// Reports units that do not fit and hops that cannot be combined, and returns nothing then.
[[nodiscard]] std::optional<Chain> chain_of(std::span<const ssp::Hop> hops, const UsedUnit& from, const UsedUnit& to,
                                            const std::string& label, UnitRemarks& remarks,
                                            base::Diagnostics& diagnostics);

/// The same for values that are no reals and have no units.
[[nodiscard]] std::optional<Chain> chain_without_units(std::span<const ssp::Hop> hops, const std::string& label,
                                                       base::Diagnostics& diagnostics);

/// The table in numbers; item names of enumerations are looked up at both ends. Reports what is unknown.
[[nodiscard]] std::optional<std::vector<std::pair<std::int64_t, std::int64_t>>> numbers_of(
    const Chain& chain, const core::Enumeration* from, const core::Enumeration* to, const std::string& where,
    base::Diagnostics& diagnostics);

/// The value of an enumeration's item, by name.
[[nodiscard]] std::optional<std::int64_t> item_value(const core::Enumeration& enumeration, const std::string& name);
[[nodiscard]] std::vector<std::string> item_names(const core::Enumeration& enumeration);

}  // namespace master::build
