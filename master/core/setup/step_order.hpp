#pragma once

#include "master/core/plan.hpp"
#include "master/core/setup/feedthrough_map.hpp"

#include <cstdint>
#include <vector>

namespace master::core {

/// The order in which a sequential algorithm steps units: along wires where there is no loop; inside loops a unit that
/// feeds an input through comes after the sender of that input, unless the plan says otherwise; ties as in the file.
[[nodiscard]] std::vector<std::uint32_t> step_order(const Plan& plan, const FeedthroughMap& feedthrough);

}  // namespace master::core
