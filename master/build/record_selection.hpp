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

/// What a run records, decided by names before units are bound.
class RecordSelection {
public:
    /// Both must outlive it.
    RecordSelection(const Parts& parts, const BuildOptions& options);

    /// Variables to read from each unit; connected inputs are known without asking.
    [[nodiscard]] std::vector<std::vector<std::uint32_t>> variables() const;
    [[nodiscard]] std::vector<results::Column> columns(core::System& system) const;

private:
    [[nodiscard]] std::string name(std::size_t unit, const core::Variable& variable) const;
    void select_default();
    void select_patterns();

    const Parts& parts_;
    const BuildOptions& options_;
    bool single_ = false;
    std::vector<std::unordered_set<std::uint32_t>> connected_;     // variables of each unit
    std::vector<std::pair<std::uint32_t, std::uint32_t>> chosen_;  // unit, variable
};

}  // namespace master::build
