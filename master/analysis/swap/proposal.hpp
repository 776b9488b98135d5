#pragma once

#include "master/analysis/swap/series.hpp"
#include "master/build/physical_units.hpp"
#include "master/build/replace/adapter_map.hpp"
#include "master/core/unit.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace master::analysis {

/// A map that was measured, row by row with what speaks for it, and what stayed open.
struct Proposal {
    struct Row {
        build::MapRow row;
        std::string note;
    };
    std::vector<Row> rows;
    std::vector<std::string> ambiguous;  // pairs that are not written down, and why

    [[nodiscard]] std::string text() const;  // of a map file
    /// A variable of the old unit that is no row yet.
    void leave_to_old(const std::string& variable, build::MapRow::Form form, const char* note);
};

/// A variable of a unit, by name.
struct NamedVariable {
    const core::UnitInfo& info;
    std::string name;
};

/// The row for old = scale(new), as it was measured: known ratios become units and signs.
[[nodiscard]] Proposal::Row proposed_row(const NamedVariable& before, const NamedVariable& after,
                                         const build::Scale& scale, std::string note);

/// Every new / old that engineers would use; only both signs of one where declared units or ranges tell it, and none
/// where the units exclude each other.
[[nodiscard]] std::vector<double> possible_factors(const NamedVariable& before, const NamedVariable& after);

/// new / old by a unit that the new variable's description names ("stroke [mm]", "force in kN", "%, upwards"); nothing
/// where none stands there that can be converted.
[[nodiscard]] std::optional<double> described_factor(const NamedVariable& before, const NamedVariable& after);

/// For outputs by their variables: old / new without its sign, where declared units or ranges tell it.
[[nodiscard]] OutputGains known_gains(const core::UnitInfo& before, std::span<const std::uint32_t> old_outputs,
                                      const core::UnitInfo& after, std::span<const std::uint32_t> new_outputs);

}  // namespace master::analysis
