#pragma once

#include "master/report/plot.hpp"

#include <string>

namespace master::report {

/// The script that makes plots zoomable, from the page of the view where that has been built; else empty.
[[nodiscard]] std::string plot_script();

/// A plot's numbers as an element that plot_script() reads: decimated to first, least, greatest and last of each
/// interval of time, never by skipping, so that no peak is lost. Values are the bits of the results.
[[nodiscard]] std::string plot_data(const Plot& plot);

}  // namespace master::report
