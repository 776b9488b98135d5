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

/// old = gain * new + offset, as it was measured.
struct MeasuredLine {
    double gain = 1;
    std::optional<double> offset = {};  // nothing: it is what the units say
    double least_offset = 0;            // what is smaller, beside what the units say, is none
};

/// What a measured old / new means: a known factor, or what the declared units say, where it is near one.
[[nodiscard]] double meant_gain(const NamedVariable& before, const NamedVariable& after, double measured);

/// The row for a measured line: known ratios become units and signs.
[[nodiscard]] Proposal::Row proposed_row(const NamedVariable& before, const NamedVariable& after,
                                         const MeasuredLine& line, std::string note);

/// How declared units make a number of the old variable one of the new; nothing where they do not say.
[[nodiscard]] std::optional<build::Scale> declared_scale(const NamedVariable& before, const NamedVariable& after);

/// Every new / old that engineers would use: between units of the quantity where that is known, and powers of ten. Only
/// both signs of one where declared units or ranges tell it, and none where the units exclude each other.
[[nodiscard]] std::vector<double> possible_factors(const NamedVariable& before, const NamedVariable& after);

/// new / old by a unit that the new variable's description names ("stroke [mm]", "force in kN", "%, upwards"); nothing
/// where none stands there that can be converted.
[[nodiscard]] std::optional<double> described_factor(const NamedVariable& before, const NamedVariable& after);

/// For outputs by their variables: old / new without its sign, where declared units or ranges tell it.
[[nodiscard]] OutputGains known_gains(const core::UnitInfo& before, std::span<const std::uint32_t> old_outputs,
                                      const core::UnitInfo& after, std::span<const std::uint32_t> new_outputs);

}  // namespace master::analysis
