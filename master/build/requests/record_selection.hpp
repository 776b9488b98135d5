#pragma once

#include "master/build/parts.hpp"
#include "master/core/system.hpp"
#include "master/results/column.hpp"

#include <cstdint>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

namespace master::build {

/// The unit that the FMU wants a variable to be shown in; without a name where it is its own or nobody knows how.
[[nodiscard]] results::ShownUnit shown_unit(const core::UnitInfo& info, const core::Variable& variable);

/// What a run records, decided by names before units are bound.
class RecordSelection {
public:
    /// Both must outlive it.
    RecordSelection(const Parts& parts, const BuildOptions& options);

    /// Variables to read from each unit; connected inputs are known without asking.
    [[nodiscard]] std::vector<std::vector<std::uint32_t>> variables() const;
    [[nodiscard]] std::vector<results::Column> columns(core::System& system) const;
    /// Parameters and start values that are numbers, with the values of this run.
    [[nodiscard]] std::vector<results::Constant> constants() const;

private:
    [[nodiscard]] std::string name(std::size_t unit, const core::Variable& variable) const;
    [[nodiscard]] std::string unit_name(std::size_t unit, const core::Variable& variable) const;
    void select_default();
    void select_patterns();

    const Parts& parts_;
    const BuildOptions& options_;
    bool single_ = false;
    std::vector<std::unordered_set<std::uint32_t>> connected_;     // variables of each unit
    std::vector<std::pair<std::uint32_t, std::uint32_t>> chosen_;  // unit, variable
};

}  // namespace master::build
