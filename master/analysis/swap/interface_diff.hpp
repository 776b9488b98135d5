#pragma once

#include "master/build/replace/replace.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace master::analysis {

/// One way in which the new unit's interface differs from the old one's.
struct InterfaceChange {
    enum class Kind : std::uint8_t { missing, extra, renamed, type, unit, sign, range, dependency, rate };
    Kind kind = Kind::missing;
    std::string old_name, new_name;  // empty where there is none
    std::string text;                // what was, what is
};
[[nodiscard]] std::string_view to_string(InterfaceChange::Kind kind);

/// Inputs, outputs and parameters of two units, side by side, by the partners that the adapter names. Without a partner
/// the closest free name is said.
[[nodiscard]] std::vector<InterfaceChange> interface_diff(const core::UnitInfo& before, const core::UnitInfo& after,
                                                          const build::Adapter& adapter);

}  // namespace master::analysis
