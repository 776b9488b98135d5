#pragma once

#include "master/analysis/swap/swap.hpp"

#include <string>

namespace master::analysis {

/// What the swapped units are called on top of each form.
struct SwapTitle {
    std::string system, old_unit, new_unit;
};

/// The first signals, the verdict and what differs in the interfaces, for a terminal.
[[nodiscard]] std::string swap_text(const Swap& swap, const SwapTitle& title, std::size_t most);
[[nodiscard]] std::string swap_json(const Swap& swap, const SwapTitle& title);
/// A page with overlays of the signals that differ most.
[[nodiscard]] std::string swap_html(const Swap& swap, const SwapTitle& title);

}  // namespace master::analysis
