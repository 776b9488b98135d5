#pragma once

#include "master/base/diagnostics.hpp"
#include "master/build/options.hpp"
#include "master/build/parts.hpp"

#include <string>

namespace master::build {

struct AlgorithmChoice {
    std::string name, where;
    std::string reason;  // where nobody chose it and it is not the usual one
};

/// The algorithm that the user or the system names, else `jacobi`; but `gauss-seidel` where a power bond or a loop of
/// feedthrough makes units answer each other, since stepping them side by side pumps energy into what they exchange.
/// The wires between such units are then held constant unless they say otherwise, and the receiver of an effort is
/// stepped first. Declared bonds are paired; a pair of wires is taken for one by its units of measure where the effort
/// is a state of its sender.
[[nodiscard]] AlgorithmChoice choose_algorithm(Parts& parts, const BuildOptions& options,
                                               base::Diagnostics& diagnostics);

}  // namespace master::build
