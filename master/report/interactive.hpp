#pragma once

#include "master/report/plot.hpp"

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

namespace master::report {

/// Where the page of the view is, if it has been built: build/page, or share/tandem/page of an installation; empty
/// where nobody knows where the program is.
[[nodiscard]] std::filesystem::path page_folder();
/// The script that makes plots zoomable, from the page of the view where that has been built; else empty.
[[nodiscard]] std::string plot_script();
/// The script that shows scenes which can be turned, likewise.
[[nodiscard]] std::string scene_script();

/// A plot's numbers as an element that plot_script() reads: decimated to first, least, greatest and last of each
/// interval of time, never by skipping, so that no peak is lost. Values are the bits of the results.
[[nodiscard]] std::string plot_data(const Plot& plot);

[[nodiscard]] std::string base64(std::span<const std::uint8_t> bytes);
/// Little endian, in base64.
[[nodiscard]] std::string encoded(std::span<const float> values);

}  // namespace master::report
