#pragma once

#include "master/base/diagnostics.hpp"
#include "master/build/physical_units.hpp"
#include "master/ssp/description.hpp"

#include <map>
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

/// What conversions of units took for granted. It may concern many connections, so it is said once, with the first.
class UnitRemarks {
public:
    void add(const UnitConversion& conversion, const std::string& label, const std::string& where);
    /// `fate`: what happens to a value whose unit is not understood.
    void report(const std::string& fate, base::Diagnostics& diagnostics) const;

private:
    struct Remark {
        std::string where, label;
        std::size_t count = 0;
    };
    static void count(Remark& remark, const std::string& label, const std::string& where);

    Remark unchanged_;
    std::string unchanged_text_;
    std::map<std::string, Remark> doubtful_, assumed_;  // by text
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
