#pragma once

#include <functional>
#include <vector>

namespace tests {

using Numbers = std::vector<double>;
using Rates = std::function<void(double t, const Numbers& y, Numbers& rates)>;

/// Integrates y' = rates(t, y) with CVODE (BDF) from `from` to `to`; the reference of these tests.
void integrate(const Rates& rates, Numbers& y, double from, double to, double relative, const Numbers& absolute);

}  // namespace tests
