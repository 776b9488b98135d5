#pragma once

#include "master/analysis/swap/recorded.hpp"
#include "master/analysis/swap/unit_bench.hpp"
#include "master/build/physical_units.hpp"

#include <optional>
#include <string>
#include <vector>

namespace master::analysis {

/// An input of the new unit in a replay, and what it is given of an input of the old one.
struct ReplayedInput {
    std::string before, after;
    build::Scale to_new;
};

/// Gives the inputs that were recorded to another unit alone, over the same steps; its outputs at the times of the
/// record. Nothing where the unit refuses.
[[nodiscard]] std::optional<Response> replay(UnitBench& unit, const Recorded& recorded,
                                             const std::vector<ReplayedInput>& inputs,
                                             const std::vector<std::string>& set);

}  // namespace master::analysis
